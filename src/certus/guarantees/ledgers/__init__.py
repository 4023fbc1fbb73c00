"""Accounts of learners that predict one trial at a time.

* `ledger`: what was paid, how much worse that is than the best in hindsight, how much worse it could be, the risk.
* `line`: one comparison with its bound; `ledger_certificates`: what a ledger promises; `replay`: slow readable twins.
"""

from certus.guarantees.ledgers.ledger import Ledger, switching_quantity
from certus.guarantees.ledgers.line import Line, Void
from certus.guarantees.ledgers.replay import replayed, twin

__all__ = ["Ledger", "Line", "Void", "replayed", "switching_quantity", "twin"]


def __dir__() -> list[str]:
    return __all__
