"""A plain NumPy twin of the search: all distances, sorted by (distance, position)."""

import numpy as np
from numpy.typing import NDArray


def reduced_distances(
    queries: NDArray, rows: NDArray, p: float = 2, weights: NDArray | None = None
) -> NDArray[np.float64]:
    size = np.abs(queries[:, None, :].astype(np.float64) - rows[None, :, :].astype(np.float64))
    if np.isinf(p):
        return size.max(axis=2)
    return (size**p * (1.0 if weights is None else weights)).sum(axis=2)


def nearest(distances: NDArray, k: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, axis=1), order
