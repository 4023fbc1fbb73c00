"""Covariance of the rows of one class: empirical, shrunk, by Ledoit and Wolf, or by the user's own estimator.

Ledoit, Wolf (2004), "A well-conditioned estimator for large-dimensional covariance matrices", section 3.
"""

from __future__ import annotations

import numbers

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

Array = NDArray[np.float64]


def estimate_covariance(rows: Array, weights: Array, shrinkage: float | str | None, estimator: BaseEstimator) -> Array:
    """Covariance of centered rows; ``shrinkage`` is None, "auto" or a number from 0 to 1."""
    if estimator is not None:
        return _by_estimator(rows, weights, shrinkage, estimator)
    if shrinkage == "auto":
        scale = np.sqrt(weights @ rows**2 / weights.sum())
        scale[scale == 0.0] = 1.0
        return scale[:, np.newaxis] * ledoit_wolf(rows / scale, weights) * scale
    covariance = empirical(rows, weights)
    return shrunk(covariance, float(shrinkage)) if isinstance(shrinkage, numbers.Real) else covariance


def empirical(rows: Array, weights: Array) -> Array:
    """sum_i w_i x_i x_i' / sum_i w_i."""
    root = np.sqrt(weights)[:, np.newaxis] * rows
    return root.T @ root / weights.sum()


def shrunk(covariance: Array, share: float) -> Array:
    """(1 - share) covariance + share mu I, with mu the mean variance of the columns."""
    mean_variance = np.trace(covariance) / len(covariance)
    return (1.0 - share) * covariance + share * mean_variance * np.eye(len(covariance))


def ledoit_wolf(rows: Array, weights: Array) -> Array:
    """Shrunk by the share that minimizes the expected squared error, estimated from the same rows."""
    covariance = empirical(rows, weights)
    columns, total = rows.shape[1], weights.sum()
    if columns == 1:
        return covariance
    squares = float(np.sum(covariance**2))
    fourth = float(weights @ np.sum(rows**2, axis=1) ** 2)
    error = (fourth / total - squares) / (columns * total)
    spread = (squares - np.trace(covariance) ** 2 / columns) / columns
    error = min(error, spread)
    return shrunk(covariance, 0.0 if error <= 0.0 else error / spread)


def _by_estimator(rows: Array, weights: Array, shrinkage: float | str | None, estimator: BaseEstimator) -> Array:
    if shrinkage is not None and shrinkage != 0:
        raise ValueError(
            "covariance_estimator and shrinkage parameters are not None. Only one of the two can be set.\n"
            "Hint: drop shrinkage, or set it on the estimator."
        )
    if (weights != 1.0).any():
        raise ValueError(
            "sample_weight cannot be combined with covariance_estimator, which takes no weights.\n"
            "Hint: use shrinkage instead, or repeat rows."
        )
    estimator.fit(rows)
    if not hasattr(estimator, "covariance_"):
        raise ValueError(f"{type(estimator).__name__} does not have a covariance_ attribute")
    return np.atleast_2d(np.asarray(estimator.covariance_, dtype=np.float64))
