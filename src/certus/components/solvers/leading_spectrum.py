"""The largest eigenvalues of A'A and their vectors, by four routes.

- triangle: singular values of R, A = QR; keeps the digits of small values; 2 n d^2.
- squares: eigenvalues of A'A, which lose half of their digits below the largest, n d^2 + 4/3 d^3; or of AA' where there
  are fewer rows than columns.
- lanczos: ARPACK on products with A, to the asked accuracy.
- krylov: a block Krylov space from random vectors, approximate; 4 q n d b for q steps of b vectors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, svds

from certus.components.solvers.krylov_space import krylov_directions
from certus.components.solvers.row_products import RowProducts

Floats = NDArray[np.float64]
EPSILON = float(np.finfo(np.float64).eps)
SHORT = 16  # the length of the smaller side up to which iterating makes no sense
DIGITS = 1e-8  # eigenvalues of A'A below this share of the largest have lost half of the digits that doubles have


@dataclass(frozen=True)
class LeadingSpectrum:
    """The largest eigenvalues, descending, with orthonormal rows as vectors.

    ``values`` has at least one per vector; further ones are exact too. ``trace`` is the sum of all; below the share
    ``noise`` of the largest they are rounding. ``small`` is A'A or AA', if the route formed it.
    """

    values: Floats
    vectors: Floats
    trace: float
    noise: float
    small: Floats | None = None

    def first(self, count: int) -> LeadingSpectrum:
        """With fewer vectors."""
        return replace(self, vectors=np.ascontiguousarray(self.vectors[:count]))

    @property
    def keeps_digits(self) -> bool:
        """Whether all vectors belong to eigenvalues far above what forming A'A rounds away."""
        kept = self.values[: len(self.vectors)]
        return bool(len(kept) == 0 or kept[-1] > DIGITS * self.values[0])


def _noise(products: RowProducts) -> float:
    """What rounding adds to eigenvalues of A'A, as a share of the largest."""
    return EPSILON * (products.rows + products.columns)


def by_triangle(products: RowProducts) -> LeadingSpectrum:
    """All of them from A itself."""
    if products.rows >= products.columns:
        triangle = products.triangle()
        _, values, vectors = linalg.svd(triangle, full_matrices=False, check_finite=False)
    else:
        _, values, vectors = linalg.svd(products.whole(), full_matrices=False, check_finite=False)
    noise = (EPSILON * (products.rows + products.columns)) ** 2
    return LeadingSpectrum(values**2, upright(vectors), float((values**2).sum()), noise)


def by_squares(products: RowProducts, count: int | None) -> LeadingSpectrum:
    """All eigenvalues, or one more than the ``count`` largest, from the smaller of A'A and AA'."""
    if products.rows >= products.columns:
        return of_scatter(products.scatter(), count, _noise(products))
    found = of_scatter(products.gram(), count, _noise(products))
    turned = linalg.qr(products.transposed_times(found.vectors.T), mode="economic", check_finite=False)[0]
    return replace(found, vectors=upright(turned.T))


def of_scatter(small: Floats, count: int | None, noise: float) -> LeadingSpectrum:
    """The eigenvalues of a given matrix A'A or AA'."""
    size = len(small)
    chosen = None if count is None or 3 * count > size else (size - count - 1, size - 1)
    values, vectors = linalg.eigh(small, subset_by_index=chosen, check_finite=False)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1][:, :count]
    return LeadingSpectrum(values, upright(vectors.T), max(0.0, float(np.trace(small))), noise, small)


def by_lanczos(products: RowProducts, count: int, tolerance: float, seed: int) -> LeadingSpectrum:
    """ARPACK from a random start; where the smaller side is short, all singular values cost less and are exact."""
    if products.smaller <= SHORT:
        return by_triangle(products).first(count)
    start = np.random.default_rng(seed).uniform(-1.0, 1.0, products.smaller)
    operator: Any = LinearOperator(
        shape=(products.rows, products.columns),
        dtype=np.float64,
        matvec=lambda v: products.times(np.reshape(v, (-1, 1))).ravel(),
        rmatvec=lambda u: products.transposed_times(np.reshape(u, (-1, 1))).ravel(),
        matmat=products.times,
        rmatmat=products.transposed_times,
    )
    _, values, vectors = svds(operator, k=count, tol=tolerance, v0=start)
    order = np.argsort(-values, kind="stable")
    return LeadingSpectrum(values[order] ** 2, upright(np.asarray(vectors)[order]), products.trace(), _noise(products))


def by_krylov(products: RowProducts, count: int, extra: int, steps: int, seed: int) -> LeadingSpectrum:
    """A block Krylov space; where it would be the whole space, the exact answer costs no more."""
    if (count + extra) * (steps + 1) >= products.smaller:
        exact = by_squares(products, None)
        return (exact if exact.first(count).keeps_digits else by_triangle(products)).first(count)
    values, vectors = krylov_directions(products, count, extra, steps, np.random.default_rng(seed))
    return LeadingSpectrum(values, upright(vectors), products.trace(), _noise(products))


def upright(vectors: Floats) -> Floats:
    """Rows with the sign that makes their entry of largest magnitude positive."""
    places = np.abs(vectors).argmax(axis=1) if vectors.size else np.zeros(len(vectors), dtype=np.intp)
    signs = np.where(vectors[np.arange(len(vectors)), places] < 0.0, -1.0, 1.0)
    return np.ascontiguousarray(vectors * signs[:, None])
