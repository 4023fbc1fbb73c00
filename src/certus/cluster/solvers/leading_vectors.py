"""The largest eigenvalues of a symmetric matrix with eigenvalues of at most 1 and their vectors.

Few rows: a dense solve. More: a block of random vectors is multiplied again and again, and in the space of all products
the best approximations are kept (block Krylov with thick restarts: the next block is what is left of the last one).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh, qr

from certus.cluster.solvers.cut_graph import Product

Floats = NDArray[np.float64]
DENSE_SOLVE = 1_000  # rows
SPARE = 8  # vectors of a block beyond those that are wanted
WIDEST = 24  # blocks held at a time
MOST_BLOCKS = 400


@dataclass(frozen=True)
class Leading:
    """Eigenvalues, descending, their orthonormal vectors, the lengths of B v - value v, and whether all were solved."""

    values: Floats
    vectors: Floats
    residuals: Floats
    complete: bool
    beyond: float  # an approximation of the next eigenvalue, from below

    def first(self, count: int) -> Leading:
        """The largest of them only."""
        order = np.argsort(-self.values, kind="stable")
        kept = order[:count]
        beyond = float(max([self.beyond, *self.values[order[count : count + 1]]]))
        return Leading(self.values[kept], self.vectors[:, kept], self.residuals[kept], self.complete, beyond)


def leading_vectors(matrix: Any, count: int, tolerance: float, rng: np.random.Generator, threads: int) -> Leading:
    """So many of the largest eigenvalues."""
    rows = matrix.shape[0]
    if rows <= max(DENSE_SOLVE, 4 * (count + SPARE)):
        whole = matrix.toarray() if sparse.issparse(matrix) else matrix
        wanted = min(rows, count + 1)
        values, vectors = eigh(whole, subset_by_index=[rows - wanted, rows - 1], check_finite=False)
        values, vectors = values[::-1], np.ascontiguousarray(vectors[:, ::-1])
        beyond = float(values[count]) if wanted > count else -np.inf
        return Leading(values[:count], vectors[:, :count], np.zeros(min(count, rows)), True, beyond)
    return _krylov(Product(matrix, threads), count, tolerance, rng)


def _krylov(product: Product, count: int, tolerance: float, rng: np.random.Generator) -> Leading:
    width = count + SPARE
    basis = qr(rng.standard_normal((product.rows, width)), mode="economic", check_finite=False)[0]
    image = product(basis)
    inner = basis.T @ image
    for done in range(MOST_BLOCKS):
        values, turns = np.linalg.eigh((inner + inner.T) / 2.0)
        values, turns = values[::-1], turns[:, ::-1]
        vectors, images = basis @ turns[:, :width], image @ turns[:, :width]
        left = images - vectors * values[:width]
        lengths = np.linalg.norm(left, axis=0)
        if lengths[:count].max() <= tolerance or done == MOST_BLOCKS - 1:
            break
        if basis.shape[1] > WIDEST * width:
            keep = 2 * width
            basis, image, inner = basis @ turns[:, :keep], image @ turns[:, :keep], np.diag(values[:keep])
        fresh = _orthonormal(left, basis)
        shown = product(fresh)
        across, own = basis.T @ shown, fresh.T @ shown
        inner = np.block([[inner, across], [across.T, own]])
        basis, image = np.hstack([basis, fresh]), np.hstack([image, shown])
    return Leading(values[:count], vectors[:, :count], lengths[:count], False, float(values[count]))


def _orthonormal(block: Floats, basis: Floats) -> Floats:
    """The block without its part in the span of the basis, as orthonormal columns."""
    for _ in range(2):
        block = block - basis @ (basis.T @ block)
        block = qr(block, mode="economic", check_finite=False)[0]
    return np.asarray(block)
