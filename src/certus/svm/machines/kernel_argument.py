"""What the ``kernel`` parameter means: a named kernel of rows, a given matrix, a function, or a kernel object."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.svm import _native_calls

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

    def allows(self, value: Any) -> bool:
        """Whether the value has both methods."""
        return callable(getattr(value, "gram", None)) and callable(getattr(value, "diag", None))

    def __str__(self) -> str:
        return "a kernel object with gram(X, Y) and diag(X)"


def computes_gram(kernel: Any) -> bool:
    """Whether the kernel is evaluated outside: by a function or a kernel object."""
    return not isinstance(kernel, str)


def gram(kernel: Any, X: Any, Y: Any, *, owner: str, shape: tuple[int, int]) -> NDArray[np.float64]:
    """The kernel's matrix between X and Y, checked."""
    values = kernel.gram(X, Y) if KernelObject().allows(kernel) else kernel(X, Y)
    if sparse.issparse(values):
        values = values.toarray()
    matrix = np.asarray(values, dtype=np.float64, order="C")
    if matrix.shape != shape:
        raise ValueError(
            f"The kernel of {owner} must return a matrix with one row per row of its first and one column per row "
            f"of its second argument, here of shape {shape}. X.shape[0] should be equal to X.shape[1] when fitting. "
            f"Got shape {matrix.shape} instead.\nHint: a kernel is called as kernel(X, Y)."
        )
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(
            f"The kernel of {owner} returned {matrix[row, column]} for rows {row} and {column}; it must be finite."
        )
    return matrix


def refuse_asymmetric(matrix: NDArray[np.float64], owner: str) -> None:
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


def resolve_gamma(gamma: Any, X: Any, weights: NDArray[np.float64]) -> float:
    """The number that "scale" and "auto" stand for; rows count by their weights in the variance of all cells."""
    if isinstance(gamma, Real) and not isinstance(gamma, str):
        return float(gamma)
    if gamma == "auto":
        return 1.0 / X.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        if (weights == weights[0]).all():
            variance = float((X.multiply(X)).mean() - X.mean() ** 2 if sparse.issparse(X) else X.var())
        else:
            variance = _weighted_variance(X, weights / weights.sum())
    if not np.isfinite(variance):
        raise ValueError(
            "The dual coefficients or intercepts are not finite. The input data may contain large values and need "
            "to be preprocessed: the variance of X, which gamma='scale' needs, overflows.\n"
            "Hint: scale the columns first, for example with StandardScaler."
        )
    return 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0


def _weighted_variance(X: Any, shares: NDArray[np.float64]) -> float:
    mean = float(shares @ np.asarray(X.mean(axis=1)).ravel())
    if sparse.issparse(X):
        return float(shares @ np.asarray(X.multiply(X).mean(axis=1)).ravel()) - mean**2
    return float(shares @ ((X - mean) ** 2).mean(axis=1))
