"""Data roles: what a table was set aside for, and how often it has been used."""

from dataclasses import dataclass, field
from typing import Any

from certus.guarantees.records.bound_arguments import check_choice, check_count

ROLES = ("training", "validation", "calibration", "test")


@dataclass
class DataRole:
    """Rows set aside for one purpose, with a ledger of their uses.

    Every score computed on the rows is one use. Certificates from the rows divide their failure probability
    by the number of uses, so that choosing the best of many candidates, or looking twice, is paid for.

    Parameters
    ----------
    purpose : {"training", "validation", "calibration", "test"}
        What the rows are for. Training rows cannot certify anything about new rows.
    rows : int
        How many rows there are.

    Attributes
    ----------
    ledger : list of (str, int)
        Reason and number of candidates of every use so far.

    Examples
    --------
    >>> validation = DataRole("validation", 500)
    >>> validation.use("score 10 candidates", candidates=10)
    10
    >>> validation.use("certify the winner's replacement")
    11
    >>> validation.uses
    11
    """

    purpose: str
    rows: int
    ledger: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_choice(self.purpose, "purpose", ROLES)
        check_count(self.rows, "rows", minimum=1)

    @property
    def uses(self) -> int:
        """Number of candidates or questions that the rows have served so far."""
        return sum(candidates for _, candidates in self.ledger)

    def use(self, reason: str, candidates: int = 1) -> int:
        """Record a use and return the number of uses so far, this one included."""
        if self.purpose == "training":
            raise ValueError(
                "training rows cannot certify the error on new rows: the model has seen them.\n"
                "Hint: hold rows out, or ask the learner's report_ for what training alone supports."
            )
        self.ledger.append((str(reason), check_count(candidates, "candidates", minimum=1)))
        return self.uses

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a study's record."""
        return {"purpose": self.purpose, "rows": self.rows, "ledger": [list(entry) for entry in self.ledger]}
