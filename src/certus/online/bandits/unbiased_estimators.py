"""Estimators that are right on average: the German tank, and losses weighted by importance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def german_tank(numbers: ArrayLike) -> float:
    """The unbiased estimate of n from numbers drawn without replacement from 1..n: m (1 + 1/k) - 1, m the largest of k.

    One number X gives 2X - 1; the likeliest n, X itself, has the mean (n + 1)/2.

    Parameters
    ----------
    numbers : array-like of int
        What was drawn.

    Returns
    -------
    float

    Examples
    --------
    >>> german_tank([7]), german_tank([19, 40, 42, 60])
    (13.0, 74.0)
    """
    drawn = np.atleast_1d(np.asarray(numbers))
    if drawn.ndim != 1 or not len(drawn) or drawn.dtype.kind not in "iu" or drawn.min() < 1:
        raise ValueError(f"numbers must be whole numbers from 1 on, got {numbers!r:.80}.")
    if len(np.unique(drawn)) != len(drawn):
        raise ValueError("numbers must be different.\nHint: they are drawn without replacement.")
    largest = int(drawn.max())
    return largest * (1.0 + 1.0 / len(drawn)) - 1.0


def importance_weighted(loss: float, arm: int, probabilities: ArrayLike) -> Floats:
    """The loss vector that the arm which was drawn stands for: l/v of that arm, 0 elsewhere; its mean is the true one.

    Parameters
    ----------
    loss : float
        The loss of the arm that was drawn.
    arm : int
        Its place.
    probabilities : array-like of shape (n_arms,)
        With what probability every arm would have been drawn.

    Returns
    -------
    ndarray of shape (n_arms,)

    Examples
    --------
    >>> importance_weighted(0.5, 1, [0.75, 0.25])
    array([0., 2.])
    """
    chances = np.asarray(probabilities, dtype=np.float64)
    if chances.ndim != 1 or not 0 <= arm < len(chances) or not chances[arm] > 0.0:
        raise ValueError(f"arm must be a place with a positive probability, got {arm!r}.")
    found = np.zeros(len(chances))
    found[arm] = loss / chances[arm]
    return found
