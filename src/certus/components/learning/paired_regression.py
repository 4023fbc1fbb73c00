"""The base of learners of two tables that also predict the second from the first."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import Tags, check_array

from certus.base import predict_method, warn_user
from certus.base.inputs import TableLike, TargetLike
from certus.base.persistence import check_shapes
from certus.components.learning.two_tables import Frame, TwoTables
from certus.components.solvers.paired_directions import PairedDirections, explained_shares

Floats = NDArray[np.float64]


class PairedRegression(RegressorMixin, TwoTables):
    """What learners with scores, loadings and predictions share.

    Attributes
    ----------
    x_loadings_, y_loadings_ : ndarray of shape (n_features, n_components), (n_targets, n_components)
        How the tables follow from the scores.
    x_rotations_, y_rotations_ : ndarray of shape (n_features, n_components), (n_targets, n_components)
        How the scores follow from the centered and scaled tables.
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients: y is predicted as (x - mean) coef_' + intercept_.
    intercept_ : ndarray of shape (n_targets,)
        The means of the targets.
    n_iter_ : list of int
        1 per component: directions are found directly.
    """

    _state: ClassVar[tuple[str, ...]] = (
        *TwoTables._state,
        "x_loadings_",
        "y_loadings_",
        "x_rotations_",
        "y_rotations_",
        "coef_",
        "intercept_",
        "n_iter_",
    )

    x_loadings_: Floats
    y_loadings_: Floats
    x_rotations_: Floats
    y_rotations_: Floats
    coef_: Floats
    intercept_: Floats

    @abstractmethod
    def _pairs(self, X: Floats, Y: Floats, total: float) -> PairedDirections:
        """Directions of the two tables, which may be overwritten."""

    def _find(self, X: Floats, Y: Floats, total: float) -> None:
        whole = X.copy(), Y.copy()
        pairs = self._pairs(X, Y, total)
        if pairs.found < self.n_components:
            warn_user(
                f"y residual is constant at iteration {pairs.found}: further components explain nothing and are 0.\n"
                "Hint: ask for fewer components.",
                UserWarning,
            )
        self.x_weights_, self.y_weights_ = pairs.x_weights, pairs.y_weights
        self.x_loadings_, self.y_loadings_ = pairs.x_loadings, pairs.y_loadings
        self.x_rotations_, self.y_rotations_ = pairs.x_rotations, pairs.y_rotations
        self.explained_variance_ratio_x_ = explained_shares(whole[0], pairs.x_scores)
        own = pairs.y_scores if self._own_scores else pairs.x_scores
        self.explained_variance_ratio_y_ = explained_shares(whole[1], own)
        x_frame, y_frame = Frame(*self._x_frame), Frame(*self._y_frame)
        self.coef_ = (self.x_rotations_ @ self.y_loadings_.T * y_frame.scale).T / x_frame.scale
        self.intercept_ = y_frame.mean
        self.n_iter_ = [1] * pairs.found

    _own_scores: ClassVar[bool] = True  # whether the second table is explained by its own scores

    @predict_method
    def transform(self, X: TableLike, y: TargetLike | None = None, copy: bool = True) -> Any:
        """The scores of the rows.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Rows of the second table.
        copy : bool, default=True
            Accepted for compatibility.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or a tuple of two for two tables
        """
        return self._scores(X, y, self.x_rotations_, self.y_rotations_)

    @predict_method
    def inverse_transform(self, X: TableLike, y: TargetLike | None = None) -> Any:
        """Rows with these scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Scores of the first table.
        y : array-like of shape (n_samples, n_components), default=None
            Scores of the second table.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or a tuple of two for two tables
        """
        found = Frame(*self._x_frame).back(check_array(X, input_name="X", dtype=np.float64) @ self.x_loadings_.T)
        if y is None:
            return found
        scores = check_array(y, input_name="y", dtype=np.float64)
        return found, Frame(*self._y_frame).back(scores @ self.y_loadings_.T)

    @predict_method
    def predict(self, X: TableLike, copy: bool = True) -> Floats:
        """The targets of the rows.

        Parameters
        ----------
        copy : bool, default=True
            Accepted for compatibility.
        """
        rows = self._rows(X) * self._x_frame[1]
        found = rows @ self.coef_.T + self.intercept_
        return np.asarray(found[:, 0] if self._one_target else found)

    def _restored(self) -> None:
        super()._restored()
        if "x_weights_" in vars(self):
            width, targets, count = self.n_features_in_, len(self.y_weights_), self.n_components
            check_shapes(self, x_loadings_=(width, count), x_rotations_=(width, count), coef_=(targets, width))
            check_shapes(self, y_loadings_=(targets, count), y_rotations_=(targets, count), intercept_=(targets,))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
