"""What the ``kernel`` parameter of a learner means: a name as in scikit-learn, a function of two rows, or an object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

from certus.base import Constraints, Exactly, Function, InstanceOf, Interval, OneOf
from certus.kernels._native_calls import Array, Rows
from certus.kernels.functions.distances import Gaussian, Laplacian
from certus.kernels.functions.inner_products import Linear, Polynomial, Tanh
from certus.kernels.functions.kernel import Kernel, Objects
from certus.kernels.functions.sums_and_products import Constant
from certus.kernels.functions.transformed_kernels import Normalized

KernelLike: TypeAlias = str | Kernel | Callable[..., float]
NAMES = ("additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "rbf", "sigmoid")
KERNEL_CONSTRAINTS: Constraints = {
    "kernel": [OneOf(*NAMES, "precomputed"), Function()],
    "gamma": [Interval(0, None, closed="left"), Exactly(None)],
    "degree": [Interval(0, None, closed="left")],
    "coef0": [Interval(None, None, closed="neither")],
    "kernel_params": [InstanceOf(dict), Exactly(None)],
}


class PairFunction(Kernel):
    """A kernel that scikit-learn's `pairwise_kernels` fills in: a function of two rows, or one of its names."""

    def __init__(self, metric: str | Callable[..., float], params: Mapping[str, Any]) -> None:
        self.metric = metric
        self.params = params

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        values = pairwise_kernels(X, Y, metric=self.metric, filter_params=True, **self.params)
        return np.ascontiguousarray(values, dtype=np.float64)

    def diag(self, X: Objects) -> Array:
        rows = cast(Rows, X)
        if self.metric == "chi2":
            return np.ones(rows.shape[0])
        return np.array([self.gram(rows[[i]])[0, 0] for i in range(rows.shape[0])])

    def _proof(self) -> str | None:
        return "exp(-gamma d) of a conditionally definite distance d" if self.metric == "chi2" else None


def choose_kernel(
    kernel: KernelLike, columns: int, gamma: float | None, degree: float, coef0: float, params: Mapping[str, Any] | None
) -> Kernel:
    """The kernel object that a learner's parameters ask for; not for "precomputed"."""
    if isinstance(kernel, Kernel):
        return kernel
    if not isinstance(kernel, str):
        return PairFunction(kernel, params or {})
    if kernel in ("additive_chi2", "chi2"):
        return PairFunction(kernel, {"gamma": 1.0 if gamma is None else float(gamma)})
    factor = 1.0 / columns if gamma is None else float(gamma)
    if kernel in ("poly", "polynomial"):
        if float(degree).is_integer():
            return Polynomial(int(degree), factor, float(coef0))
        return FractionalPolynomial(float(degree), factor, float(coef0))
    if kernel in ("rbf", "laplacian"):
        if factor == 0.0:
            return Constant(1.0)
        return Gaussian(factor) if kernel == "rbf" else Laplacian(factor)
    if kernel == "sigmoid":
        return Tanh(factor, float(coef0))
    return Linear() if kernel == "linear" else Normalized(Linear())


class FractionalPolynomial(Kernel):
    """The function (gamma x.z + coef0)^degree for a degree that is not whole; not a kernel in general."""

    def __init__(self, degree: float, gamma: float, coef0: float) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        values: Array = (self.gamma * Linear().gram(X, Y) + self.coef0) ** self.degree
        return values

    def diag(self, X: Objects) -> Array:
        values: Array = (self.gamma * Linear().diag(X) + self.coef0) ** self.degree
        return values
