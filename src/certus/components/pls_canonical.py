"""Partial least squares of two tables that play the same part. Wegelin (2000)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import register
from certus.base.params import Interval, OneOf
from certus.components.learning.paired_regression import PairedRegression
from certus.components.learning.two_tables import TwoTables
from certus.components.solvers.paired_directions import PairedDirections, deflated_pairs

Floats = NDArray[np.float64]


@register(
    tasks=("regression", "transformation"),
    guarantees=("held-out error bound",),
    cost="fit n (p q + 3 p + 3 q) per component; predict n p q",
)
class PLSCanonical(PairedRegression):
    """Pairs of directions of two tables with the largest covariance, each table losing what its own scores explain.

    Parameters
    ----------
    algorithm : {"nipals", "svd"}, default="nipals"
        Accepted for compatibility: directions are singular vectors, found directly.
    max_iter : int, default=500
        Accepted for compatibility: nothing is iterated.
    tol : float, default=1e-6
        Accepted for compatibility.

    Examples
    --------
    >>> from certus.components import PLSCanonical
    >>> X = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 5.0, 4.0]]
    >>> y = [[0.1, -0.2], [0.9, 1.1], [6.2, 5.9], [11.9, 12.3]]
    >>> x_scores, y_scores = PLSCanonical(2).fit_transform(X, y)
    >>> x_scores.shape
    (4, 2)
    """

    _constraints: ClassVar[Any] = {
        **TwoTables._constraints,
        "algorithm": [OneOf("nipals", "svd")],
        "max_iter": [Interval(1, None, integer=True)],
        "tol": [Interval(0, None)],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: bool = True,
        algorithm: str = "nipals",
        max_iter: int = 500,
        tol: float = 1e-6,
        copy: bool = True,
    ) -> None:
        self._set_parameters(locals())

    def _most(self, rows: int, width: int, targets: int) -> int:
        return min(rows, width, targets)

    def _pairs(self, X: Floats, Y: Floats, total: float) -> PairedDirections:
        return deflated_pairs(X, Y, self.n_components, canonical=True)
