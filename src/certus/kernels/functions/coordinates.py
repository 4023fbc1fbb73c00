"""Kernels that go through the coordinates of two rows: all subsets, ANOVA, minimum, spline."""

from __future__ import annotations

import math

import numpy as np

from certus.base import register_part
from certus.kernels import _native_calls
from certus.kernels._native_calls import Array, dense_rows
from certus.kernels.functions.kernel import FeatureMap, Objects, VectorKernel, width
from certus.kernels.functions.kernel_arguments import whole
from certus.kernels.functions.monomials import subset_features


@register_part("kernels")
class AllSubsets(VectorKernel):
    """The all-subsets kernel k(x, z) = prod_k (1 + x_k z_k): one feature for each of the 2^p sets of columns."""

    _rule = "the inner product of the products over all sets of coordinates"

    def _function(self) -> _native_calls.Function:
        return (_native_calls.ALL_SUBSETS, 1.0, 0.0, 1)

    def diag(self, X: Objects) -> Array:
        return np.asarray(np.prod(1.0 + dense_rows(self._rows(X, "X")) ** 2, axis=1))

    def feature_map(self) -> FeatureMap:
        def features(X: Objects) -> Array:
            rows = dense_rows(self._rows(X, "X"))
            return subset_features(rows, range(rows.shape[1] + 1))

        return features

    def feature_count(self, X: Objects) -> int | None:
        return int(2 ** width(X))


@register_part("kernels")
class Anova(VectorKernel):
    """The ANOVA kernel: the sum, over sets of `degree` columns, of the product of x_k z_k.

    Computed by the recursion K_s^m = x_m z_m K_(s-1)^(m-1) + K_s^(m-1) in p times degree steps.

    Parameters
    ----------
    degree : int, default=2
        How many columns a feature multiplies, at least 1.
    """

    _rule = "the inner product of the products over sets of coordinates of one size"

    def __init__(self, degree: int = 2) -> None:
        self.degree = whole("degree", degree, self, low=1)

    def _function(self) -> _native_calls.Function:
        return (_native_calls.ANOVA, 1.0, 0.0, int(self.degree))

    def diag(self, X: Objects) -> Array:
        squares = dense_rows(self._rows(X, "X")) ** 2
        levels = np.zeros((self.degree + 1, len(squares)))
        levels[0] = 1.0
        for column in squares.T:
            levels[1:] += column * levels[:-1]
        return np.asarray(levels[self.degree])

    def feature_map(self) -> FeatureMap:
        return lambda X: subset_features(dense_rows(self._rows(X, "X")), range(self.degree, self.degree + 1))

    def feature_count(self, X: Objects) -> int | None:
        return math.comb(width(X), self.degree)


@register_part("kernels")
class Minimum(VectorKernel):
    """The kernel k(x, z) = sum_k min(x_k, z_k) of numbers >= 0.

    For one column it reproduces the functions with f(0) = 0 and norm sqrt(integral of f'^2): kernel interpolation is
    then piecewise linear (`certus.kernels.derivative_norm`).
    """

    _rule = "a sum of inner products of the indicator functions of [0, x] and [0, z]"

    _nonnegative = True

    def _function(self) -> _native_calls.Function:
        return (_native_calls.MINIMUM, 1.0, 0.0, 1)

    def diag(self, X: Objects) -> Array:
        return np.asarray(self._rows(X, "X").sum(axis=1), dtype=np.float64).ravel()


@register_part("kernels")
class Spline(VectorKernel):
    """The cubic spline kernel prod_k (1 + x z + |x - z| m^2 / 2 + m^3 / 3), m = min(x, z), of numbers >= 0."""

    _rule = "a product over coordinates of 1 + xz + integral of (x - s)_+ (z - s)_+"

    _nonnegative = True

    def _function(self) -> _native_calls.Function:
        return (_native_calls.SPLINE, 1.0, 0.0, 1)

    def diag(self, X: Objects) -> Array:
        rows = dense_rows(self._rows(X, "X"))
        return np.asarray(np.prod(1.0 + rows**2 + rows**3 / 3.0, axis=1))
