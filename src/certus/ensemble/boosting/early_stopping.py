"""Early stopping of boosting: scores after every round, and when they no longer improve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import get_scorer_names
from sklearn.utils import resample

ROWS_FOR_SCORES = 10_000


@dataclass
class Sample:
    """Rows that a model is trained or judged on."""

    X: NDArray[Any]
    y: NDArray[np.float64]
    weights: NDArray[np.float64] | None

    def take(self, rows: Any) -> Sample:
        """Some of the rows."""
        return Sample(self.X[rows], self.y[rows], None if self.weights is None else self.weights[rows])


def no_improvement(scores: list[float], patience: int, tol: float) -> bool:
    """Whether none of the last ``patience`` scores exceeds the one before them by more than ``tol``."""
    if len(scores) < patience + 1:
        return False
    reference = scores[-patience - 1] + tol
    return not any(score > reference for score in scores[-patience:])


class Judge:
    """Scores the training rows and the held-out ones after every round.

    Parameters
    ----------
    score : callable
        The score of a sample, given its raw predictions.
    samples : list of (Sample, ndarray)
        Training rows, then held-out rows if there are any, each with its raw predictions, which the boosting
        loop keeps up to date.
    rows : slice or ndarray
        Which of the training rows are scored.
    scores : list of list of float
        The scores so far of training rows and of held-out rows.
    """

    def __init__(
        self,
        score: Callable[[Sample, NDArray[np.float64]], float],
        samples: list[tuple[Sample, NDArray[np.float64]]],
        rows: Any,
        scores: tuple[list[float], list[float]],
    ) -> None:
        self._score = score
        self._samples = samples
        self._rows = rows
        self._part = samples[0][0] if isinstance(rows, slice) else samples[0][0].take(rows)
        self._scores = scores

    def stops(self, patience: int, tol: float) -> bool:
        """Score once more; True if it is time to stop."""
        raw = self._samples[0][1]
        self._scores[0].append(self._score(self._part, raw if isinstance(self._rows, slice) else raw[:, self._rows]))
        for sample, held_out in self._samples[1:]:
            self._scores[1].append(self._score(sample, held_out))
        return no_improvement(self._scores[len(self._samples) - 1], patience, tol)


def rows_for_scores(y: NDArray[np.float64], seed: int, stratify: bool) -> Any:
    """Which training rows a scorer judges: of more than 10 000 a random part, drawn once."""
    if len(y) <= ROWS_FOR_SCORES:
        return slice(None)
    groups = y if stratify else None
    return resample(np.arange(len(y)), n_samples=ROWS_FOR_SCORES, replace=False, random_state=seed, stratify=groups)


def has_known_predictions(scoring: str | Callable[..., float] | None) -> bool:
    """Whether the scorer is one of scikit-learn's, which ask for predictions of exactly the rows given."""
    return isinstance(scoring, str) and scoring in get_scorer_names()
