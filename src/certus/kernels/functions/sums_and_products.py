"""Sums, products, multiples and powers of kernels; where features are finite, they add and multiply too."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.base import register_part
from certus.kernels._native_calls import Array
from certus.kernels.functions.built_kernel import OfOneKernel, OfTwoKernels
from certus.kernels.functions.kernel import FeatureMap, Kernel, Objects, count
from certus.kernels.functions.kernel_arguments import number, whole
from certus.kernels.functions.monomials import tensor_features


@register_part("kernels")
class Constant(Kernel):
    """The kernel k(x, z) = value, valid for value >= 0."""

    def __init__(self, value: float = 1.0) -> None:
        self.value = number("value", value, self)

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        return np.full((count(X), count(X if Y is None else Y)), float(self.value))

    def diag(self, X: Objects) -> Array:
        return np.full(count(X), float(self.value))

    def feature_map(self) -> FeatureMap:
        if self.value < 0:
            return super().feature_map()
        return lambda X: np.full((count(X), 1), np.sqrt(self.value))

    def feature_count(self, X: Objects) -> int | None:
        return 1 if self.value >= 0 else None

    def _takes_rows(self) -> bool:
        return True

    def _proof(self) -> str | None:
        return "a constant >= 0" if self.value >= 0 else None

    def _probes(self) -> list[Objects]:
        return [np.zeros((1, 1))]


@register_part("kernels")
class Sum(OfTwoKernels):
    """The sum k1(x, z) + k2(x, z): features side by side."""

    _rule = "a sum of kernels"

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        return self.left.gram(X, Y) + self.right.gram(X, Y)

    def diag(self, X: Objects) -> Array:
        return self.left.diag(X) + self.right.diag(X)

    def _size(self, X: Objects) -> float:
        return self.left._size(X) + self.right._size(X)

    def feature_map(self) -> FeatureMap:
        left, right = self.left.feature_map(), self.right.feature_map()
        return lambda X: np.hstack([left(X), right(X)])

    def feature_count(self, X: Objects) -> int | None:
        left, right = self.left.feature_count(X), self.right.feature_count(X)
        return None if left is None or right is None else left + right


@register_part("kernels")
class Product(OfTwoKernels):
    """The product k1(x, z) k2(x, z): all products of two features (Schur's product theorem)."""

    _rule = "a product of kernels (Schur)"

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        return self.left.gram(X, Y) * self.right.gram(X, Y)

    def diag(self, X: Objects) -> Array:
        return self.left.diag(X) * self.right.diag(X)

    def _size(self, X: Objects) -> float:
        return self.left._size(X) * self.right._size(X)

    def feature_map(self) -> FeatureMap:
        left, right = self.left.feature_map(), self.right.feature_map()
        return lambda X: tensor_features(left(X), right(X))

    def feature_count(self, X: Objects) -> int | None:
        left, right = self.left.feature_count(X), self.right.feature_count(X)
        return None if left is None or right is None else left * right


@register_part("kernels")
class Scaled(OfOneKernel):
    """The multiple factor * k(x, z), valid for factor >= 0."""

    _rule = "a multiple >= 0 of a kernel"

    def __init__(self, kernel: Kernel, factor: float) -> None:
        super().__init__(kernel)
        self.factor = number("factor", factor, self)

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        return float(self.factor) * self.kernel.gram(X, Y)

    def diag(self, X: Objects) -> Array:
        return float(self.factor) * self.kernel.diag(X)

    def _size(self, X: Objects) -> float:
        return abs(float(self.factor)) * self.kernel._size(X)

    def feature_map(self) -> FeatureMap:
        if self.factor < 0:
            return super().feature_map()
        inner = self.kernel.feature_map()
        return lambda X: np.sqrt(self.factor) * inner(X)

    def feature_count(self, X: Objects) -> int | None:
        return self.kernel.feature_count(X) if self.factor >= 0 else None

    def _proof(self) -> str | None:
        return super()._proof() if self.factor >= 0 else None


@register_part("kernels")
class Power(OfOneKernel):
    """The power k(x, z)^exponent for a whole exponent: a product of the kernel with itself."""

    _rule = "a product of a kernel with itself (Schur)"

    def __init__(self, kernel: Kernel, exponent: int) -> None:
        super().__init__(kernel)
        self.exponent = whole("exponent", exponent, self, low=1)

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        return self.kernel.gram(X, Y) ** self.exponent

    def diag(self, X: Objects) -> Array:
        return self.kernel.diag(X) ** self.exponent

    def _size(self, X: Objects) -> float:
        return float(self.kernel._size(X) ** self.exponent)

    def feature_map(self) -> FeatureMap:
        inner = self.kernel.feature_map()

        def features(X: Objects) -> Array:
            once = inner(X)
            found = once
            for _ in range(self.exponent - 1):
                found = tensor_features(found, once)
            return found

        return features

    def feature_count(self, X: Objects) -> int | None:
        once = self.kernel.feature_count(X)
        return None if once is None else int(once**self.exponent)


@register_part("kernels")
class Tensor(OfTwoKernels):
    """The kernel k1(x, z) k2(u, v) of pairs (x, u) and (z, v).

    Parameters
    ----------
    left, right : Kernel
        k1 and k2.
    columns : int or None, default=None
        In a table, how many of the first columns are x; the others are u. None: objects are pairs.
    """

    _rule = "a tensor product of kernels"

    def __init__(self, left: Kernel, right: Kernel, columns: int | None = None) -> None:
        super().__init__(left, right)
        self.columns = columns if columns is None else whole("columns", columns, self, low=1)

    def _takes_rows(self) -> bool:
        return self.columns is not None and super()._takes_rows()

    def _probes(self) -> list[Objects]:
        return []

    def _split(self, X: Any) -> tuple[Objects, Objects]:
        if self.columns is None:
            return [pair[0] for pair in X], [pair[1] for pair in X]
        return X[:, : self.columns], X[:, self.columns :]

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        first, second = self._split(X)
        other_first, other_second = (None, None) if Y is None else self._split(Y)
        return self.left.gram(first, other_first) * self.right.gram(second, other_second)

    def diag(self, X: Objects) -> Array:
        first, second = self._split(X)
        return self.left.diag(first) * self.right.diag(second)

    def feature_map(self) -> FeatureMap:
        left, right = self.left.feature_map(), self.right.feature_map()

        def features(X: Objects) -> Array:
            first, second = self._split(X)
            return tensor_features(left(first), right(second))

        return features

    def feature_count(self, X: Objects) -> int | None:
        first, second = self._split(X)
        left, right = self.left.feature_count(first), self.right.feature_count(second)
        return None if left is None or right is None else left * right
