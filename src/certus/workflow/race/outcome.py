"""What one evaluation gives: the predictions of a candidate, trained on some rows, for validation rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Outcome:
    """Predictions for the validation rows of one division.

    Attributes
    ----------
    predictions : array or None
        Indices of classes, or numbers; None if the evaluation failed.
    probabilities : array or None
        Probability of every class, where the learner gives it.
    seconds : float
        How long it took.
    failure : str or None
        Why there are no predictions.
    """

    predictions: NDArray[Any] | None
    probabilities: NDArray[Any] | None
    seconds: float
    failure: str | None = None
