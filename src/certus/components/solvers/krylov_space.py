"""Leading singular vectors from a block Krylov space. Musco, Musco (2015).

From random vectors Omega on the smaller side, the space of [Omega, C Omega, ..., C^q Omega] with C = A'A (or AA') holds
what q steps of subspace iteration end with, and all that they passed: its best vectors are those of a polynomial of
degree q that is chosen by the data, and the error falls like exp(-q sqrt(gap)) instead of exp(-q gap).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from certus.components.solvers.row_products import RowProducts

Floats = NDArray[np.float64]
Multiply = Callable[[Floats], Floats]
DROPPED = 1e-12  # share of its length below which a vector brings no new direction


def krylov_directions(
    products: RowProducts, count: int, extra: int, steps: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """The squared singular values and the right singular vectors (rows) that the space holds."""
    wide = products.rows < products.columns
    there, back = (products.transposed_times, products.times) if wide else (products.times, products.transposed_times)
    start = rng.standard_normal((products.smaller, count + extra))
    vectors = _ritz_vectors(there, back, start, steps)[:, :count]
    if wide:  # from the left side to the right one
        vectors = linalg.qr(there(vectors), mode="economic", check_finite=False)[0]
    # Turned among themselves, so that coordinates of the rows are orthogonal and as long as the singular values say.
    triangle = linalg.qr(products.times(vectors), mode="r", check_finite=False)[0][: vectors.shape[1]]
    _, values, turned = linalg.svd(triangle, full_matrices=False, check_finite=False)
    return values**2, turned @ vectors.T


def _ritz_vectors(there: Multiply, back: Multiply, start: Floats, steps: int) -> Floats:
    """Orthonormal columns, by descending value, that are best in the space after some steps."""
    block = linalg.qr(start, mode="economic", check_finite=False)[0]
    basis, images = block, back(there(block))
    last = images
    for _ in range(steps):
        block = _new_directions(last, basis)
        if block.shape[1] == 0:
            break
        last = back(there(block))
        basis, images = np.hstack([basis, block]), np.hstack([images, last])
    inner = basis.T @ images
    _, turned = linalg.eigh((inner + inner.T) / 2.0, check_finite=False)
    return basis @ turned[:, ::-1]


def _new_directions(vectors: Floats, basis: Floats) -> Floats:
    """Orthonormal columns for what the vectors have outside the basis."""
    size = float(np.linalg.norm(vectors))
    for _ in range(2):  # once is not enough: the first difference still holds rounded parts of the basis
        vectors = vectors - basis @ (basis.T @ vectors)
    found, triangle, _ = linalg.qr(vectors, mode="economic", pivoting=True, check_finite=False)
    kept = int((np.abs(np.diag(triangle)) > DROPPED * size).sum())
    found = found[:, :kept]
    return np.asarray(found - basis @ (basis.T @ found))
