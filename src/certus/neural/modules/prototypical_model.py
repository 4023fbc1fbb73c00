"""The form that neural networks, kernel machines and boosting share: a weighted sum of simple functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.neural.modules.module import Array, floats


class PrototypicalModel:
    """f(x) = sum over i of alpha_i unit(x, w_i).

    With unit = kernel and w_i = x_i it is a kernel machine; with unit(x, w) = sigma(w'x), a network with one hidden
    layer.

    Parameters
    ----------
    alpha : array-like of shape (units,) or (units, outputs)
        Weights of the units.
    points : array-like of shape (units, ...)
        w_i.
    unit : callable
        Gives the matrix of unit(x_j, w_i), (rows, units), from rows X and the points.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural.modules import PrototypicalModel
    >>> hat = PrototypicalModel([1.0, -2.0, 1.0], [0.0, 1.0, 2.0], lambda X, w: np.maximum(X - w, 0.0))
    >>> hat.predict([[0.5], [1.0], [3.0]]).tolist()
    [0.5, 1.0, 0.0]
    """

    def __init__(self, alpha: ArrayLike, points: ArrayLike, unit: Callable[[Any, Any], Any]) -> None:
        self.alpha, self.points, self.unit = floats(alpha), np.asarray(points), unit
        if len(self.alpha) != len(self.points):
            raise ValueError(
                f"alpha must have one weight per point, got {len(self.alpha)} for {len(self.points)}.\n"
                "Hint: one point per unit."
            )

    def features(self, X: ArrayLike) -> Array:
        """unit(x_j, w_i), (rows, units)."""
        return floats(self.unit(floats(X), self.points))

    def predict(self, X: ArrayLike) -> Array:
        """F of every row."""
        return self.features(X) @ self.alpha

    def kernel(self, X: ArrayLike, Z: ArrayLike | None = None) -> Array:
        """The kernel (1/M) sum over i of unit(x, w_i) unit(z, w_i): its features are the units, over sqrt(M)."""
        left = self.features(X)
        right = left if Z is None else self.features(Z)
        return left @ right.T / len(self.points)
