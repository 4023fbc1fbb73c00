"""What is measured of given directions V of A, from which bounds on all directions follow.

With C = A'A and orthonormal columns V: T = V'CV, the part E = CV - VT of CV outside V, and a number s that no
eigenvalue of C on the directions orthogonal to V exceeds. Such a number is proved by a Cholesky factorization of

    s I - (I - VV') C (I - VV')          or, where AA' is smaller, of          s I - (AA' - AV V'A')

which has the same eigenvalues but for zeros, and which exists only for s above all of them (inertia). Where both sides
are longer than 2000, s is the trace of what V leaves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh, lapack
from scipy.sparse.linalg import eigsh

from certus.components.solvers.leading_spectrum import LeadingSpectrum
from certus.components.solvers.row_products import RowProducts

Floats = NDArray[np.float64]
EPSILON = float(np.finfo(np.float64).eps)
PROVED = 2000  # the longest smaller side for which s is proved by a factorization
DENSE = 64  # size up to which all eigenvalues cost less than an iteration
MARGINS = (1e-12, 1e-9, 1e-6, 1e-3, 1e-1)  # by which s is tried above the estimated eigenvalue


@dataclass(frozen=True)
class RitzMeasures:
    """Measured numbers, in units of the scaled table; ``residuals`` has |C v_i - t_i v_i| of every direction."""

    values: Floats
    residuals: Floats
    outside: float
    coupling: float
    rest: float
    trace: float
    rounding: float
    way: str


def measure(products: RowProducts, spectrum: LeadingSpectrum) -> RitzMeasures:
    """The numbers for the vectors of a spectrum."""
    blocks = -(-products.rows // products.step)
    sums = min(products.step, products.rows) + blocks + products.smaller
    small = spectrum.small
    if small is None and products.smaller <= PROVED:
        small = products.gram() if products.rows < products.columns else products.scatter()
    if small is not None and products.rows >= products.columns:
        return measure_scatter(small, spectrum, sums)
    directions = spectrum.vectors.T
    reached = products.times(directions)
    proved = small is not None and directions.shape[1] < products.smaller
    rest = small - reached @ reached.T if small is not None and proved else None
    return _measured(spectrum, products.transposed_times(reached), rest, sums)


def measure_scatter(scatter: Floats, spectrum: LeadingSpectrum, sums: int) -> RitzMeasures:
    """The same where C itself is known, as sums in double of this length."""
    directions = spectrum.vectors.T
    images = scatter @ directions
    if directions.shape[1] >= len(scatter) or len(scatter) > PROVED:
        return _measured(spectrum, images, None, sums)
    half = images - 0.5 * directions @ (directions.T @ images)
    return _measured(spectrum, images, scatter - directions @ half.T - half @ directions.T, sums)


def _measured(spectrum: LeadingSpectrum, images: Floats, rest: Floats | None, sums: int) -> RitzMeasures:
    """From the directions V, the images CV, and the matrix whose eigenvalues are those of the rest, if it is known."""
    directions = spectrum.vectors.T
    count = directions.shape[1]
    inner = directions.T @ images
    inner = (inner + inner.T) / 2.0
    values, trace = np.diag(inner).copy(), spectrum.trace
    skew = float(np.linalg.norm(directions.T @ directions - np.eye(count)))
    rounding = (8.0 * EPSILON * sums + 3.0 * skew) * trace  # of sums in blocks, and of V'V = I
    if count >= len(directions):
        bound, way = rounding, "complete"
    elif rest is None:
        bound, way = max(0.0, trace - float(values.sum())) + rounding, "trace"
    else:
        estimate = float(spectrum.values[count]) if len(spectrum.values) > count else None
        bound, way = _largest(rest, estimate, rounding)
    return RitzMeasures(
        values=values,
        residuals=np.linalg.norm(images - directions * values, axis=0),
        outside=float(np.linalg.norm(images - directions @ inner)),
        coupling=float(np.linalg.norm(inner - np.diag(values))),
        rest=bound,
        trace=trace,
        rounding=rounding,
        way=way,
    )


def _largest(matrix: Floats, estimate: float | None, rounding: float) -> tuple[float, str]:
    """A number that no eigenvalue of a semidefinite matrix exceeds, by Cholesky if it succeeds, else the trace."""
    size = len(matrix)
    if estimate is None:
        estimate = _estimated(matrix)
    for margin in MARGINS:
        tried = max(0.0, estimate) * (1.0 + margin) + 4.0 * rounding
        shifted = -matrix
        shifted[np.diag_indices(size)] += tried
        if lapack.dpotrf(shifted.T, lower=1, overwrite_a=1)[1] == 0:
            # A factorization that ends proves that no eigenvalue of the shifted matrix is below this much. Rump (2006).
            return tried * (1.0 + 2.0 * EPSILON * (size + 3) * size) + rounding, "cholesky"
    return float(np.trace(matrix)) + rounding, "trace"


def _estimated(matrix: Floats) -> float:
    size = len(matrix)
    if size <= DENSE or not matrix.any():
        return float(eigvalsh(matrix, subset_by_index=(size - 1, size - 1), check_finite=False)[0])
    start = np.random.default_rng(0).standard_normal(size)
    return float(eigsh(matrix, 1, which="LA", v0=start, tol=1e-8, return_eigenvectors=False)[0])
