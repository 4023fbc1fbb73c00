"""The caller of the native kernels of smooth losses and cross-validated ridge: allocates the outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import _native

Array = NDArray[np.float64]


def ridge_leverages(
    X: NDArray[Any], shift: Array, vectors: Array, damping: Array, directions: Array, threads: int
) -> tuple[Array, Array]:
    """Leverages (rows x penalties) and fitted values (rows x columns of directions)."""
    leverages = np.empty((X.shape[0], damping.shape[1]))
    fitted = np.empty((X.shape[0], directions.shape[1]))
    vectors, damping, directions = (np.ascontiguousarray(part) for part in (vectors, damping, directions))
    _native.ridge_leverages(X, shift, vectors, damping, directions, threads, leverages, fitted)
    return leverages, fitted
