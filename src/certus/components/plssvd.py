"""The leading singular vectors of the covariance of two tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from certus.base import predict_method, register
from certus.base.inputs import TableLike, TargetLike
from certus.components.learning.two_tables import TwoTables
from certus.components.solvers.paired_directions import explained_shares

Floats = NDArray[np.float64]


@register(
    guarantees=(),
    cost="fit n p q + p q min(p, q); transform n p",
)
class PLSSVD(TwoTables):
    """Pairs of orthonormal directions of two tables with the largest covariance, all at once and without deflation.

    Examples
    --------
    >>> from certus.components import PLSSVD
    >>> X = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 5.0, 4.0]]
    >>> y = [[0.1, -0.2], [0.9, 1.1], [6.2, 5.9], [11.9, 12.3]]
    >>> PLSSVD(2).fit(X, y).transform(X).shape
    (4, 2)
    """

    def __init__(self, n_components: int = 2, *, scale: bool = True, copy: bool = True) -> None:
        self._set_parameters(locals())

    def _most(self, rows: int, width: int, targets: int) -> int:
        return min(rows, width, targets)

    def _find(self, X: Floats, Y: Floats, total: float) -> None:
        left, _, right = linalg.svd(X.T @ Y, full_matrices=False, check_finite=False)
        left, right = left[:, : self.n_components], right[: self.n_components].T
        largest = left[np.abs(left).argmax(axis=0), np.arange(self.n_components)]
        signs = np.where(largest < 0.0, -1.0, 1.0)
        self.x_weights_, self.y_weights_ = left * signs, right * signs
        self.explained_variance_ratio_x_ = explained_shares(X, X @ left)
        self.explained_variance_ratio_y_ = explained_shares(Y, Y @ right)

    @predict_method
    def transform(self, X: TableLike, y: TargetLike | None = None) -> Any:
        """The scores of the rows.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Rows of the second table.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or a tuple of two for two tables
        """
        return self._scores(X, y, self.x_weights_, self.y_weights_)
