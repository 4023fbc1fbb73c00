"""What one evaluation gives: the answers of a candidate, trained on some rows, for validation rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Outcome:
    """Answers for the validation rows of one division.

    Attributes
    ----------
    answers : array or None
        Class positions, or numbers; None if the evaluation failed.
    shares : array or None
        Probability of every class, where the learner gives it.
    seconds : float
        How long it took.
    failure : str or None
        Why there are no answers.
    """

    answers: NDArray[Any] | None
    shares: NDArray[Any] | None
    seconds: float
    failure: str | None = None
