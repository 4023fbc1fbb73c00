"""Kernels that users bring: a matrix of values, or a function of two objects of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import register_part
from certus.kernels._native_calls import Array
from certus.kernels.functions.kernel import Kernel, Objects, listed
from certus.kernels.functions.validity import Validity, examine


@register_part("kernels")
class Precomputed(Kernel):
    """A matrix of values; the objects are positions in it.

    Parameters
    ----------
    matrix : array-like of shape (n, n)
        k of every two of n objects.

    Examples
    --------
    >>> from certus.kernels import Precomputed
    >>> Precomputed([[0.0, 1.0], [1.0, 0.0]]).validity.eigenvalue
    -1.0
    """

    def __init__(self, matrix: ArrayLike) -> None:
        self.matrix = matrix
        values = np.asarray(matrix, dtype=np.float64)
        if values.ndim != 2 or values.shape[0] != values.shape[1] or not np.isfinite(values).all():
            raise ValueError(
                "The 'matrix' parameter of Precomputed must be a square matrix of finite numbers. "
                f"Got shape {values.shape} instead.\nHint: pass the kernel values of all objects with all objects."
            )

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        values = np.asarray(self.matrix, dtype=np.float64)
        left = self._positions(X)
        return values[np.ix_(left, left if Y is None else self._positions(Y))]

    def diag(self, X: Objects) -> Array:
        return np.asarray(np.diagonal(np.asarray(self.matrix, dtype=np.float64))[self._positions(X)])

    def _positions(self, X: Objects) -> NDArray[np.intp]:
        positions = np.asarray(X)
        flat = positions.reshape(-1)
        whole = flat.astype(np.intp)
        if positions.ndim > 2 or len(flat) != len(positions) or not np.array_equal(whole, flat):
            raise ValueError(
                "Precomputed: objects must be whole numbers, the positions of rows of the matrix, got an array of "
                f"shape {positions.shape} of {positions.dtype}.\nHint: pass np.arange(n), or some of these numbers."
            )
        size = len(np.asarray(self.matrix))
        if len(whole) and (whole.min() < 0 or whole.max() >= size):
            raise ValueError(
                f"Precomputed: positions must lie between 0 and {size - 1}, got {whole.min()} to {whole.max()}.\n"
                "Hint: objects are the positions of rows of the matrix."
            )
        return whole

    @property
    def validity(self) -> Validity:
        """Decided by the eigenvalues of the matrix, up to rounding."""
        values = np.asarray(self.matrix, dtype=np.float64)
        found = examine(np.arange(len(values)), values)
        if found is not None:
            return found
        return Validity("proved", "the matrix has no eigenvalue below 0, up to rounding")

    def _proof(self) -> str | None:
        return self.validity.reason if self.validity.status == "proved" else None

    def _probes(self) -> list[Objects]:
        return [np.arange(len(np.asarray(self.matrix)))]


class FunctionKernel(Kernel):
    """A function of two objects of any kind: numbers, texts, graphs.

    Parameters
    ----------
    function : callable
        Takes two objects, returns a number.
    symmetric : bool, default=True
        Whether the order of the objects does not matter; each pair is then computed once.
    features : callable or None, default=None
        If given, takes an object and returns its features, a vector. A proof that this is a kernel, if their inner
        products are the function.

    Examples
    --------
    >>> from certus.kernels import FunctionKernel
    >>> shared = FunctionKernel(lambda a, b: len(set(a) & set(b)))
    >>> shared.gram(["abc", "bcd"]).tolist()
    [[3.0, 2.0], [2.0, 3.0]]
    """

    def __init__(
        self,
        function: Callable[[Any, Any], float],
        symmetric: bool = True,
        features: Callable[[Any], Sequence[float]] | None = None,
    ) -> None:
        self.function = function
        self.symmetric = symmetric
        self.features = features

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        left = listed(X)
        right = left if Y is None else listed(Y)
        values = np.empty((len(left), len(right)))
        once = Y is None and self.symmetric
        for i, first in enumerate(left):
            for j in range(i if once else 0, len(right)):
                values[i, j] = self.function(first, right[j])
        if once:
            below = np.tril_indices(len(left), -1)
            values[below] = values.T[below]
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"FunctionKernel: the function returned {values[row, column]} for the objects {row} and {column}; "
                "it must return finite numbers.\nHint: fix the function, or leave such objects out."
            )
        return values

    def diag(self, X: Objects) -> Array:
        return np.array([self.function(item, item) for item in listed(X)], dtype=np.float64)

    def feature_map(self) -> Callable[[Any], Array]:
        features = self.features
        if features is None:
            return super().feature_map()
        return lambda X: np.array([features(item) for item in listed(X)], dtype=np.float64)

    def feature_count(self, X: Objects) -> int | None:
        return None if self.features is None else len(self.features(listed(X)[0]))

    def validity_on(self, X: Objects) -> Validity:
        """Refuted if the matrix of these objects has a negative eigenvalue, or differs from that of the features."""
        values = FunctionKernel(self.function, symmetric=False).gram(X)
        found = examine(X, values)
        if found is not None:
            return found
        if self.features is not None:
            rows = self.feature_map()(X)
            if np.allclose(rows @ rows.T, values, rtol=1e-9, atol=1e-9 * float(np.abs(values).max(initial=0.0))):
                return Validity("unknown", "on these objects the function is the inner product of the features")
        return Validity("unknown", "these objects do not refute it")
