"""Log-densities of Gaussians, with missing cells integrated out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from certus.graphical import _native_calls
from certus.graphical.sequences.observed_rows import ObservedRows

Floats = NDArray[np.float64]
KINDS = ("spherical", "diag", "full", "tied")
LOG_2_PI = float(np.log(2.0 * np.pi))


def log_densities(rows: ObservedRows, means: Floats, spread: Floats) -> Floats:
    """Log N(row; mean, covariance) for every row and component.

    Parameters
    ----------
    rows : ObservedRows
        Rows.
    means : array of shape (components, d)
        Means.
    spread : array of shape (components, d) or (components, d, d)
        Variances of independent columns, or covariances.
    """
    if spread.ndim == 2:
        found = _native_calls.diagonal_densities(rows.values, means, spread)
    else:
        found = _native_calls.full_densities(rows.values, means, *_whitening(spread))
    for mask, places in rows.patterns:
        there = ~mask
        part = spread[:, there] if spread.ndim == 2 else spread[:, there][:, :, there]
        seen = ObservedRows(np.ascontiguousarray(rows.values[places][:, there]))
        found[places] = log_densities(seen, means[:, there], part)
    found[rows.absent] = 0.0
    return found


def _whitening(covariances: Floats) -> tuple[Floats, Floats]:
    """Inverse Cholesky factors, and the logarithm of the constant of the density."""
    factors = np.linalg.cholesky(covariances)
    width = covariances.shape[-1]
    inverse = np.array([solve_triangular(factor, np.eye(width), lower=True) for factor in factors])
    diagonals = np.diagonal(factors, axis1=1, axis2=2)
    return inverse, -0.5 * width * LOG_2_PI - np.log(diagonals).sum(axis=1)


def check_covariances(values: Any, name: str, shape: tuple[int, ...], *, matrices: bool) -> Floats:
    """Variances, or symmetric and positive definite matrices, of this shape; the error names the place."""
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers, got {values!r}.") from error
    if found.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, got {found.shape}.")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite, got {found[~np.isfinite(found)][0]}.")
    if not matrices:
        if not (found > 0.0).all():
            raise ValueError(f"{name} must hold positive variances, got {found.min():g}.")
        return found
    for place in np.ndindex(*shape[:-2]):
        matrix = found[place]
        where = f" in component {', '.join(map(str, place))}" if place else ""
        if not np.allclose(matrix, matrix.T, rtol=1e-5, atol=1e-8 * np.abs(matrix).max()):
            raise ValueError(f"{name} must be symmetric, got a matrix that is not{where}.")
        least = float(np.linalg.eigvalsh(matrix)[0])
        if least <= 0.0:
            raise ValueError(
                f"{name} must be positive definite, got the eigenvalue {least:g}{where}.\n"
                "Hint: add a small multiple of the identity."
            )
    return found
