"""Regression by neighbors whose number is chosen by leave-one-out."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from certus.base import TableLike, TargetLike, fit_method, register
from certus.base.params import ArrayLike
from certus.neighbors.k_neighbors_regressor import KNeighborsRegressor
from certus.neighbors.learning.chosen_count import ChosenCount
from certus.neighbors.learning.neighbor_weights import is_uniform, neighbor_weights


@register(
    family="neighbors",
    tasks=("regression",),
    guarantees=(),
    cost="fit as one search for the most neighbors of every row, predict as KNeighborsRegressor",
)
class KNeighborsRegressorCV(ChosenCount, KNeighborsRegressor):
    """KNeighborsRegressor with the number of neighbors whose squared error on rows left out is least.

    Parameters
    ----------
    n_neighbors : iterable of int, default=tuple(range(1, 51))
        The candidates; those that are not less than the number of rows are passed over.
    weights : {'uniform', 'distance'}, callable or None, default='uniform'
        How much each neighbor counts, as in `KNeighborsRegressor`.

    See Also
    --------
    KNeighborsClassifierCV : The same for labels.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neighbors import KNeighborsRegressorCV
    >>> X = np.linspace(0, 3, 100)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.3 * np.random.default_rng(0).normal(size=100)
    >>> print(3 < KNeighborsRegressorCV().fit(X, y).n_neighbors_ < 50)
    True
    """

    _constraints = {**KNeighborsRegressor._constraints, "n_neighbors": [ArrayLike()]}
    _state: ClassVar[tuple[str, ...]] = (*KNeighborsRegressor._state, "n_neighbors_", "loo_errors_")

    def __init__(
        self,
        n_neighbors: Any = tuple(range(1, 51)),
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float | None = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike) -> KNeighborsRegressorCV:  # type: ignore[override]
        """Keep the rows and choose the number of neighbors."""
        self.__dict__.pop("n_neighbors_", None)
        self._fit_rows(X, y, None)
        self._choose(self._mean_square)
        return self

    @fit_method
    def partial_fit(self, X: TableLike, y: TargetLike) -> KNeighborsRegressorCV:  # type: ignore[override]
        """Remember further rows and choose the number of neighbors again."""
        self._add_rows(X, y, None)
        self._choose(self._mean_square)
        return self

    def _mean_square(self, neighbors: Any, distances: Any) -> float:
        targets = self._y.reshape(len(self._y), -1)
        shares = np.ones(neighbors.shape) if is_uniform(self.weights) else neighbor_weights(self.weights, distances)
        shares = shares / shares.sum(axis=1, keepdims=True)
        means = np.einsum("ik,iko->io", shares, targets[neighbors])
        return float(np.mean((means - targets) ** 2))
