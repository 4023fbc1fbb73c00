"""How much each neighbor counts in a prediction (parameter ``weights``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def is_uniform(weights: NDArray[Any] | None) -> bool:
    """Whether all neighbors count alike, so that their distances are not needed."""
    return weights is None or (isinstance(weights, str) and weights == "uniform")


def neighbor_weights(
    weights: NDArray[Any] | None, distances: Floats, present: NDArray[np.bool_] | None = None
) -> Floats:
    """The neighbors' weights where they are not uniform. At least one of those present per query is not zero."""
    if callable(weights):
        found = _from_function(weights, distances)
    else:
        found = _inverse(distances if present is None else np.where(present, distances, np.inf))
    counts = (found != 0 if present is None else (found != 0) & present).any(axis=1)
    if not counts.all():
        raise ValueError(
            f"All neighbors of row {int(np.argmin(counts))} of X have the weight 0.\n"
            "Hint: let the function given as 'weights' return a positive weight for at least one neighbor."
        )
    return found


def _from_function(function: Any, distances: Floats) -> Floats:
    found = np.ascontiguousarray(function(distances), dtype=np.float64)
    if found.shape != distances.shape:
        raise ValueError(
            "The function given as 'weights' must return an array of the same shape as the distances, "
            f"{distances.shape}, got {found.shape}."
        )
    return found


def _inverse(distances: Floats) -> Floats:
    """1 / distance; where neighbors are at distance zero, they alone count."""
    with np.errstate(divide="ignore", over="ignore"):
        weights = 1.0 / distances
    exact = np.isinf(weights)
    rows = exact.any(axis=1)
    weights[rows] = exact[rows]
    return weights
