"""Distances that users bring: neither negative nor different in the two directions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def check_distances(matrix: NDArray[np.float64]) -> None:
    """Refuse a square matrix that cannot hold distances."""
    if (matrix < 0.0).any():
        raise ValueError("X must hold no negative distance for metric='precomputed'.")
    unequal = np.argwhere(np.abs(matrix - matrix.T) > 1e-9 * (np.abs(matrix) + np.abs(matrix.T)))
    if len(unequal):
        row, column = (int(place) for place in unequal[0])
        raise ValueError(
            "X must be symmetric for metric='precomputed', got different distances between rows "
            f"{row} and {column}.\nHint: (X + X.T) / 2 is, if both directions count alike."
        )
