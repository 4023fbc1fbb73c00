"""Kernels of the inner product of two rows: linear, polynomial, exponential, hyperbolic tangent, arc-cosine."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from certus.base import register_part
from certus.kernels import _native_calls
from certus.kernels._native_calls import Array, dense_rows, squared_norms
from certus.kernels.functions.kernel import FeatureMap, InfiniteFeaturesError, Objects, VectorKernel, width
from certus.kernels.functions.kernel_arguments import number, whole
from certus.kernels.functions.monomials import polynomial_features
from certus.kernels.functions.validity import Validity, examine


@register_part("kernels")
class Linear(VectorKernel):
    """The inner product k(x, z) = x'Az; valid if and only if A is positive semidefinite.

    Parameters
    ----------
    metric : array-like of shape (n_features, n_features) or None, default=None
        The symmetric matrix A; None for the identity.

    Examples
    --------
    >>> from certus.kernels import Linear
    >>> Linear([[-1.0, 2.0], [2.0, 4.0]]).validity.status
    'refuted'
    """

    def __init__(self, metric: ArrayLike | None = None) -> None:
        self.metric = metric
        if metric is not None:
            matrix = np.asarray(metric, dtype=np.float64)
            if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.array_equal(matrix, matrix.T):
                raise ValueError(
                    f"The 'metric' parameter of Linear must be a symmetric matrix, got shape {matrix.shape}.\n"
                    "Hint: x'Az with A and with (A + A')/2 agree on equal rows; pass the symmetric part."
                )

    def _function(self) -> _native_calls.Function:
        return (_native_calls.LINEAR, 1.0, 0.0, 1)

    def gram(self, X: Objects, Y: Objects | None = None) -> Array:
        if self.metric is None:
            return super().gram(X, Y)
        left, right = self._rows(X, "X"), self._rows(X if Y is None else Y, "Y")
        matrix = np.asarray(self.metric, dtype=np.float64)
        if left.shape[1] != len(matrix):
            raise ValueError(
                f"Linear: X has {left.shape[1]} columns, but the metric is for {len(matrix)}.\n"
                "Hint: the metric needs one row and one column per column of X."
            )
        values = super().gram(left @ matrix, right)
        return 0.5 * (values + values.T) if Y is None else values

    def diag(self, X: Objects) -> Array:
        rows = self._rows(X, "X")
        if self.metric is None:
            return squared_norms(rows)
        dense = dense_rows(rows)
        return np.einsum("ij,ij->i", dense @ np.asarray(self.metric, dtype=np.float64), dense)

    def feature_map(self) -> FeatureMap:
        if self.metric is None:
            return lambda X: dense_rows(self._rows(X, "X"))
        if not self.validity:
            raise InfiniteFeaturesError(
                f"Linear: the metric must be positive semidefinite, got one that is not: {self.validity.reason}.\n"
                "Hint: use gram(), which needs no features."
            )
        values, vectors = np.linalg.eigh(np.asarray(self.metric, dtype=np.float64))
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return lambda X: np.asarray(self._rows(X, "X") @ root)

    def feature_count(self, X: Objects) -> int | None:
        return width(X) if self.metric is None else len(np.asarray(self.metric))

    @property
    def validity(self) -> Validity:
        """Decided by the eigenvalues of A: A is the matrix of kernel values of the unit vectors."""
        if self.metric is not None:
            matrix = np.asarray(self.metric, dtype=np.float64)
            found = examine(np.eye(len(matrix)), matrix)
            if found is not None:
                return found
        return Validity("proved", "x'Az is the inner product of R'x and R'z for A = RR'")

    def _proof(self) -> str | None:
        return self.validity.reason if self.validity.status == "proved" else None

    def _probes(self) -> list[Objects]:
        return super()._probes() if self.metric is None else [np.eye(len(np.asarray(self.metric)))]


@register_part("kernels")
class Polynomial(VectorKernel):
    """The polynomial kernel k(x, z) = (gamma x.z + coef0)^degree; valid for gamma >= 0 and coef0 >= 0.

    Parameters
    ----------
    degree : int, default=3
        The power, at least 0.
    gamma, coef0 : float, default=1.0
        Factor and offset.

    Examples
    --------
    >>> from certus.kernels import Polynomial
    >>> Polynomial(2).gram([[1.0, 2.0]], [[3.0, -1.0]]).tolist()
    [[4.0]]
    """

    def __init__(self, degree: int = 3, gamma: float = 1.0, coef0: float = 1.0) -> None:
        self.degree = whole("degree", degree, self, low=0)
        self.gamma = number("gamma", gamma, self)
        self.coef0 = number("coef0", coef0, self)

    def _function(self) -> _native_calls.Function:
        return (_native_calls.POLYNOMIAL, float(self.gamma), float(self.coef0), int(self.degree))

    def diag(self, X: Objects) -> Array:
        values: Array = (self.gamma * squared_norms(self._rows(X, "X")) + self.coef0) ** self.degree
        return values

    def feature_map(self) -> FeatureMap:
        if self.gamma < 0 or self.coef0 < 0:
            return super().feature_map()
        return lambda X: polynomial_features(dense_rows(self._rows(X, "X")), self.degree, self.gamma, self.coef0)

    def feature_count(self, X: Objects) -> int | None:
        if self.gamma < 0 or self.coef0 < 0:
            return None
        columns = width(X) if self.coef0 == 0 else width(X) + 1
        return math.comb(columns + self.degree - 1, self.degree)

    def _proof(self) -> str | None:
        good = self.gamma >= 0 and self.coef0 >= 0
        return "a polynomial with coefficients >= 0 of the inner product" if good else None


@register_part("kernels")
class Exponential(VectorKernel):
    """The exponential kernel k(x, z) = exp(gamma x.z), a polynomial of infinite degree; valid for gamma >= 0.

    Parameters
    ----------
    gamma : float, default=1.0
        The factor.
    """

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = number("gamma", gamma, self)

    def _function(self) -> _native_calls.Function:
        return (_native_calls.EXPONENTIAL, float(self.gamma), 0.0, 1)

    def diag(self, X: Objects) -> Array:
        return np.exp(self.gamma * squared_norms(self._rows(X, "X")))

    def _proof(self) -> str | None:
        return "a power series with coefficients >= 0 of the inner product" if self.gamma >= 0 else None


@register_part("kernels")
class Tanh(VectorKernel):
    """The function k(x, z) = tanh(gamma x.z + coef0), popular but in general not a kernel.

    Parameters
    ----------
    gamma, coef0 : float
        Factor and offset, by default 1 and 0.
    """

    def __init__(self, gamma: float = 1.0, coef0: float = 0.0) -> None:
        self.gamma = number("gamma", gamma, self)
        self.coef0 = number("coef0", coef0, self)

    def _function(self) -> _native_calls.Function:
        return (_native_calls.TANH, float(self.gamma), float(self.coef0), 1)

    def diag(self, X: Objects) -> Array:
        return np.tanh(self.gamma * squared_norms(self._rows(X, "X")) + self.coef0)


@register_part("kernels")
class ArcCosine(VectorKernel):
    """The arc-cosine kernel k(x, z) = 2 E[(w.x)_+^n (w.z)_+^n] with w standard normal: infinitely many neurons.

    Parameters
    ----------
    order : {0, 1, 2}, default=1
        The power n: 0 for steps, 1 for ramps, 2 for squared ramps.
    """

    _rule = "an expectation of products of features of x and of z"

    def __init__(self, order: int = 1) -> None:
        self.order = whole("order", order, self, low=0, high=2)

    def _function(self) -> _native_calls.Function:
        return (_native_calls.ARC_COSINE, 1.0, 0.0, int(self.order))

    def diag(self, X: Objects) -> Array:
        norms = squared_norms(self._rows(X, "X"))
        if self.order == 0:
            return np.where(norms > 0, 1.0, 0.5)
        values: Array = norms if self.order == 1 else 3.0 * norms**2
        return values
