"""What the ``kernel`` parameter of a learner means: a name as in scikit-learn, a function of two rows, or an object."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

from certus.base import Constraints, Exactly, Function, InstanceOf, Interval, OneOf
from certus.kernels.functions.algebra import Constant, Normalized
from certus.kernels.functions.distances import Gaussian, Laplacian
from certus.kernels.functions.inner_products import Linear, Polynomial, Tanh
from certus.kernels.functions.kernel import Array, Kernel

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

    def __init__(self, metric: Any, params: Mapping[str, Any]) -> None:
        self.metric = metric
        self.params = params

    def gram(self, X: Any, Y: Any = None) -> Array:
        values = pairwise_kernels(X, Y, metric=self.metric, filter_params=True, **self.params)
        return np.ascontiguousarray(values, dtype=np.float64)

    def diag(self, X: Any) -> Array:
        if self.metric == "chi2":
            return np.ones(X.shape[0])
        return np.array([self.gram(X[[i]])[0, 0] for i in range(X.shape[0])])

    def _proof(self) -> str | None:
        return "exp(-gamma d) of a conditionally definite distance d" if self.metric == "chi2" else None


def choose_kernel(learner: Any, columns: int) -> Kernel:
    """The kernel object that a learner's parameters ask for; not for "precomputed"."""
    name = learner.kernel
    if isinstance(name, Kernel):
        return name
    if callable(name):
        return PairFunction(name, learner.kernel_params or {})
    gamma = 1.0 / columns if learner.gamma is None else float(learner.gamma)
    degree, offset = learner.degree, float(learner.coef0)
    if name in ("additive_chi2", "chi2"):
        return PairFunction(name, {"gamma": 1.0 if learner.gamma is None else gamma})
    if name in ("poly", "polynomial"):
        if isinstance(degree, Integral) or float(degree).is_integer():
            return Polynomial(int(degree), gamma, offset)
        return FractionalPolynomial(float(degree), gamma, offset)
    if name in ("rbf", "laplacian") and gamma == 0.0:
        return Constant(1.0)
    if name == "rbf":
        return Gaussian(gamma)
    if name == "laplacian":
        return Laplacian(gamma)
    if name == "sigmoid":
        return Tanh(gamma, offset)
    return Linear() if name == "linear" else Normalized(Linear())


class FractionalPolynomial(Kernel):
    """The function (gamma x.z + coef0)^degree for a degree that is not whole; not a kernel in general."""

    def __init__(self, degree: float, gamma: float, coef0: float) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def gram(self, X: Any, Y: Any = None) -> Array:
        values: Array = (self.gamma * Linear().gram(X, Y) + self.coef0) ** self.degree
        return values

    def diag(self, X: Any) -> Array:
        values: Array = (self.gamma * Linear().diag(X) + self.coef0) ** self.degree
        return values
