"""Functions in the space that a kernel spans: they add, have inner products, norms and distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.kernels._native_calls import Array
from certus.kernels.functions.kernel import Kernel, Objects, listed


class KernelFunction:
    """The function f = sum_j c_j k(x_j, .), an element of the Hilbert space that the kernel k reproduces.

    There <f, k(x, .)> = f(x), and <f, g> = c'K(x, z)b for g = sum_j b_j k(z_j, .). Norms are exact up to the rounding
    of the kernel's values.

    Parameters
    ----------
    kernel : Kernel
        k.
    points : table or list of objects
        The x_j.
    coefficients : array-like of shape (n_points,)
        The c_j.

    Examples
    --------
    The tent that rises to 1 at 10 and is 0 from 20 on:

    >>> from certus.kernels import KernelFunction, Minimum
    >>> tent = KernelFunction(Minimum(), [10.0, 20.0], [0.2, -0.1])
    >>> tent([5.0, 10.0, 15.0, 30.0]).round(9).tolist(), round(tent.norm(), 4)
    ([0.5, 1.0, 0.5, 0.0], 0.4472)
    """

    def __init__(self, kernel: Kernel, points: Objects, coefficients: ArrayLike) -> None:
        self.kernel = kernel
        self.points = np.asarray(points, dtype=np.float64) if kernel._takes_rows() else listed(points)
        self.coefficients = np.array(coefficients, dtype=np.float64)
        if self.coefficients.shape != (len(self.points),):
            raise ValueError(
                f"KernelFunction needs one coefficient per point: got {len(self.points)} points and coefficients of "
                f"shape {self.coefficients.shape}.\nHint: pass as many coefficients as points."
            )

    def __call__(self, X: Objects) -> Array:
        """The values f(x_i)."""
        return np.asarray(self.kernel.gram(X, self.points) @ self.coefficients)

    def inner(self, other: KernelFunction) -> float:
        """The inner product <f, g> with a function of the same space."""
        self._same_space(other)
        return float(self.coefficients @ self.kernel.gram(self.points, other.points) @ other.coefficients)

    def norm(self) -> float:
        """The norm sqrt(<f, f>)."""
        square = float(self.coefficients @ self.kernel.gram(self.points) @ self.coefficients)
        return float(np.sqrt(max(square, 0.0)))

    def distance(self, other: KernelFunction) -> float:
        """The norm of f - g."""
        return (self - other).norm()

    def __add__(self, other: KernelFunction) -> KernelFunction:
        self._same_space(other)
        if self.kernel._takes_rows():
            points: Any = np.concatenate([self.points, other.points])
        else:
            points = [*self.points, *other.points]
        return KernelFunction(self.kernel, points, np.concatenate([self.coefficients, other.coefficients]))

    def __mul__(self, factor: float) -> KernelFunction:
        return KernelFunction(self.kernel, self.points, float(factor) * self.coefficients)

    __rmul__ = __mul__

    def __neg__(self) -> KernelFunction:
        return -1.0 * self

    def __sub__(self, other: KernelFunction) -> KernelFunction:
        return self + (-other)

    def _same_space(self, other: KernelFunction) -> None:
        if self.kernel is not other.kernel and repr(self.kernel) != repr(other.kernel):
            raise ValueError(
                f"The functions are of different spaces: {self.kernel!r} and {other.kernel!r}.\n"
                "Hint: only functions of the same kernel have an inner product."
            )
