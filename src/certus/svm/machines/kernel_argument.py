"""What the ``kernel`` parameter means: a named kernel of rows, a given matrix, a function, or a kernel object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from certus.base import TableLike
from certus.svm import _native_calls
from certus.svm._native_calls import Floats, Table


class GramKernel(Protocol):
    """A kernel object: it fills matrices of values."""

    def gram(self, X: Any, Y: Any) -> ArrayLike:
        """The matrix k(x_i, y_j)."""
        ...


KernelLike: TypeAlias = str | GramKernel | Callable[[Any, Any], ArrayLike]
Objects: TypeAlias = TableLike | Sequence[Any]  # a table, or whatever a kernel computed outside takes

NAMED = {
    "linear": _native_calls.LINEAR,
    "poly": _native_calls.POLYNOMIAL,
    "rbf": _native_calls.GAUSSIAN,
    "sigmoid": _native_calls.SIGMOID,
    "precomputed": _native_calls.GIVEN,
}
LOOKED_AT = 64  # lines of a given kernel matrix that are compared with its columns
ASYMMETRY = 1e-3  # difference that is not rounding, relative to the largest value


class KernelObject:
    """Parameter rule: an object with methods ``gram(X, Y)`` and ``diag(X)``."""

    def allows(self, value: object) -> bool:
        """Whether the value has both methods."""
        return callable(getattr(value, "gram", None)) and callable(getattr(value, "diag", None))

    def __str__(self) -> str:
        return "a kernel object with gram(X, Y) and diag(X)"


def computes_gram(kernel: KernelLike) -> bool:
    """Whether the kernel is evaluated outside: by a function or a kernel object."""
    return not isinstance(kernel, str)


def count(X: Objects) -> int:
    """How many rows or objects there are."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)  # type: ignore[arg-type]


def gram(kernel: KernelLike, X: Objects, Y: Objects, *, owner: str, shape: tuple[int, int]) -> Floats:
    """The kernel's matrix between X and Y, checked."""
    compute: Any = getattr(kernel, "gram", kernel) if KernelObject().allows(kernel) else kernel
    values = compute(X, Y)
    matrix = np.asarray(values.toarray() if sparse.issparse(values) else values, dtype=np.float64, order="C")
    if matrix.shape != shape:
        raise ValueError(
            f"The kernel of {owner} must return a matrix with one row per row of its first and one column per row "
            f"of its second argument, here of shape {shape}. X.shape[0] should be equal to X.shape[1] when fitting. "
            f"Got shape {matrix.shape} instead.\nHint: a kernel is called as kernel(X, Y)."
        )
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(
            f"The kernel of {owner} returned {matrix[row, column]} for rows {row} and {column}; it must be finite.\n"
            "Hint: scale the columns, or fix the function."
        )
    return matrix


def refuse_asymmetric(matrix: Floats, owner: str) -> None:
    """Raise if a kernel matrix of the training rows is not symmetric; some of its lines are looked at."""
    step = max(1, len(matrix) // LOOKED_AT)
    lines, columns = matrix[::step], matrix[:, ::step].T
    apart = np.abs(lines - columns)
    if apart.size and apart.max() > ASYMMETRY * max(float(np.abs(lines).max()), 1e-300):
        row, column = np.unravel_index(int(apart.argmax()), apart.shape)
        raise ValueError(
            f"The kernel matrix of {owner} must be symmetric: for rows {row * step} and {column} it has "
            f"{lines[row, column]:g}, the other way round {columns[row, column]:g}.\n"
            "Hint: use (K + K.T) / 2, or a symmetric function."
        )


def resolve_gamma(gamma: str | float, X: Table, weights: Floats) -> float:
    """The number that "scale" and "auto" stand for; rows count by their weights in the variance of all cells."""
    if isinstance(gamma, Real):
        return float(gamma)
    if gamma == "auto":
        return 1.0 / X.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        if (weights == weights[0]).all():
            variance = float(X.var() if isinstance(X, np.ndarray) else X.multiply(X).mean() - X.mean() ** 2)
        else:
            variance = _weighted_variance(X, weights / weights.sum())
    if not np.isfinite(variance):
        raise ValueError(
            "The dual coefficients or intercepts are not finite. The input data may contain large values and need "
            "to be preprocessed: the variance of X, which gamma='scale' needs, overflows.\n"
            "Hint: scale the columns first, for example with StandardScaler."
        )
    return 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0


def _weighted_variance(X: Table, shares: Floats) -> float:
    mean = float(shares @ np.asarray(X.mean(axis=1)).ravel())
    if isinstance(X, np.ndarray):
        return float(shares @ ((X - mean) ** 2).mean(axis=1))
    return float(shares @ np.asarray(X.multiply(X).mean(axis=1)).ravel()) - mean**2
