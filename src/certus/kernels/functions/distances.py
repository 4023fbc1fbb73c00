"""Kernels of the distance of two rows: Gaussian, Laplacian, Matern."""

from __future__ import annotations

import numpy as np

from certus.base import OneOf, ParameterError, register_part, violation
from certus.kernels import _native_calls
from certus.kernels._native_calls import Array
from certus.kernels.functions.kernel import Objects, VectorKernel
from certus.kernels.functions.kernel_arguments import number

MATERN_ORDERS = {0.5: 0, 1.5: 1, 2.5: 2}


class _DistanceKernel(VectorKernel):
    """A kernel of the distance alone, 1 at the distance 0."""

    def diag(self, X: Objects) -> Array:
        return np.ones(self._rows(X, "X").shape[0])


@register_part("kernels")
class Gaussian(_DistanceKernel):
    """The Gaussian kernel k(x, z) = exp(-gamma |x - z|^2); its features are infinitely many.

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse squared width, above 0; 1 / (2 sigma^2).

    Examples
    --------
    >>> from certus.kernels import Gaussian
    >>> Gaussian(0.5).gram([[0.0], [2.0]]).round(4).tolist()
    [[1.0, 0.1353], [0.1353, 1.0]]
    """

    _rule = "f(x) exp(2 gamma x.z) f(z) with f(x) = exp(-gamma |x|^2)"

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = number("gamma", gamma, self, positive=True)

    def _function(self) -> _native_calls.Function:
        return (_native_calls.GAUSSIAN, float(self.gamma), 0.0, 1)


@register_part("kernels")
class Laplacian(_DistanceKernel):
    """The Laplacian kernel k(x, z) = exp(-gamma |x - z|_1), of the sum of absolute differences.

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse width, above 0.
    """

    _rule = "a product over coordinates of characteristic functions (of Cauchy distributions)"

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = number("gamma", gamma, self, positive=True)

    def _function(self) -> _native_calls.Function:
        return (_native_calls.LAPLACIAN, float(self.gamma), 0.0, 1)


@register_part("kernels")
class Matern(_DistanceKernel):
    """The Matern kernel p(t) exp(-t) with t = sqrt(2 nu) |x - z| / length_scale and p = 1, 1 + t, 1 + t + t^2/3.

    Parameters
    ----------
    length_scale : float, default=1.0
        The width, above 0.
    nu : {0.5, 1.5, 2.5}, default=1.5
        Smoothness.
    """

    _rule = "the characteristic function of a multivariate t distribution"

    def __init__(self, length_scale: float = 1.0, nu: float = 1.5) -> None:
        self.length_scale = number("length_scale", length_scale, self, positive=True)
        if nu not in MATERN_ORDERS:
            allowed = OneOf(*(str(known) for known in MATERN_ORDERS))
            raise ParameterError(violation("Matern", "nu", [allowed], nu).replace("a str among", "one of"))
        self.nu = nu

    def _function(self) -> _native_calls.Function:
        return (_native_calls.MATERN, 1.0 / float(self.length_scale), 0.0, MATERN_ORDERS[self.nu])
