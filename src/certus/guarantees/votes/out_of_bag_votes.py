"""Bounds on a bagged vote from the rows that each voter left out of its bag."""

from numpy.typing import ArrayLike

from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.training.risk_record import check_level
from certus.guarantees.votes.majority_votes import QUANTITY, cantelli_bound, first_order_bound, tandem_bound
from certus.guarantees.votes.out_of_bag_counts import out_of_bag_errors
from certus.guarantees.votes.vote_c_bound import c_bound


def oob_vote_bounds(
    masks: ArrayLike,
    votes: ArrayLike,
    labels: ArrayLike,
    confidence: float = 0.95,
    *,
    weights: ArrayLike | None = None,
    uses: int = 1,
    quantity: Quantity | str = QUANTITY,
) -> dict[str, Certificate]:
    """Bound the error of a bagged vote (bagging, a random forest) without any held-out rows.

    Parameters are those of `out_of_bag_errors`. The failure probability is shared among the bounds that come
    back, so that the smallest of them may be quoted.

    Parameters
    ----------
    confidence : float, default=0.95
        Probability with which all bounds hold together.
    uses : int, default=1
        Number of votes that were compared on these rows, this one included.
    quantity : str, default="error of the vote"
        Name of the risk.

    Returns
    -------
    dict of str to Certificate
        "first-order", and unless some pair of voters has no common left-out row "tandem", "cantelli" and "c-bound".

    Notes
    -----
    A binomial limit on the out-of-bag vote itself is not valid: every row is judged by other voters, and the rows
    share them.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 3000)
    >>> votes = np.where(rng.random((50, 3000)) < 0.1, 1 - labels, labels)
    >>> bounds = oob_vote_bounds(rng.random((50, 3000)) < 0.37, votes, labels)
    >>> {name: round(bound.value, 2) for name, bound in bounds.items()}
    {'first-order': 0.28, 'tandem': 0.2, 'cantelli': 0.21, 'c-bound': 0.23}
    """
    level, paid = check_level(confidence, uses)
    found = out_of_bag_errors(masks, votes, labels, weights=weights)
    parts = (4 if found.pair_rows else 1) * paid
    bounds = {
        "first-order": first_order_bound(
            found.gibbs, found.rows, level, kl=found.kl, uses=parts, out_of_bag=True, quantity=quantity
        )
    }
    if not found.pair_rows:
        return bounds
    bounds["tandem"] = tandem_bound(
        found.tandem, found.pair_rows, level, kl=found.kl, uses=parts, out_of_bag=True, quantity=quantity
    )
    bounds["cantelli"] = cantelli_bound(
        found.gibbs,
        found.rows,
        found.tandem,
        found.pair_rows,
        level,
        kl=found.kl,
        uses=parts,
        out_of_bag=True,
        quantity=quantity,
    )
    bounds["c-bound"] = c_bound(
        found.tandem + found.disagreement / 2.0,
        found.disagreement,
        found.pair_rows,
        level,
        kl=found.kl,
        uses=parts,
        out_of_bag=True,
        quantity=quantity,
    )
    return bounds
