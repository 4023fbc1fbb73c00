"""The leading part of a singular value decomposition, by products with random vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from certus.base import blas_on_one_thread, resolve_seed, resolve_threads
from certus.base.inputs import RandomStateLike, TableLike
from certus.base.params import Boolean, Constraints, Interval, OneOf, RandomState, check_parameters
from certus.components.solvers.leading_spectrum import by_krylov
from certus.components.solvers.row_products import RowProducts

Floats = NDArray[Any]
_CONSTRAINTS: Constraints = {
    "n_components": [Interval(1, None, integer=True)],
    "n_oversamples": [Interval(0, None, integer=True)],
    "n_iter": [Interval(0, None, integer=True), OneOf("auto")],
    "power_iteration_normalizer": [OneOf("auto", "QR", "LU", "none")],
    "transpose": [Boolean(), OneOf("auto")],
    "flip_sign": [Boolean()],
    "random_state": [RandomState()],
    "svd_lapack_driver": [OneOf("gesdd", "gesvd")],
}


def krylov_steps(steps: int | str, count: int, smaller: int) -> int:
    """The number of steps; "auto" is that of scikit-learn: 7 for few components, else 4."""
    return int(steps) if steps != "auto" else 7 if count < 0.1 * smaller else 4


def randomized_svd(
    M: TableLike,
    n_components: int,
    *,
    n_oversamples: int = 10,
    n_iter: int | str = "auto",
    power_iteration_normalizer: str = "auto",
    transpose: bool | str = "auto",
    flip_sign: bool = True,
    random_state: RandomStateLike = None,
    svd_lapack_driver: str = "gesdd",
) -> tuple[Floats, NDArray[np.float64], Floats]:
    """Leading singular values and vectors, approximately, from a block Krylov space of random vectors.

    With as many products as scikit-learn's subspace iteration, the space keeps what the iteration passes through, and
    its answer is far closer.

    Parameters
    ----------
    M : array-like or sparse matrix of shape (n_samples, n_features)
        The matrix.
    n_components : int
        How many singular values and vectors, at most.
    n_oversamples : int, default=10
        Random vectors beyond that number.
    n_iter : int or "auto", default="auto"
        Steps: two products with M each. "auto" is 7 for less than a tenth of all singular values, else 4.
    power_iteration_normalizer, transpose, svd_lapack_driver
        Accepted for compatibility: every block is made orthonormal, and the smaller side is iterated on.
    flip_sign : bool, default=True
        Make the entry of largest magnitude of every left vector positive.
    random_state : int, RandomState or None, default=None
        Seed of the random vectors.

    Returns
    -------
    u : ndarray of shape (n_samples, n_components)
        Left singular vectors, columns.
    s : ndarray of shape (n_components,)
        Singular values, descending.
    vh : ndarray of shape (n_components, n_features)
        Right singular vectors, rows.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.components import randomized_svd
    >>> u, s, vh = randomized_svd(np.diag([5.0, 3.0, 1.0, 0.0]), 2, random_state=0)
    >>> s.round(6)
    array([5., 3.])
    """
    given = dict(locals())
    check_parameters("randomized_svd", _CONSTRAINTS, {name: given[name] for name in _CONSTRAINTS})
    table = check_array(M, accept_sparse="csr", dtype=(np.float64, np.float32))
    count = min(n_components, *table.shape)
    with blas_on_one_thread():
        products = RowProducts(table, None, centered=False, threads=resolve_threads())
        steps = krylov_steps(n_iter, n_components, products.smaller)
        found = by_krylov(products, count, n_oversamples, steps, resolve_seed(random_state))
        left, lengths = _left_vectors(products.times(found.vectors.T))
    right = found.vectors
    if flip_sign and left.size:
        signs = np.where(left[np.abs(left).argmax(axis=0), np.arange(count)] < 0.0, -1.0, 1.0)
        left, right = left * signs, right * signs[:, None]
    kind = np.float64 if sparse.issparse(table) and table.dtype != np.float32 else table.dtype
    return left.astype(kind), lengths * products.scale, right.astype(kind)


def _left_vectors(reached: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The columns A v = s u as orthonormal u and lengths s; where s is 0, any u that is orthogonal to the others."""
    lengths = np.linalg.norm(reached, axis=0)
    left, triangle = np.linalg.qr(reached)
    signs = np.where(np.diag(triangle) < 0.0, -1.0, 1.0)
    return left * signs, lengths
