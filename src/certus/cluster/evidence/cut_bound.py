"""A lower bound on the normalized cut of any k parts: the sum of the k smallest eigenvalues of I - B.

A computed pair encloses some eigenvalue, not the k-th one. Let V hold k orthonormal vectors with the values
t_1 <= ... <= t_k, R = (I - B) V - V diag(t), and let x'(I - B)x >= s |x|^2 for all x orthogonal to V. Then the k
smallest eigenvalues sum to at least

    sum_i min(t_i, s) - k |R|,        and, where s > t_k, to at least        sum_i t_i - |R|_F^2 / (s - t_k).

(First: I - B differs from its diagonal blocks by R. Second: for orthonormal columns with the part S outside V,
trace >= sum t - t_k |S|^2 + s |S|^2 - 2 |S| |R|_F.) The number s comes from

- a Cholesky factor of (1 - s) I - B + 2 V V', which exists only if no other eigenvalue is below s;
- the signs of D in a factorization L D L' of the sparse (1 - s) I - B, with the measured size of what it misses;
- Lanczos' method from a random start outside V: after m steps in a space of N dimensions its largest value x for I + B
  misses the true one by more than a share e with probability at most 1.648 sqrt(N) exp(-sqrt(e) (2m - 1)).

The last one holds with a probability, the others always.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import lapack
from scipy.sparse.linalg import splu

from certus.cluster.solvers.cut_graph import Product
from certus.cluster.solvers.leading_vectors import Leading

Floats = NDArray[np.float64]
EPSILON = float(np.finfo(np.float64).eps)
STEPS = 150  # of Lanczos' method
DEFLATED = 2.0  # by how much found eigenvalues are moved up: more than the whole range needs
BLOCK = 512


@dataclass(frozen=True)
class Floor:
    """A number s, how it was found ("dense", "cholesky", "inertia", "lanczos"), and for Lanczos its largest value."""

    value: float
    method: str
    largest: float = 0.0
    steps: int = 0
    dimensions: int = 0


def rounding(rows: int) -> float:
    """What rounding may have added to one eigenvalue: of the degrees, of B, and of a backward stable solver."""
    return 32.0 * (rows + 8) * EPSILON


def least_sum(values: Floats, residual: float, floor: float, rows: int) -> float:
    """The lower bound on the sum, from the values t ascending, |R|_F and s; rounding is subtracted."""
    count = len(values)
    plain = float(np.minimum(values, floor).sum()) - count * residual
    if floor > values[-1]:
        plain = max(plain, float(values.sum()) - (residual**2 / (floor - float(values[-1])) if residual else 0.0))
    return max(0.0, plain - count * rounding(rows))


def exact_floor(matrix: Any, leading: Leading) -> Floor | None:
    """The number s, proved; a dense matrix is overwritten. None if an eigenvalue was missed."""
    if leading.complete:
        return Floor(math.inf, "dense")
    values = 1.0 - leading.values
    residual, last = float(np.linalg.norm(leading.residuals)), float(values[-1])
    between = 0.5 * (last + 1.0 - leading.beyond)
    below = last - 10.0 * residual - 100.0 * rounding(matrix.shape[0])
    if sparse.issparse(matrix):
        return _by_signs(matrix, values, residual, between) or _by_signs(matrix, values, residual, below)
    return _by_cholesky(matrix, leading.vectors, between) or _by_cholesky(matrix, leading.vectors, below)


def _by_cholesky(matrix: Floats, vectors: Floats, s: float) -> Floor | None:
    rows = len(matrix)
    shifted = np.empty_like(matrix)
    for first in range(0, rows, BLOCK):
        part = slice(first, first + BLOCK)
        np.matmul(DEFLATED * vectors[part], vectors.T, out=shifted[part])
        shifted[part] -= matrix[part]
    shifted[np.diag_indices(rows)] += 1.0 - s
    trace = float(np.trace(shifted))
    _, failed = lapack.dpotrf(shifted.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        return None
    # Success proves that no eigenvalue is below minus this (Rump 2006); four times, for any order of the sums.
    error = 4.0 * (rows + 2) * EPSILON * trace + rounding(rows)
    return Floor(s - error, "cholesky")


def _by_signs(matrix: Any, values: Floats, residual: float, s: float) -> Floor | None:
    below = values[values < s]
    nearest = float(np.abs(values - s).min())
    if nearest <= residual or not nearest:
        return None
    shifted = sparse.csc_array((1.0 - s) * sparse.eye_array(matrix.shape[0]) - matrix)
    factors = splu(
        shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True, "Equil": False}
    )
    if not np.array_equal(factors.perm_r, factors.perm_c):
        return None
    diagonal, lower = factors.U.diagonal(), sparse.csr_array(factors.L)
    if np.count_nonzero(diagonal < 0.0) != len(below) or not diagonal.all():
        return None
    order = np.argsort(factors.perm_c)
    missed = lower @ sparse.diags_array(diagonal) @ lower.T - sparse.csr_array(shifted)[order][:, order]
    sizes = abs(lower) @ (np.abs(diagonal) * (abs(lower).T @ np.ones(len(diagonal))))
    error = float(abs(missed).sum(axis=1).max()) + 2.0 * (matrix.shape[0] + 2) * EPSILON * float(sizes.max())
    # Schur's complement of the found values is positive: outside of V, x'(I - B)x >= (s - |R|^2 / distance) |x|^2.
    return Floor(s - error - residual**2 / (nearest - residual), "inertia")


def lanczos_floor(largest: float, steps: int, dimensions: int, failure: float) -> float:
    """The number s that holds with probability 1 - failure."""
    share = (math.log(1.648 * math.sqrt(dimensions) / failure) / (2.0 * steps - 1.0)) ** 2
    return 2.0 - largest / (1.0 - share) if share < 1.0 else -math.inf


def probable_floor(
    matrix: Any, vectors: Floats, failure: float, rng: np.random.Generator, threads: int, steps: int = STEPS
) -> Floor:
    """The number s by Lanczos' method for I + B outside the vectors, every new vector orthogonal to all before."""
    product, rows = Product(matrix, threads), matrix.shape[0]
    dimensions = rows - vectors.shape[1]
    steps = min(steps, dimensions)
    basis = np.empty((rows, vectors.shape[1] + steps + 1))
    basis[:, : vectors.shape[1]] = vectors
    used = vectors.shape[1]
    diagonal, beside = np.zeros(steps), np.zeros(steps)
    vector = rng.standard_normal(rows)
    for step in range(steps):
        for _ in range(2):
            vector = vector - basis[:, :used] @ (basis[:, :used].T @ vector)
        length = float(np.linalg.norm(vector))
        if step:
            beside[step - 1] = length
            if length < 1e-12:  # the space is invariant: its values are exact
                steps = step
                break
        basis[:, used] = vector / length
        vector = basis[:, used] + product(basis[:, used : used + 1])[:, 0]
        diagonal[step] = float(basis[:, used] @ vector)
        used += 1
    tridiagonal = np.diag(diagonal[:steps]) + np.diag(beside[: steps - 1], 1) + np.diag(beside[: steps - 1], -1)
    largest = float(np.linalg.eigvalsh(tridiagonal)[-1]) + rounding(rows)
    return Floor(lanczos_floor(largest, steps, dimensions, failure), "lanczos", largest, steps, dimensions)
