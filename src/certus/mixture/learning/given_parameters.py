"""Parameters of a mixture that users give: weights, means, precisions or covariances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from certus.mixture.learning.gaussians import Gaussians, covariance_shape, has_matrices

Floats = NDArray[np.float64]


def checked_values(values: Any, shape: tuple[int, ...], name: str, *, positive: bool = False) -> Floats:
    """Finite numbers of a shape."""
    array = np.array(
        check_array(values, dtype=np.float64, ensure_2d=False, allow_nd=True, input_name=name), dtype=np.float64
    )
    if array.shape != shape:
        raise ValueError(f"The parameter '{name}' should have the shape of {shape}, but got {array.shape}")
    if positive and not (array > 0.0).all():
        raise ValueError(f"The parameter '{name}' should be positive, but got {values!r}")
    return array


def checked_weights(values: Any, components: int) -> Floats:
    """Weights that are probabilities."""
    weights = checked_values(values, (components,), "weights")
    if (weights < 0.0).any() or (weights > 1.0).any():
        raise ValueError(
            "The parameter 'weights' should be in the range [0, 1], but got max value "
            f"{weights.min():.5f}, min value {weights.max():.5f}"
        )
    if abs(1.0 - weights.sum()) > 1e-6:  # single precision is allowed
        raise ValueError(f"The parameter 'weights' should be normalized, but got sum(weights) = {weights.sum():.5f}")
    return weights


def checked_means(values: Any, components: int, columns: int) -> Floats:
    """Means of the right shape."""
    return checked_values(values, (components, columns), "means")


def checked_matrices(values: Any, kind: str, components: int, columns: int, name: str) -> Floats:
    """Covariances or precisions that are positive definite."""
    array = checked_values(values, covariance_shape(kind, components, columns), f"{kind} {name}")
    if not has_matrices(kind):
        if not (array > 0.0).all():
            raise ValueError(f"'{kind} {name}' should be positive")
        return array
    mirrored = np.swapaxes(array, -1, -2)
    symmetric = np.allclose(array, mirrored)
    if not symmetric or not (np.linalg.eigvalsh((array + mirrored) / 2.0) > 0.0).all():
        raise ValueError(f"'{kind} {name}' should be symmetric, positive-definite")
    return np.asarray((array + mirrored) / 2.0)


def with_given(
    start: Gaussians | None, kind: str, weights: Floats | None, means: Floats | None, precisions: Floats | None
) -> Gaussians:
    """A start in which some (without a start: all) parameters are replaced by given ones."""
    covariances: Floats | None = None
    if precisions is not None:
        inverse = np.asarray(np.linalg.inv(precisions) if has_matrices(kind) else 1.0 / precisions, dtype=np.float64)
        covariances = (inverse + np.swapaxes(inverse, -1, -2)) / 2.0 if has_matrices(kind) else inverse
    if start is not None:
        weights = start.weights if weights is None else weights
        means = start.means if means is None else means
        covariances = start.covariances if covariances is None else covariances
    assert weights is not None
    assert means is not None
    assert covariances is not None
    return Gaussians(kind, weights, means, covariances)
