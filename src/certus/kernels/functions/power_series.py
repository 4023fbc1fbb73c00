"""Kernels that are power series of the inner product: the geometric series and the truncated exponential."""

from __future__ import annotations

import math

import numpy as np

from certus.base import register_part
from certus.kernels._native_calls import Array, Rows, dense_rows, squared_norms
from certus.kernels.functions.inner_products import Linear
from certus.kernels.functions.kernel import FeatureMap, Kernel, Objects, as_rows, width
from certus.kernels.functions.kernel_arguments import number, whole
from certus.kernels.functions.monomials import polynomial_features
from certus.kernels.functions.validity import vector_probes


class _Series(Kernel):
    """A power series of x.z; subclasses sum it."""

    gamma: float

    def _sum(self, products: Array) -> Array:
        raise NotImplementedError

    def _check(self, X: Objects) -> Rows:
        return as_rows(self, X, "X")

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        left, right = self._check(X), None if Y is None else self._check(Y)
        return self._sum(Linear().gram(left, right))

    def diag(self, X: Objects) -> Array:
        return self._sum(squared_norms(self._check(X)))

    def _takes_rows(self) -> bool:
        return True

    def _proof(self) -> str | None:
        return "a power series with coefficients >= 0 of the inner product" if self.gamma >= 0 else None

    def _probes(self) -> list[Objects]:
        return list(vector_probes())


@register_part("kernels")
class GeometricSeries(_Series):
    """The kernel k(x, z) = 1 / (1 - gamma x.z) = 1 + gamma x.z + (gamma x.z)^2 + ..., for rows with gamma |x|^2 < 1.

    Parameters
    ----------
    gamma : float, default=1.0
        The factor; valid for gamma >= 0.

    Examples
    --------
    >>> from certus.kernels import GeometricSeries
    >>> GeometricSeries().gram([[0.5]], [[0.5], [-0.5]]).round(4).tolist()
    [[1.3333, 0.8]]
    """

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = number("gamma", gamma, self)

    def _sum(self, products: Array) -> Array:
        return np.asarray(1.0 / (1.0 - float(self.gamma) * products))

    def _check(self, X: Objects) -> Rows:
        rows = super()._check(X)
        largest = float(squared_norms(rows).max(initial=0.0))
        if abs(float(self.gamma)) * largest >= 1.0:
            raise ValueError(
                f"GeometricSeries is a kernel of rows with gamma |x|^2 < 1; here it is up to "
                f"{abs(float(self.gamma)) * largest:.4g}.\nHint: scale the rows, or lower gamma."
            )
        return rows

    def _probes(self) -> list[Objects]:
        shrink = 0.99 / math.sqrt(max(abs(float(self.gamma)), 1e-300))
        return [shrink * points / np.sqrt(squared_norms(points).max()) for points in vector_probes()]


@register_part("kernels")
class TruncatedExponential(_Series):
    """The kernel k(x, z) = sum_{i <= degree} (gamma x.z)^i / i!, the exponential kernel up to a degree.

    Parameters
    ----------
    degree : int, default=3
        The last power, at least 0.
    gamma : float, default=1.0
        The factor; valid for gamma >= 0.
    """

    def __init__(self, degree: int = 3, gamma: float = 1.0) -> None:
        self.degree = whole("degree", degree, self, low=0)
        self.gamma = number("gamma", gamma, self)

    def _sum(self, products: Array) -> Array:
        total = np.ones_like(products)
        for power in range(self.degree, 0, -1):  # Horner's scheme
            total = 1.0 + float(self.gamma) * products / power * total
        return total

    def feature_map(self) -> FeatureMap:
        if self.gamma < 0:
            return super().feature_map()

        def features(X: Objects) -> Array:
            rows = dense_rows(self._check(X))
            parts = [
                polynomial_features(rows, power, float(self.gamma), 0.0) / math.sqrt(math.factorial(power))
                for power in range(1, self.degree + 1)
            ]
            return np.hstack([np.ones((len(rows), 1)), *parts])

        return features

    def feature_count(self, X: Objects) -> int | None:
        return math.comb(width(X) + self.degree, self.degree) if self.gamma >= 0 else None
