"""Double descent: the test error of the smallest interpolating model falls again beyond the interpolation peak.

Belkin, Hsu, Ma, Mandal, Reconciling modern machine-learning practice and the bias-variance trade-off (2019).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from certus.base import blas_on_one_thread
from certus.guarantees.records import check_count
from certus.theory.text import aligned


@dataclass(frozen=True)
class DoubleDescent:
    """Errors of least squares on a growing number of random features.

    Parameters
    ----------
    features : ndarray of shape (sizes,)
        Number of random features.
    train, test : ndarray of shape (sizes,)
        Mean square training error, and test error against the noiseless target, medians over the repeats.
    norm : ndarray of shape (sizes,)
        Median length of the coefficients.
    threshold : int
        Number of training rows: from here on the training rows are interpolated.
    """

    features: np.ndarray
    train: np.ndarray
    test: np.ndarray
    norm: np.ndarray
    threshold: int

    @property
    def peak(self) -> int:
        """Number of features with the largest test error."""
        return int(self.features[int(self.test.argmax())])

    def __str__(self) -> str:
        columns = zip(*(c.tolist() for c in (self.features, self.train, self.test, self.norm)), strict=True)
        return aligned(["features", "train error", "test error", "norm"], columns)


def double_descent(
    features: Sequence[int] = (5, 10, 20, 30, 36, 40, 44, 60, 100, 400, 1600),
    *,
    rows: int = 40,
    inputs: int = 4,
    deviation: float = 0.2,
    repeats: int = 15,
    seed: int = 0,
) -> DoubleDescent:
    """Fit the least squares solution of smallest norm on random ReLU features of a noisy sample.

    Parameters
    ----------
    features : sequence of int
        Numbers of features to try.
    rows : int, default=40
        Training rows; the peak is where features = rows.
    inputs : int, default=4
        Dimension of the rows.
    deviation : float, default=0.2
        Standard deviation of the noise in the labels.
    repeats : int, default=15
        Samples and sets of features to take the median over.
    seed : int, default=0
        Seed of everything drawn.

    Examples
    --------
    >>> curve = double_descent((10, 40, 800), repeats=9)
    >>> curve.peak, bool(curve.test[-1] < curve.test[0])
    (40, True)
    """
    sizes = [check_count(size, "features", minimum=1) for size in features]
    n, d = check_count(rows, "rows", minimum=2), check_count(inputs, "inputs", minimum=1)
    rng = np.random.default_rng(check_count(seed, "seed"))
    found = np.empty((check_count(repeats, "repeats", minimum=1), len(sizes), 3))
    with blas_on_one_thread():
        for r in range(len(found)):
            x, new = rng.normal(size=(n, d)), rng.normal(size=(500, d))
            noise = deviation * rng.normal(size=n)
            weights = rng.normal(size=(max(sizes), d + 1))
            for j, size in enumerate(sizes):
                found[r, j] = _errors(x, new, noise, weights[:size])
    train, test, norm = np.median(found, axis=0).T
    return DoubleDescent(np.array(sizes), train, test, norm, n)


def _target(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.sin(x.sum(axis=1)))


def _errors(x: np.ndarray, new: np.ndarray, noise: np.ndarray, weights: np.ndarray) -> tuple[float, float, float]:
    def features(rows: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, np.c_[rows, np.ones(len(rows))] @ weights.T) / np.sqrt(len(weights))

    y = _target(x) + noise
    coefficients = np.linalg.lstsq(features(x), y, rcond=None)[0]
    train = float(np.mean((features(x) @ coefficients - y) ** 2))
    test = float(np.mean((features(new) @ coefficients - _target(new)) ** 2))
    return train, test, float(np.linalg.norm(coefficients))
