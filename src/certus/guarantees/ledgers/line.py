"""One comparison of an account: what was paid, what the best in hindsight would have paid, and the bound between."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from certus.guarantees.records.assumptions import check_assumptions
from certus.guarantees.records.plain_values import decode, encode, freeze


@dataclass(frozen=True, kw_only=True)
class Line:
    """A comparison with a class of competitors, and the theorem that bounds it.

    Parameters
    ----------
    quantity : str, default="regret"
        What is bounded: "regret", "regret against 3 switches", "mistakes" ...
    loss, comparator : float
        What the learner paid since trial `since`, and what the best competitor would have paid.
    bound : float
        The theorem evaluated on what was observed: ``loss - comparator`` is at most that, now. Infinite: no theorem
        applies.
    rule : str
        The rule whose checker derives `bound` again from `facts`.
    theorem : str
        Its title and year.
    assumptions : tuple of str, default=()
        Tokens of `certus.guarantees.records.ASSUMPTIONS`.
    facts : dict
        What the theorem was evaluated on.
    needs_range : bool, default=False
        Whether a loss outside the declared range voids the bound.
    since : int, default=1
        The first trial that is compared; later than 1 for who joined late.

    Examples
    --------
    >>> line = Line(loss=5.0, comparator=3.0, bound=4.5, rule="online/hedge", theorem="Hedge (1997)")
    >>> line.regret
    2.0
    """

    quantity: str = "regret"
    loss: float
    comparator: float
    bound: float
    rule: str
    theorem: str
    assumptions: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    needs_range: bool = False
    since: int = 1

    def __post_init__(self) -> None:
        for name in ("loss", "comparator", "bound"):
            value = float(getattr(self, name))
            if math.isnan(value):
                raise ValueError(f"{name} must be a number, got nan.")
            object.__setattr__(self, name, value)
        object.__setattr__(self, "assumptions", check_assumptions(self.assumptions))
        object.__setattr__(self, "facts", freeze(self.facts, "facts"))

    @property
    def counts_mistakes(self) -> bool:
        """Whether this is about mistakes, not about regret."""
        return self.quantity == "mistakes"

    @property
    def regret(self) -> float:
        """How much more was paid than the best competitor would have: no estimate, a count."""
        return self.loss - self.comparator

    def without_bound(self) -> Self:
        """The same comparison, about which nothing is promised any more."""
        return replace(self, bound=math.inf)

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {entry.name: encode(getattr(self, entry.name)) for entry in fields(self)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        return cls(**{name: decode(value, name) for name, value in record.items()})


@dataclass(frozen=True)
class Void:
    """A line whose bound fell: which one, at which trial (from 1), and why.

    Examples
    --------
    >>> print(Void("regret", 7, "a loss of 3 is outside [0, 1]"))
    regret: void since trial 7 (a loss of 3 is outside [0, 1])
    """

    line: str
    trial: int
    reason: str

    def __str__(self) -> str:
        return f"{self.line}: void since trial {self.trial} ({self.reason})"
