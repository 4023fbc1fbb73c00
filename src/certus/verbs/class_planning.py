"""Training rows that a whole class of hypotheses needs, before anything is trained and without held-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from certus.guarantees import (
    Certificate,
    HypothesisClass,
    excess_bound,
    finite_class_bound,
    sample_size,
    uniform_convergence,
    vc_bound,
    vc_rows,
)
from certus.guarantees.records import confidence_percent, count, percent

_PROMISES = {
    "realizable": "every hypothesis without training errors has an error of at most {error}",
    "uniform": "all training errors are within {error} of the true ones",
    "agnostic": "the hypothesis with the fewest training errors is within {error} of the best one",
}


@dataclass(frozen=True)
class ClassPlan:
    """Training rows after which a class of hypotheses is learned to within `error`.

    Attributes
    ----------
    error, confidence : float
        What is promised, and how surely.
    hypotheses : int or None
        Size of a finite class.
    vc_dimension : int, HypothesisClass or None
        Capacity of an infinite one.
    setting : {"realizable", "uniform", "agnostic"}
        What is promised; a VC dimension answers the first only.
    """

    error: float
    confidence: float
    hypotheses: int | None = None
    vc_dimension: int | HypothesisClass | None = None
    setting: str = "realizable"

    def __post_init__(self) -> None:
        if (self.hypotheses is None) == (self.vc_dimension is None):
            given = "none" if self.hypotheses is None else "both"
            raise ValueError(f"exactly one of hypotheses and vc_dimension must be given, got {given}.")
        if self.setting not in _PROMISES or (self.vc_dimension is not None and self.setting != "realizable"):
            allowed = _PROMISES if self.vc_dimension is None else ("realizable",)
            raise ValueError(f"setting must be one of {', '.join(map(repr, allowed))}, got {self.setting!r}.")

    @property
    def rows(self) -> int:
        """Training rows that suffice."""
        if self.vc_dimension is not None:
            return vc_rows(self.vc_dimension, self.error, self.confidence)
        assert self.hypotheses is not None
        return sample_size(self.hypotheses, self.error, self.confidence, self.setting)

    def bound(self, rows: int) -> Certificate:
        """What can be promised after that many training rows; for "realizable" if none of them is wrong."""
        if self.vc_dimension is not None:
            return vc_bound(0.0, rows, self.vc_dimension, self.confidence)
        assert self.hypotheses is not None
        if self.setting == "realizable":
            return finite_class_bound(0, rows, self.hypotheses, self.confidence)
        promise = uniform_convergence if self.setting == "uniform" else excess_bound
        return promise(self.hypotheses, rows, self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for machines."""
        capacity = self.vc_dimension
        return {
            "error": self.error,
            "confidence": self.confidence,
            "hypotheses": self.hypotheses,
            "vc_dimension": capacity.vc if isinstance(capacity, HypothesisClass) else capacity,
            "setting": self.setting,
            "rows": self.rows,
        }

    def __str__(self) -> str:
        promise = _PROMISES[self.setting].format(error=percent(self.error))
        return (
            f"After {count(self.rows)} training rows {promise}, with confidence {confidence_percent(self.confidence)}."
        )
