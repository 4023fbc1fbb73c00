"""Canonical correlations of two tables. Hotelling (1936)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import register
from certus.base.params import Interval
from certus.components.learning.paired_regression import PairedRegression
from certus.components.learning.two_tables import TwoTables
from certus.components.solvers.paired_directions import PairedDirections, correlated_pairs

Floats = NDArray[np.float64]


@register(
    tasks=("regression", "transformation"),
    guarantees=("held-out error bound",),
    cost="fit n (p^2 + q^2) + p^3; predict n p q",
)
class CCA(PairedRegression):
    """Pairs of directions of two tables whose scores have the largest correlation.

    Solves C_xy C_yy^-1 C_yx w = rho^2 C_xx w directly, for all pairs at once. With ``tau`` both C_xx and C_yy are
    replaced by (1 - tau) C + tau I, which keeps few rows of many columns from correlating perfectly; 1 is the largest
    covariance. Of equally correlated pairs the one that explains more of X comes first.

    Parameters
    ----------
    max_iter : int, default=500
        Accepted for compatibility: nothing is iterated.
    tol : float, default=1e-6
        Accepted for compatibility.
    tau : float, default=0.0
        Regularization, from 0 to 1.

    Attributes
    ----------
    correlations_ : ndarray of shape (n_components,)
        The canonical correlations, descending; with ``tau`` the maxima of the regularized quotient.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.components import CCA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = X @ [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]] + rng.normal(size=(500, 2))
    >>> CCA(2).fit(X, y).correlations_.round(2)
    array([0.72, 0.03])
    """

    _constraints: ClassVar[Any] = {
        **TwoTables._constraints,
        "max_iter": [Interval(1, None, integer=True)],
        "tol": [Interval(0, None)],
        "tau": [Interval(0, 1)],
    }
    _state: ClassVar[tuple[str, ...]] = (*PairedRegression._state, "correlations_")

    tau: float
    correlations_: Floats

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: bool = True,
        max_iter: int = 500,
        tol: float = 1e-6,
        copy: bool = True,
        tau: float = 0.0,
    ) -> None:
        self._set_parameters(locals())

    def _most(self, rows: int, width: int, targets: int) -> int:
        return min(rows, width, targets)

    def _pairs(self, X: Floats, Y: Floats, total: float) -> PairedDirections:
        found, self.correlations_ = correlated_pairs(X, Y, self.n_components, float(self.tau), total)
        return found
