"""Building kernels from kernels; the validity and, where it is finite, the feature map of the parts carry over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from certus.base import register_part
from certus.kernels.functions.kernel import Array, FeatureMap, Kernel
from certus.kernels.functions.kernel_arguments import number, whole
from certus.kernels.functions.monomials import tensor_features


class _Built(Kernel):
    """A kernel made of others, which it keeps in `_parts`."""

    def _parts(self) -> list[Kernel]:
        raise NotImplementedError

    def _probes(self) -> list[Any]:
        return self._parts()[0]._probes()

    def _takes_rows(self) -> bool:
        return all(part._takes_rows() for part in self._parts())

    def _parts_are_proved(self) -> bool:
        return all(part._proof() is not None for part in self._parts())


@register_part("kernels")
class Constant(Kernel):
    """The kernel k(x, z) = value, valid for value >= 0."""

    def __init__(self, value: float = 1.0) -> None:
        self.value = number("value", value, self)

    def gram(self, X: Any, Y: Any = None) -> Array:
        return np.full((_count(X), _count(X if Y is None else Y)), float(self.value))

    def diag(self, X: Any) -> Array:
        return np.full(_count(X), float(self.value))

    def feature_map(self) -> FeatureMap:
        if self.value < 0:
            return super().feature_map()
        return lambda X: np.full((_count(X), 1), np.sqrt(self.value))

    def _takes_rows(self) -> bool:
        return True

    def feature_count(self, X: Any) -> int | None:
        return 1 if self.value >= 0 else None

    def _proof(self) -> str | None:
        return "a constant >= 0" if self.value >= 0 else None

    def _probes(self) -> list[Any]:
        return [np.zeros((1, 1))]


@register_part("kernels")
class Sum(_Built):
    """The sum k1(x, z) + k2(x, z): features side by side."""

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right

    def _parts(self) -> list[Kernel]:
        return [self.left, self.right]

    def gram(self, X: Any, Y: Any = None) -> Array:
        return self.left.gram(X, Y) + self.right.gram(X, Y)

    def diag(self, X: Any) -> Array:
        return self.left.diag(X) + self.right.diag(X)

    def _size(self, X: Any) -> float:
        return self.left._size(X) + self.right._size(X)

    def feature_map(self) -> FeatureMap:
        left, right = self.left.feature_map(), self.right.feature_map()
        return lambda X: np.hstack([left(X), right(X)])

    def feature_count(self, X: Any) -> int | None:
        left, right = self.left.feature_count(X), self.right.feature_count(X)
        return None if left is None or right is None else left + right

    def _proof(self) -> str | None:
        return "a sum of kernels" if self._parts_are_proved() else None


@register_part("kernels")
class Product(_Built):
    """The product k1(x, z) k2(x, z): all products of two features (Schur's product theorem)."""

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right

    def _parts(self) -> list[Kernel]:
        return [self.left, self.right]

    def gram(self, X: Any, Y: Any = None) -> Array:
        return self.left.gram(X, Y) * self.right.gram(X, Y)

    def diag(self, X: Any) -> Array:
        return self.left.diag(X) * self.right.diag(X)

    def _size(self, X: Any) -> float:
        return self.left._size(X) * self.right._size(X)

    def feature_map(self) -> FeatureMap:
        left, right = self.left.feature_map(), self.right.feature_map()
        return lambda X: tensor_features(left(X), right(X))

    def feature_count(self, X: Any) -> int | None:
        left, right = self.left.feature_count(X), self.right.feature_count(X)
        return None if left is None or right is None else left * right

    def _proof(self) -> str | None:
        return "a product of kernels (Schur)" if self._parts_are_proved() else None


@register_part("kernels")
class Scaled(_Built):
    """The multiple factor * k(x, z), valid for factor >= 0."""

    def __init__(self, kernel: Kernel, factor: float) -> None:
        self.kernel = kernel
        self.factor = number("factor", factor, self)

    def _parts(self) -> list[Kernel]:
        return [self.kernel]

    def gram(self, X: Any, Y: Any = None) -> Array:
        return float(self.factor) * self.kernel.gram(X, Y)

    def diag(self, X: Any) -> Array:
        return float(self.factor) * self.kernel.diag(X)

    def _size(self, X: Any) -> float:
        return abs(float(self.factor)) * self.kernel._size(X)

    def feature_map(self) -> FeatureMap:
        if self.factor < 0:
            return super().feature_map()
        inner = self.kernel.feature_map()
        return lambda X: np.sqrt(self.factor) * inner(X)

    def feature_count(self, X: Any) -> int | None:
        return self.kernel.feature_count(X) if self.factor >= 0 else None

    def _proof(self) -> str | None:
        return "a multiple >= 0 of a kernel" if self.factor >= 0 and self._parts_are_proved() else None


@register_part("kernels")
class Power(_Built):
    """The power k(x, z)^exponent for a whole exponent: a product of the kernel with itself."""

    def __init__(self, kernel: Kernel, exponent: int) -> None:
        self.kernel = kernel
        self.exponent = whole("exponent", exponent, self, low=1)

    def _parts(self) -> list[Kernel]:
        return [self.kernel]

    def gram(self, X: Any, Y: Any = None) -> Array:
        values: Array = self.kernel.gram(X, Y) ** self.exponent
        return values

    def diag(self, X: Any) -> Array:
        values: Array = self.kernel.diag(X) ** self.exponent
        return values

    def _size(self, X: Any) -> float:
        return float(self.kernel._size(X) ** self.exponent)

    def feature_map(self) -> FeatureMap:
        inner = self.kernel.feature_map()

        def features(X: Any) -> Array:
            once = inner(X)
            found = once
            for _ in range(self.exponent - 1):
                found = tensor_features(found, once)
            return found

        return features

    def feature_count(self, X: Any) -> int | None:
        once = self.kernel.feature_count(X)
        return None if once is None else once**self.exponent

    def _proof(self) -> str | None:
        return "a product of a kernel with itself (Schur)" if self._parts_are_proved() else None


@register_part("kernels")
class Exp(_Built):
    """The exponential exp(k(x, z)): a power series with coefficients >= 0."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def _parts(self) -> list[Kernel]:
        return [self.kernel]

    def gram(self, X: Any, Y: Any = None) -> Array:
        return np.exp(self.kernel.gram(X, Y))

    def diag(self, X: Any) -> Array:
        return np.exp(self.kernel.diag(X))

    def _proof(self) -> str | None:
        return "a power series with coefficients >= 0 of a kernel" if self._parts_are_proved() else None


@register_part("kernels")
class GaussianOf(_Built):
    """The Gaussian exp(-gamma d^2) of the distance d^2 = k(x, x) - 2 k(x, z) + k(z, z) between features."""

    def __init__(self, kernel: Kernel, gamma: float = 1.0) -> None:
        self.kernel = kernel
        self.gamma = number("gamma", gamma, self, positive=True)

    def _parts(self) -> list[Kernel]:
        return [self.kernel]

    def gram(self, X: Any, Y: Any = None) -> Array:
        values = np.exp(-float(self.gamma) * self.kernel.distances(X, Y) ** 2)
        if Y is None:
            np.fill_diagonal(values, 1.0)
        return values

    def diag(self, X: Any) -> Array:
        return np.ones(_count(X))

    def _proof(self) -> str | None:
        return "f(x) exp(2 gamma k(x, z)) f(z) for a kernel k" if self._parts_are_proved() else None


@register_part("kernels")
class Normalized(_Built):
    """The cosine k(x, z) / sqrt(k(x, x) k(z, z)) between features; 0 for objects without features."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def _parts(self) -> list[Kernel]:
        return [self.kernel]

    def gram(self, X: Any, Y: Any = None) -> Array:
        left = _inverse_root(self.kernel.diag(X))
        right = left if Y is None else _inverse_root(self.kernel.diag(Y))
        return self.kernel.gram(X, Y) * np.outer(left, right)

    def diag(self, X: Any) -> Array:
        return np.where(self.kernel.diag(X) > 0, 1.0, 0.0)

    def feature_map(self) -> FeatureMap:
        inner = self.kernel.feature_map()
        return lambda X: _inverse_root(self.kernel.diag(X))[:, None] * inner(X)

    def feature_count(self, X: Any) -> int | None:
        return self.kernel.feature_count(X)

    def _proof(self) -> str | None:
        return "f(x) k(x, z) f(z) for a kernel k" if self._parts_are_proved() else None


class Mapped(_Built):
    """The kernel k(map(x), map(z)) of what a function makes of the objects.

    Parameters
    ----------
    kernel : Kernel
        The kernel of the images.
    function : callable
        Takes a table or list of objects, returns one of images.
    """

    def __init__(self, kernel: Kernel, function: Callable[[Any], Any]) -> None:
        self.kernel = kernel
        self.function = function

    def _parts(self) -> list[Kernel]:
        return [self.kernel]

    def _takes_rows(self) -> bool:
        return False

    def _probes(self) -> list[Any]:
        return []

    def gram(self, X: Any, Y: Any = None) -> Array:
        return self.kernel.gram(self.function(X), None if Y is None else self.function(Y))

    def diag(self, X: Any) -> Array:
        return self.kernel.diag(self.function(X))

    def feature_map(self) -> FeatureMap:
        inner = self.kernel.feature_map()
        return lambda X: inner(self.function(X))

    def feature_count(self, X: Any) -> int | None:
        return self.kernel.feature_count(self.function(X))

    def _proof(self) -> str | None:
        return "a kernel of images" if self._parts_are_proved() else None


class Weighted(_Built):
    """The kernel f(x) k(x, z) f(z).

    Parameters
    ----------
    kernel : Kernel
        k.
    weight : callable
        Takes a table or list of objects, returns one number f for each.
    """

    def __init__(self, kernel: Kernel, weight: Callable[[Any], Any]) -> None:
        self.kernel = kernel
        self.weight = weight

    def _parts(self) -> list[Kernel]:
        return [self.kernel]

    def gram(self, X: Any, Y: Any = None) -> Array:
        left = np.asarray(self.weight(X), dtype=np.float64)
        right = left if Y is None else np.asarray(self.weight(Y), dtype=np.float64)
        return self.kernel.gram(X, Y) * np.outer(left, right)

    def diag(self, X: Any) -> Array:
        values: Array = self.kernel.diag(X) * np.asarray(self.weight(X), dtype=np.float64) ** 2
        return values

    def feature_map(self) -> FeatureMap:
        inner = self.kernel.feature_map()
        return lambda X: np.asarray(self.weight(X), dtype=np.float64)[:, None] * inner(X)

    def feature_count(self, X: Any) -> int | None:
        return self.kernel.feature_count(X)

    def _proof(self) -> str | None:
        return "f(x) k(x, z) f(z) for a kernel k" if self._parts_are_proved() else None


@register_part("kernels")
class Tensor(_Built):
    """The kernel k1(x, z) k2(u, v) of pairs (x, u) and (z, v).

    Parameters
    ----------
    left, right : Kernel
        k1 and k2.
    columns : int or None, default=None
        In a table, how many of the first columns are x; the others are u. None: objects are pairs.
    """

    def __init__(self, left: Kernel, right: Kernel, columns: int | None = None) -> None:
        self.left = left
        self.right = right
        self.columns = columns if columns is None else whole("columns", columns, self, low=1)

    def _parts(self) -> list[Kernel]:
        return [self.left, self.right]

    def _takes_rows(self) -> bool:
        return self.columns is not None and super()._takes_rows()

    def _probes(self) -> list[Any]:
        return []

    def _split(self, X: Any) -> tuple[Any, Any]:
        if self.columns is None:
            return [pair[0] for pair in X], [pair[1] for pair in X]
        return X[:, : self.columns], X[:, self.columns :]

    def gram(self, X: Any, Y: Any = None) -> Array:
        first, second = self._split(X)
        other_first, other_second = (None, None) if Y is None else self._split(Y)
        return self.left.gram(first, other_first) * self.right.gram(second, other_second)

    def diag(self, X: Any) -> Array:
        first, second = self._split(X)
        return self.left.diag(first) * self.right.diag(second)

    def feature_map(self) -> FeatureMap:
        left, right = self.left.feature_map(), self.right.feature_map()

        def features(X: Any) -> Array:
            first, second = self._split(X)
            return tensor_features(left(first), right(second))

        return features

    def feature_count(self, X: Any) -> int | None:
        first, second = self._split(X)
        left, right = self.left.feature_count(first), self.right.feature_count(second)
        return None if left is None or right is None else left * right

    def _proof(self) -> str | None:
        return "a tensor product of kernels" if self._parts_are_proved() else None


def _count(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _inverse_root(values: Array) -> Array:
    return np.divide(1.0, np.sqrt(np.maximum(values, 0.0)), out=np.zeros_like(values), where=values > 0)
