"""The one place of this family that calls compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import _native
from certus.base import resolve_threads

Floats = NDArray[np.float64]


def add_class_moments(
    X: NDArray[Any], codes: NDArray[Any], weights: Floats | None, count: Floats, mean: Floats, m2: Floats
) -> None:
    """Add rows to the weight, mean and sum of squared deviations of their classes, in place."""
    codes = np.ascontiguousarray(codes, dtype=np.int64)
    _native.add_class_moments(X, codes, np.empty(0) if weights is None else weights, count, mean, m2, _threads(X))


def gaussian_log_joint(X: NDArray[Any], mean: Floats, precision: Floats, constant: Floats) -> Floats:
    """``constant_c - 1/2 sum_j (x_ij - mean_cj)^2 precision_cj`` for every row i and class c."""
    out = np.empty((X.shape[0], mean.shape[0]))
    _native.gaussian_log_joint(X, mean, precision, constant, out, _threads(X))
    return out


def _threads(X: NDArray[Any]) -> int:
    """One thread for small tables: waking a second one would cost more than the work."""
    return resolve_threads() if X.size > 50_000 else 1
