"""Probably approximately correct, as an experiment: how the error of one simple learner is distributed.

The learner is the class-mean (Parzen window) classifier: sign(w.x - b), w the difference of the class means, b such
that the boundary bisects the segment between them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from certus.guarantees.records import check_confidence, check_count
from certus.theory.text import aligned

SHARES = (0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.04, 0.03, 0.02, 0.01)


@dataclass(frozen=True)
class ErrorDistribution:
    """Errors of repeated training, for every training size.

    Parameters
    ----------
    sizes : tuple of int
        Training rows.
    errors : ndarray of shape (sizes, repeats)
        Error after every training.
    confidence : float
        Level of `tail`.
    """

    sizes: tuple[int, ...]
    errors: np.ndarray
    confidence: float

    @property
    def mean(self) -> np.ndarray:
        """Expected error for every size."""
        return np.asarray(self.errors.mean(axis=1))

    @property
    def tail(self) -> np.ndarray:
        """Error that is not exceeded with the confidence, for every size."""
        return np.asarray(np.quantile(self.errors, self.confidence, axis=1, method="higher"))

    def histogram(self, bins: int = 20) -> tuple[np.ndarray, np.ndarray]:
        """Counts of shape (sizes, bins) and the edges of equal bins from 0 to the largest error."""
        edges = np.linspace(0.0, max(float(self.errors.max()), 1e-12), check_count(bins, "bins", minimum=1) + 1)
        return np.array([np.histogram(row, edges)[0] for row in self.errors]), edges

    def __str__(self) -> str:
        rows = zip(self.sizes, self.mean.tolist(), self.tail.tolist(), strict=True)
        return aligned(["rows", "mean error", f"{self.confidence:g} quantile"], rows)


def class_means(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Direction and threshold of the class-mean classifier for labels 0 and 1; a missing class is never predicted.

    Examples
    --------
    >>> class_means(np.array([[0.0], [2.0]]), np.array([0, 1]))
    (array([2.]), 2.0)
    """
    if y.all() or not y.any():
        return np.zeros(X.shape[1]), -1.0 if y.all() else 1.0
    up, down = X[y == 1].mean(axis=0), X[y == 0].mean(axis=0)
    return up - down, float(up @ up - down @ down) / 2.0


def pac_experiment(
    X: ArrayLike,
    y: ArrayLike,
    sizes: Sequence[int] | None = None,
    *,
    repeats: int = 200,
    confidence: float = 0.95,
    seed: int = 0,
) -> ErrorDistribution:
    """Train the class-mean classifier on random parts of a table and measure its error on the rest.

    Parameters
    ----------
    X : array-like of shape (rows, features)
        The table.
    y : array-like of shape (rows,)
        Two classes.
    sizes : sequence of int, optional
        Training sizes; by default 50, 40, 30, 20, 10, 5, 4, 3, 2 and 1 percent of the rows.
    repeats : int, default=200
        Random splits per size.
    confidence : float, default=0.95
        Level of the tail.
    seed : int, default=0
        Seed of the splits.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(600) % 2
    >>> found = pac_experiment(rng.normal(size=(600, 5)) + y[:, None], y)
    >>> mean, tail = found.mean, found.tail
    >>> bool(tail[-1] - tail[0] > mean[-1] - mean[0])  # the tail moves more than the mean
    True
    """
    table, given = np.asarray(X, dtype=np.float64), np.asarray(y)
    classes = np.unique(given)
    if table.ndim != 2 or given.shape != (len(table),) or not np.isfinite(table).all():
        raise ValueError(f"X must be a finite table with one label per row, got {table.shape} and {given.shape}.")
    if len(classes) != 2:
        raise ValueError(f"y must have two classes, got {len(classes)}.")
    labels = (given == classes[1]).astype(np.int64)
    chosen = [max(1, round(len(table) * share)) for share in SHARES] if sizes is None else list(sizes)
    for size in chosen:
        if check_count(size, "sizes", minimum=1) >= len(table):
            raise ValueError(f"sizes must be below the number of rows ({len(table)}), got {size}.")
    rng = np.random.default_rng(check_count(seed, "seed"))
    errors = np.empty((len(chosen), check_count(repeats, "repeats", minimum=1)))
    for i, size in enumerate(chosen):
        for r in range(errors.shape[1]):
            order = rng.permutation(len(table))
            w, b = class_means(table[order[:size]], labels[order[:size]])
            predicted = table[order[size:]] @ w > b
            errors[i, r] = np.mean(predicted != labels[order[size:]])
    return ErrorDistribution(tuple(int(size) for size in chosen), errors, check_confidence(confidence))


def gaussian_pac_experiment(
    distance: float,
    features: int,
    sizes: Sequence[int],
    *,
    repeats: int = 200,
    confidence: float = 0.95,
    seed: int = 0,
) -> ErrorDistribution:
    """The same with two standard normal classes, `distance` apart: the true error of every training, exactly.

    Examples
    --------
    >>> found = gaussian_pac_experiment(2.0, 5, (10, 1000))
    >>> np.round(found.mean, 2).tolist(), round(float(special.ndtr(-1.0)), 2)
    ([0.23, 0.16], 0.16)
    """
    d, rng = check_count(features, "features", minimum=1), np.random.default_rng(check_count(seed, "seed"))
    if not 0.0 < distance < np.inf:
        raise ValueError(f"distance must be a finite number greater than 0, got {distance!r}.")
    centers = np.zeros((2, d))
    centers[:, 0] = (-distance / 2.0, distance / 2.0)
    chosen = [check_count(size, "sizes", minimum=1) for size in sizes]
    errors = np.empty((len(chosen), check_count(repeats, "repeats", minimum=1)))
    for i, size in enumerate(chosen):
        for r in range(errors.shape[1]):
            labels = rng.integers(0, 2, size)
            w, b = class_means(rng.normal(size=(size, d)) + centers[labels], labels)
            length = float(np.linalg.norm(w))
            if length == 0.0:
                errors[i, r] = 0.5
            else:
                tails = special.ndtr(np.array([centers[0] @ w - b, b - centers[1] @ w]) / length)
                errors[i, r] = tails.mean()
    return ErrorDistribution(tuple(chosen), errors, check_confidence(confidence))


def chance_to_miss(share: float, rows: int) -> float:
    """Chance (1 - share)^rows that a sample misses a part of the distribution, the reason for "probably".

    Examples
    --------
    >>> round(chance_to_miss(0.1, 30), 4)
    0.0424
    """
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"share must lie between 0 and 1, got {share!r}.")
    return float((1.0 - share) ** check_count(rows, "rows"))


def hard_distribution_error(vc: int, error: float, rows: int) -> float:
    """Average error that no learner beats on the hardest distribution of a class of that VC dimension.

    One point has the mass 1 - 4 e, the other vc - 1 points share 4 e and are labeled by coins: 2 e times the chance
    that a light point is not seen. With fewer than (vc - 1)/(8 e) rows it is above e.

    Examples
    --------
    >>> hard_distribution_error(21, 0.05, 49) > 0.05
    True
    """
    d, m = check_count(vc, "vc", minimum=2), check_count(rows, "rows")
    if not 0.0 < error <= 0.25:
        raise ValueError(f"error must lie between 0 and 1/4, got {error!r}.")
    return 2.0 * error * chance_to_miss(4.0 * error / (d - 1), m)
