"""First linear maps for the search of a better one: principal and discriminant directions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def principal_directions(X: NDArray[Any], count: int) -> Floats:
    """The directions in which the rows vary most, one per line."""
    centered = X - X.mean(axis=0)
    return np.asarray(np.linalg.svd(centered, full_matrices=False)[2][:count], dtype=np.float64)


def discriminant_directions(X: NDArray[Any], codes: NDArray[np.intp], count: int) -> Floats:
    """Directions in which the class means differ most, measured in deviations within the classes, one per line.

    Columns are whitened by the pooled covariance within the classes; the principal directions of the means there,
    weighted by the sizes of the classes, solve the generalized eigenproblem of between and within scatter.
    """
    sizes = np.bincount(codes).astype(np.float64)
    classes = len(sizes)
    means = np.stack([X[codes == c].mean(axis=0) for c in range(classes)])
    within = (X - means[codes]) / np.sqrt(max(1, len(X) - classes))
    _, spread, axes = np.linalg.svd(within, full_matrices=False)
    kept = spread > 1e-10 * max(spread[0], np.finfo(float).tiny)
    if not kept.any():
        return principal_directions(means, count)
    whitening = (axes[kept] / spread[kept, None]).T
    between = np.sqrt(sizes / max(1, classes - 1))[:, None] * (means - (sizes / len(X)) @ means)
    rotation = np.linalg.svd(between @ whitening, full_matrices=False)[2]
    found: Floats = (whitening @ rotation.T).T[:count]
    return found
