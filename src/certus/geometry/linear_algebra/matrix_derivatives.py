"""Derivatives of matrix expressions, and a check of any derivative against differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from certus.geometry.linear_algebra.matrix_inputs import Floats, check_matrix, check_vector


@dataclass(frozen=True)
class GradientCheck:
    """A derivative beside differences of its function.

    Attributes
    ----------
    holds : bool
        Whether they agree.
    error : float
        Largest difference between the two, relative to the largest derivative.
    witness : tuple of int
        Where the two differ most: the number of the variable, after that of the output if there are several; empty if
        they agree.
    given : ndarray
        The derivative that was checked.
    differences : ndarray
        The one from differences.
    """

    holds: bool
    error: float
    witness: tuple[int, ...]
    given: Floats
    differences: Floats

    def __bool__(self) -> bool:
        return self.holds


def gradient_check(
    function: Callable[[Floats], Any], gradient: Callable[[Floats], Any], x: Any, *, tol: float = 1e-6
) -> GradientCheck:
    """Compare a derivative with differences (f(x + h) - f(x - h)) / 2h, extrapolated to h = 0.

    The steps are relative to the largest entry of x, so that a point near 1e-150 is as good as one near 1.

    Parameters
    ----------
    function : callable
        A function of a vector, whose value is a number or a vector.
    gradient : callable
        Its derivative: a vector, or for values that are vectors a matrix with a row for each of them (the Jacobian
        layout; the layout of columns has its transpose).
    x : array-like of shape (n,)
        The point.
    tol : float, default=1e-6
        The largest difference that counts as agreement, relative to the largest derivative.

    Returns
    -------
    GradientCheck
        ``holds``, ``error``, ``witness``, ``given`` and ``differences``.

    Examples
    --------
    >>> from certus.geometry import gradient_check
    >>> gradient_check(lambda x: x @ x, lambda x: 2 * x, [1.0, 2.0]).holds
    True
    >>> gradient_check(lambda x: x @ x, lambda x: [2 * x[0], x[1]], [1.0, 2.0]).witness
    (1,)
    """
    point = check_vector(x, "x").copy()
    given = np.asarray(gradient(point.copy()), dtype=np.float64)
    differences = _differences(function, point)
    if given.shape != differences.shape:
        raise ValueError(
            f"gradient must give an array of shape {differences.shape}, one entry per variable "
            f"(and a row per output), got {given.shape}."
        )
    wrong = np.abs(given - differences)
    if np.isfinite(wrong).all():
        size = float(max(np.abs(given).max(), np.abs(differences).max()))
        error = float(wrong.max()) / size if size > 0 else 0.0
    else:
        wrong[~np.isfinite(wrong)] = np.inf
        error = np.inf
    holds = bool(error <= tol)
    place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    return GradientCheck(holds, error, () if holds else tuple(int(i) for i in place), given, differences)


class Derivative(NamedTuple):
    """An expression in x and its derivative, both functions of x."""

    function: Callable[[Floats], Any]
    gradient: Callable[[Floats], Floats]


def matrix_derivatives(M: Any, y: Any | None = None) -> dict[str, Derivative]:
    """The derivatives of Mx, y'Mx, x'Mx and x'x with respect to x.

    d(Mx)/dx = M in the Jacobian layout, a row for every output. The others have numbers as values and vectors as
    derivatives: M'y, (M + M')x and 2x. If M is symmetric, (M + M')x is 2Mx, which is then the fifth entry.

    Parameters
    ----------
    M : array-like of shape (m, n)
        The matrix. x'Mx is there if it is square.
    y : array-like of shape (m,), default=None
        The vector of y'Mx; without it, that entry is left out.

    Returns
    -------
    dict of str to Derivative
        By expression: a pair of functions of x, ``function`` and ``gradient``.

    Examples
    --------
    >>> from certus.geometry import gradient_check, matrix_derivatives
    >>> found = matrix_derivatives([[1, 2], [3, 4]], y=[1, -1])
    >>> {name: gradient_check(*pair, [0.5, 2.0]).holds for name, pair in found.items()}
    {'Mx': True, "y'Mx": True, "x'x": True, "x'Mx": True}
    """
    matrix = check_matrix(M, "M")
    found = {"Mx": Derivative(lambda x: matrix @ x, lambda _: matrix.copy())}
    if y is not None:
        left = check_vector(y, "y", length=len(matrix))
        found["y'Mx"] = Derivative(lambda x: left @ (matrix @ x), lambda _: matrix.T @ left)
    found["x'x"] = Derivative(lambda x: x @ x, lambda x: 2 * x)
    if matrix.shape[0] == matrix.shape[1]:
        found["x'Mx"] = Derivative(lambda x: x @ (matrix @ x), lambda x: (matrix + matrix.T) @ x)
        if np.array_equal(matrix, matrix.T):
            found["x'Mx, M symmetric"] = Derivative(lambda x: x @ (matrix @ x), lambda x: 2 * (matrix @ x))
    return found


def _differences(function: Callable[[Floats], Any], point: Floats) -> Floats:
    """The Jacobian by central differences at two steps, combined so that the error in h^2 cancels."""
    scale = np.abs(point).max()
    exponent = int(np.frexp(scale)[1]) if scale > 0 else 0
    columns = []
    for variable in range(point.size):
        slopes = []
        for power in (exponent - 10, exponent - 11):  # steps are powers of two: x + h and x - h lose no digit of h
            step = float(np.ldexp(1.0, power))
            ahead, behind = point.copy(), point.copy()
            ahead[variable] += step
            behind[variable] -= step
            width = ahead[variable] - behind[variable]
            slopes.append(
                np.asarray(function(ahead), dtype=np.float64) / width
                - np.asarray(function(behind), dtype=np.float64) / width
            )
        columns.append((4 * slopes[1] - slopes[0]) / 3)
    return np.stack(columns, axis=-1)
