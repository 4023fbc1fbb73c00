"""Kernels of what becomes of another: its exponential, its cosine, its Gaussian; of images and of weighted objects."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from certus.base import register_part
from certus.kernels._native_calls import Array
from certus.kernels.functions.built_kernel import OfOneKernel
from certus.kernels.functions.kernel import FeatureMap, Kernel, Objects, count
from certus.kernels.functions.kernel_arguments import number


@register_part("kernels")
class Exp(OfOneKernel):
    """The exponential exp(k(x, z)): a power series with coefficients >= 0."""

    _rule = "a power series with coefficients >= 0 of a kernel"

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        return np.exp(self.kernel.gram(X, Y))

    def diag(self, X: Objects) -> Array:
        return np.exp(self.kernel.diag(X))


@register_part("kernels")
class GaussianOf(OfOneKernel):
    """The Gaussian exp(-gamma d^2) of the distance d^2 = k(x, x) - 2 k(x, z) + k(z, z) between features."""

    _rule = "f(x) exp(2 gamma k(x, z)) f(z) for a kernel k"

    def __init__(self, kernel: Kernel, gamma: float = 1.0) -> None:
        super().__init__(kernel)
        self.gamma = number("gamma", gamma, self, positive=True)

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        values = np.exp(-float(self.gamma) * self.kernel.distances(X, Y) ** 2)
        if Y is None:
            np.fill_diagonal(values, 1.0)
        return values

    def diag(self, X: Objects) -> Array:
        return np.ones(count(X))


class _Rescaled(OfOneKernel):
    """A kernel f(x) k(x, z) f(z): features times a number."""

    _rule = "f(x) k(x, z) f(z) for a kernel k"

    def _factors(self, X: Objects) -> Array:
        """The numbers f(x_i)."""
        raise NotImplementedError

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        left = self._factors(X)
        return self.kernel.gram(X, Y) * np.outer(left, left if Y is None else self._factors(Y))

    def diag(self, X: Objects) -> Array:
        return self.kernel.diag(X) * np.square(self._factors(X))

    def feature_map(self) -> FeatureMap:
        inner = self.kernel.feature_map()
        return lambda X: self._factors(X)[:, None] * inner(X)

    def feature_count(self, X: Objects) -> int | None:
        return self.kernel.feature_count(X)


@register_part("kernels")
class Normalized(_Rescaled):
    """The cosine k(x, z) / sqrt(k(x, x) k(z, z)) between features; 0 for objects without features."""

    def _factors(self, X: Objects) -> Array:
        values = self.kernel.diag(X)
        return np.divide(1.0, np.sqrt(np.maximum(values, 0.0)), out=np.zeros_like(values), where=values > 0)

    def diag(self, X: Objects) -> Array:
        return np.where(self.kernel.diag(X) > 0, 1.0, 0.0)


class Weighted(_Rescaled):
    """The kernel f(x) k(x, z) f(z).

    Parameters
    ----------
    kernel : Kernel
        k.
    weight : callable
        Takes a table or list of objects, returns one number f for each.
    """

    def __init__(self, kernel: Kernel, weight: Callable[[Objects], ArrayLike]) -> None:
        super().__init__(kernel)
        self.weight = weight

    def _factors(self, X: Objects) -> Array:
        return np.asarray(self.weight(X), dtype=np.float64)


class Mapped(OfOneKernel):
    """The kernel k(map(x), map(z)) of what a function makes of the objects.

    Parameters
    ----------
    kernel : Kernel
        The kernel of the images.
    function : callable
        Takes a table or list of objects, returns one of images.
    """

    _rule = "a kernel of images"

    def __init__(self, kernel: Kernel, function: Callable[[Objects], Objects]) -> None:
        super().__init__(kernel)
        self.function = function

    def _takes_rows(self) -> bool:
        return False

    def _probes(self) -> list[Objects]:
        return []

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        return self.kernel.gram(self.function(X), None if Y is None else self.function(Y))

    def diag(self, X: Objects) -> Array:
        return self.kernel.diag(self.function(X))

    def feature_map(self) -> FeatureMap:
        inner = self.kernel.feature_map()
        return lambda X: inner(self.function(X))

    def feature_count(self, X: Objects) -> int | None:
        return self.kernel.feature_count(self.function(X))
