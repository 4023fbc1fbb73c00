"""Where the error comes from: noise, a class that is too small, or rows that are too few."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from certus.theory.bayes_risk import bayes_predictor, check_joint
from certus.theory.text import aligned


@dataclass(frozen=True)
class ErrorDecomposition:
    """The error of the empirical winner of a finite class, split up.

    Parameters
    ----------
    bayes : float
        Error of the best predictor of all.
    approximation : float
        What the best of the class adds.
    estimation : float
        What picking by training error adds.
    deviation : float
        Largest gap between training and true error in the class; estimation is at most twice that.
    picked : int
        The hypothesis with the fewest training errors, the first of equals.
    """

    bayes: float
    approximation: float
    estimation: float
    deviation: float
    picked: int

    @property
    def error(self) -> float:
        """True error of the picked hypothesis."""
        return self.bayes + self.approximation + self.estimation

    def __str__(self) -> str:
        return aligned(
            ["Bayes", "approximation", "estimation", "error", "largest deviation"],
            [[self.bayes, self.approximation, self.estimation, self.error, self.deviation]],
        )


def decompose_error(joint: ArrayLike, hypotheses: ArrayLike, sample: ArrayLike) -> ErrorDecomposition:
    """Split the true error of the hypothesis that errs least on a sample, for a known finite distribution.

    error = Bayes error + (best of the class - Bayes error) + (picked - best of the class).

    Parameters
    ----------
    joint : array-like of shape (points, classes)
        P(x, y).
    hypotheses : array-like of shape (hypotheses, points)
        The class that every hypothesis gives every point.
    sample : array-like of shape (rows, 2)
        Rows of (number of the point, class).

    Examples
    --------
    >>> joint = [[0.4, 0.1], [0.1, 0.4]]
    >>> found = decompose_error(joint, [[0, 0], [1, 1]], [[0, 0], [1, 1], [0, 0]])
    >>> round(found.bayes, 10), round(found.approximation, 10), round(found.estimation, 10)
    (0.2, 0.3, 0.0)
    """
    table, predicted = check_joint(joint), np.asarray(hypotheses)
    rows = np.asarray(sample)
    points = np.arange(len(table))
    if predicted.ndim != 2 or predicted.shape[1] != len(table) or not np.isin(predicted, range(table.shape[1])).all():
        raise ValueError(f"hypotheses must be a (hypotheses, {len(table)}) table of classes, got {predicted.shape}.")
    if rows.ndim != 2 or rows.shape[1:] != (2,) or len(rows) == 0 or not np.isin(rows[:, 0], points).all():
        raise ValueError(f"sample must be a non-empty table of (point, class) rows, got shape {rows.shape}.")
    predicted, rows = predicted.astype(np.int64), rows.astype(np.int64)
    true = 1.0 - table[points[None, :], predicted].sum(axis=1)
    trained = np.mean(predicted[:, rows[:, 0]] != rows[:, 1], axis=1)
    picked, best = int(trained.argmin()), float(true.min())
    bayes = bayes_predictor(table).risk
    deviation = float(np.abs(trained - true).max())
    return ErrorDecomposition(bayes, best - bayes, float(true[picked]) - best, deviation, picked)
