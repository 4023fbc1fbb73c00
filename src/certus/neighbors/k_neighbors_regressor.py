"""Regression by the mean of the nearest training rows. Fix, Hodges (1951)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Regressor, TableLike, TargetLike, fit_method, predict_method, register
from certus.guarantees import Report
from certus.neighbors.search.neighbor_search import CONSTRAINTS, STATE, NeighborSearch
from certus.neighbors.search.neighbor_weights import is_uniform, neighbor_weights


@register(
    family="neighbors",
    tasks=("regression",),
    guarantees=(),
    cost="fit O(n p log n), predict O(n p) per row or less, by kd-tree or matrix products",
)
class KNeighborsRegressor(NeighborSearch, Regressor):
    """Regressor that averages the targets of the nearest training rows.

    With N_k(x) the ``n_neighbors`` training rows nearest to x and w_i(x) their weights,

        y(x) = sum_i w_i(x) y_i / sum_i w_i(x),       i in N_k(x)

    The neighbors are exact whatever ``algorithm`` is, and rows equally far away are taken in the order of the training
    table. All columns count alike in the distance, so scale them first. The prediction cannot leave the range of the
    training targets. The model keeps all training rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbors are averaged.
    weights : {'uniform', 'distance'}, callable or None, default='uniform'
        ``'uniform'`` (or None): all alike. ``'distance'``: 1 / distance; if a neighbor is at distance 0, only
        such neighbors count. A function gets the array of distances and returns the weights in the same shape.

    Attributes
    ----------
    report_ : Report
        Empty: training supports no promise about a mean of neighbors.

    See Also
    --------
    KNeighborsClassifier : The same for labels.

    Examples
    --------
    >>> from certus.neighbors import KNeighborsRegressor
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> print(model.predict([[1.5]]))
    [0.5]
    """

    _constraints = CONSTRAINTS
    _state = STATE

    @fit_method
    def fit(self, X: TableLike, y: TargetLike) -> KNeighborsRegressor:
        """Keep the rows and prepare the search.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows; their distances to each other if ``metric='precomputed'``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their targets.
        """
        self._take_rows(*self._check_training(X, y))
        self.report_ = Report()
        return self

    def _restored(self) -> None:
        super()._restored()
        if hasattr(self, "_y") and (self._y.shape[:1] != (self.n_samples_fit_,) or self._y.ndim > 2):
            raise ValueError("_y does not have one target per training row")

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The (weighted) mean of the neighbors' targets.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            The queries; None stands for the training rows, each predicted from the others (leave-one-out).

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
            The predictions.
        """
        if is_uniform(self.weights):
            return np.mean(self._y[self.kneighbors(X, return_distance=False)], axis=1)
        distances, neighbors = self.kneighbors(X)
        weights = neighbor_weights(self.weights, distances)
        targets = self._y[neighbors]
        shared = weights if targets.ndim == 2 else weights[:, :, None]
        return np.sum(targets * shared, axis=1) / np.sum(shared, axis=1)
