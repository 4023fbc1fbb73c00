"""What a kernel is: an object that fills matrices of values, combines with others, and knows whether it is valid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from certus.base import TableLike, assert_finite, blas_on_one_thread, resolve_threads
from certus.kernels import _native_calls
from certus.kernels._native_calls import Array, Rows
from certus.kernels.functions.validity import Validity, examine, proved, vector_probes

Objects: TypeAlias = TableLike | Sequence[Any]  # what kernels compare: the rows of a table, or objects of any kind
FeatureMap = Callable[[Objects], Array]


class InfiniteFeaturesError(ValueError):
    """The kernel has no finite feature map, or none is known."""


class Kernel(BaseEstimator):
    """A function k(x, z) of two objects, meant to be an inner product of their features.

    Kernels add, multiply and scale: ``2 * Gaussian(0.5) + Linear() ** 2``. A kernel serves wherever a learner takes a
    ``kernel``; called as ``k(X, Y)`` it returns the matrix of values.
    """

    _state: ClassVar[tuple[str, ...]] = ()
    _rule: ClassVar[str | None] = None  # by which this is a kernel, whatever its parameters are

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        """The matrix k(x_i, y_j); without Y that of X with itself, each pair computed once.

        Parameters
        ----------
        X, Y : table or list of objects
            The objects.

        Returns
        -------
        ndarray of shape (len(X), len(Y))
            The values.
        """
        raise NotImplementedError

    def diag(self, X: Objects) -> Array:
        """The values k(x_i, x_i)."""
        raise NotImplementedError

    def feature_map(self) -> FeatureMap:
        """A function from objects to rows of features whose inner products are the kernel, where it is finite."""
        raise InfiniteFeaturesError(
            f"{self!r} has no finite feature map.\nHint: approximate it by a finite one, or use gram()."
        )

    def feature_count(self, X: Objects) -> int | None:
        """How many features `feature_map` gives these objects; None if infinitely many, or if nobody knows."""
        return None

    @property
    def validity(self) -> Validity:
        """Whether this is a kernel: proved by how it is built, refuted by points, or unknown."""
        reason = self._proof()
        if reason is not None:
            return proved(reason)
        for points in self._probes():
            try:
                with np.errstate(all="ignore"):
                    found = examine(points, self.gram(points), self._size(points))
            except ValueError:  # points of a width that a part does not take
                continue
            if found is not None:
                return found
        return Validity("unknown", "no rule proves it, and no points that were tried refute it")

    def validity_on(self, X: Objects) -> Validity:
        """As `validity`; where no rule proves it, these objects are tried."""
        reason = self._proof()
        found = None if reason is not None else examine(X, self.gram(X), self._size(X))
        return self.validity if found is None else found

    def _proof(self) -> str | None:
        """The rule by which this is a kernel, or None."""
        return self._rule

    def _probes(self) -> list[Objects]:
        """Objects on which to look for a refutation."""
        return []

    def _takes_rows(self) -> bool:
        """Whether the objects are rows of a table of numbers."""
        return False

    def _size(self, X: Objects) -> float:
        """The size of the numbers from which the values are computed; rounding errors are relative to it."""
        return float(np.abs(self.gram(X)).max(initial=0.0))

    def distances(self, X: Objects, Y: Objects | None = None) -> Array:
        """Distances |phi(x) - phi(y)| between features."""
        other = X if Y is None else Y
        squares = self.diag(X)[:, None] + self.diag(other)[None, :] - 2.0 * self.gram(X, Y)
        return np.sqrt(np.maximum(squares, 0.0))

    def __call__(self, X: Objects, Y: Objects | None = None) -> Array:
        return self.gram(X, Y)

    def __add__(self, other: Kernel | float) -> Kernel:
        from certus.kernels.functions import sums_and_products as algebra

        return algebra.Sum(self, other if isinstance(other, Kernel) else algebra.Constant(other))

    __radd__ = __add__

    def __sub__(self, other: Kernel | float) -> Kernel:
        return self + (-1.0) * other

    def __mul__(self, other: Kernel | float) -> Kernel:
        from certus.kernels.functions import sums_and_products as algebra

        return algebra.Product(self, other) if isinstance(other, Kernel) else algebra.Scaled(self, other)

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Kernel:
        from certus.kernels.functions import sums_and_products as algebra

        return algebra.Power(self, exponent)


class VectorKernel(Kernel):
    """A kernel of rows of numbers, computed in compiled code."""

    _nonnegative: ClassVar[bool] = False  # whether it is defined for numbers >= 0 only

    def _function(self) -> _native_calls.Function:
        raise NotImplementedError

    def _takes_rows(self) -> bool:
        return True

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        left = self._rows(X, "X")
        right = None if Y is None else self._rows(Y, "Y")
        if right is not None and right.shape[1] != left.shape[1]:
            raise ValueError(
                f"{type(self).__name__}: X has {left.shape[1]} columns, Y has {right.shape[1]}.\n"
                "Hint: a kernel compares rows of equally many numbers."
            )
        with blas_on_one_thread():
            return _native_calls.gram(self._function(), left, right, resolve_threads())

    def _rows(self, X: Objects, name: str) -> Rows:
        rows = as_rows(self, X, name)
        if self._nonnegative:
            values = rows if isinstance(rows, np.ndarray) else rows.data
            if values.size and values.min() < 0:
                raise ValueError(
                    f"{type(self).__name__} is a kernel of numbers >= 0; {name} holds {values.min():g}.\n"
                    "Hint: shift the columns, for example with MinMaxScaler."
                )
        return rows

    def _probes(self) -> list[Objects]:
        return [np.abs(points) if self._nonnegative else points for points in vector_probes()]


def as_rows(kernel: Kernel, X: Objects, name: str) -> Rows:
    """A table as float64 rows, dense or sparse; a plain list of numbers is one column."""
    if sparse.issparse(X):
        rows: Rows = sparse.csr_array(X, dtype=np.float64)
    else:
        rows = np.ascontiguousarray(X, dtype=np.float64)
        if rows.ndim == 1:
            rows = rows[:, None]
    if rows.ndim != 2:
        raise ValueError(
            f"{type(kernel).__name__}: {name} must be a table, got an array of {rows.ndim} dimensions.\n"
            "Hint: pass one row of numbers per object."
        )
    assert_finite(kernel, rows, name=name)
    return rows


def count(X: Objects) -> int:
    """How many rows or objects there are."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(cast(Sequence[Any], X))


def listed(X: Objects) -> list[Any]:
    """The rows or objects one by one."""
    return list(cast(Iterable[Any], X))


def width(X: Objects) -> int:
    """How many columns a table has; a plain list of numbers has one."""
    if hasattr(X, "shape"):
        return int(X.shape[1]) if len(X.shape) == 2 else 1
    first = cast(Sequence[Any], X)[0]
    return len(first) if np.ndim(first) == 1 else 1
