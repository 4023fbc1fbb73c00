"""Distances that users bring: neither negative nor different in the two directions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_distances(matrix: NDArray[np.float64]) -> None:
    """Refuse a square matrix that cannot hold distances."""
    if (matrix < 0.0).any():
        raise ValueError("X must hold no negative distance for metric='precomputed'.")
    check_both_directions(matrix, "X", "metric='precomputed'")


def check_both_directions(matrix: NDArray[np.float64], name: str, given: str) -> None:
    """Refuse distances that depend on which of two rows comes first."""
    unequal = np.argwhere(np.abs(matrix - matrix.T) > 1e-9 * (np.abs(matrix) + np.abs(matrix.T)))
    if len(unequal):
        row, column = (int(place) for place in unequal[0])
        raise ValueError(
            f"{name} must be symmetric for {given}, got different distances between rows {row} and {column}.\n"
            f"Hint: {'(X + X.T) / 2 is' if name == 'X' else 'the mean of d(a, b) and d(b, a) is'}, if both directions "
            "count alike."
        )


def check_computed(distances: NDArray[np.float64], metric: Any) -> None:
    """Refuse values of a user's function that cannot be distances."""
    if callable(metric) and not ((distances >= 0.0) & (distances < np.inf)).all():
        value = float(distances[~((distances >= 0.0) & (distances < np.inf))][0])
        raise ValueError(f"metric must give finite numbers >= 0 for every two rows, got {value:g}.")
