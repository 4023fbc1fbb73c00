"""Partial least squares regression. Wold (1966), de Jong (1993)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import register
from certus.base.params import Interval
from certus.components.learning.paired_regression import PairedRegression
from certus.components.learning.two_tables import TwoTables
from certus.components.solvers.paired_directions import PairedDirections, deflated_pairs

Floats = NDArray[np.float64]


@register(
    tasks=("regression", "transformation"),
    guarantees=("held-out error bound",),
    cost="fit n p (q + 3) per component and p q min(p, q); predict n p q",
)
class PLSRegression(PairedRegression):
    """Regression on the directions of X that have the largest covariance with the targets.

    Each direction is the leading singular vector of X'Y, found directly; then X and Y lose what its scores explain.
    With as many components as X has independent columns this is least squares.

    Parameters
    ----------
    max_iter : int, default=500
        Accepted for compatibility: nothing is iterated.
    tol : float, default=1e-6
        Accepted for compatibility.

    Attributes
    ----------
    x_scores_, y_scores_ : ndarray of shape (n_samples, n_components)
        Scores of the training rows (times the roots of their weights).

    Examples
    --------
    >>> from certus.components import PLSRegression
    >>> X = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 5.0, 4.0]]
    >>> y = [[0.1, -0.2], [0.9, 1.1], [6.2, 5.9], [11.9, 12.3]]
    >>> model = PLSRegression(2).fit(X, y)
    >>> print(model.predict(X).round(1)[0], model.explained_variance_ratio_x_.round(2))
    [0.3 0.2] [0.87 0.12]
    """

    _constraints: ClassVar[Any] = {
        **TwoTables._constraints,
        "max_iter": [Interval(1, None, integer=True)],
        "tol": [Interval(0, None)],
    }
    _state: ClassVar[tuple[str, ...]] = (*PairedRegression._state, "x_scores_", "y_scores_")
    _own_scores: ClassVar[bool] = False

    x_scores_: Floats
    y_scores_: Floats

    def __init__(
        self, n_components: int = 2, *, scale: bool = True, max_iter: int = 500, tol: float = 1e-6, copy: bool = True
    ) -> None:
        self._set_parameters(locals())

    def _most(self, rows: int, width: int, targets: int) -> int:
        return min(rows, width)

    def _pairs(self, X: Floats, Y: Floats, total: float) -> PairedDirections:
        found = deflated_pairs(X, Y, self.n_components, canonical=False)
        self.x_scores_, self.y_scores_ = found.x_scores, found.y_scores
        return found
