"""The error of majority votes from how often their voters err, alone and together.

* `majority_votes`, `vote_c_bound`: the bounds; `independent_voters`: what independence would give.
* `out_of_bag_counts`, `out_of_bag_votes`: both from the rows that each voter left out.
"""

from certus.guarantees.votes.independent_voters import chernoff_lower_tail, condorcet
from certus.guarantees.votes.majority_votes import QUANTITY, cantelli_bound, first_order_bound, tandem_bound
from certus.guarantees.votes.out_of_bag_counts import out_of_bag_errors
from certus.guarantees.votes.out_of_bag_votes import oob_vote_bounds
from certus.guarantees.votes.vote_c_bound import c_bound

__all__ = [
    "QUANTITY",
    "c_bound",
    "cantelli_bound",
    "chernoff_lower_tail",
    "condorcet",
    "first_order_bound",
    "oob_vote_bounds",
    "out_of_bag_errors",
    "tandem_bound",
]
