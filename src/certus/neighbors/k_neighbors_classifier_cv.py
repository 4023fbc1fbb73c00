"""Classification by neighbors whose number is chosen by leave-one-out."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from certus.base import ClassWeightLike, TableLike, TargetLike, class_weights, fit_method, register
from certus.base.params import ArrayLike
from certus.neighbors import _native_calls
from certus.neighbors.k_neighbors_classifier import KNeighborsClassifier
from certus.neighbors.learning.chosen_count import ChosenCount
from certus.neighbors.learning.neighbor_weights import is_uniform, neighbor_weights


@register(
    family="neighbors",
    tasks=("classification",),
    guarantees=("held-out error bound",),
    cost="fit as one search for the most neighbors of every row, predict as KNeighborsClassifier",
)
class KNeighborsClassifierCV(ChosenCount, KNeighborsClassifier):
    """KNeighborsClassifier with the number of neighbors that errs least on rows left out.

    Leave-one-out needs no further training: one search finds for every row its nearest other rows, and their first k
    vote for each k.

    Parameters
    ----------
    n_neighbors : iterable of int, default=tuple(range(1, 51))
        The candidates; those that are not less than the number of rows are passed over.
    weights : {'uniform', 'distance'}, callable or None, default='uniform'
        How much each neighbor counts, as in `KNeighborsClassifier`.
    class_weight : {'balanced'}, dict or None, default=None
        Factor of the votes for each class.

    See Also
    --------
    KNeighborsRegressorCV : The same for numbers.

    Examples
    --------
    >>> from certus.neighbors import KNeighborsClassifierCV
    >>> from sklearn.datasets import load_iris
    >>> model = KNeighborsClassifierCV(range(1, 20)).fit(*load_iris(return_X_y=True))
    >>> print(model.n_neighbors_, model.loo_errors_.min().round(4))
    19 0.02
    """

    _constraints = {**KNeighborsClassifier._constraints, "n_neighbors": [ArrayLike()]}
    _state: ClassVar[tuple[str, ...]] = (*KNeighborsClassifier._state, "n_neighbors_", "loo_errors_")

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
        class_weight: ClassWeightLike = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike) -> KNeighborsClassifierCV:  # type: ignore[override]
        """Keep the rows and choose the number of neighbors."""
        self.__dict__.pop("n_neighbors_", None)
        self._fit_rows(X, y, None)
        self._choose(self._error_rate)
        return self

    @fit_method
    def partial_fit(self, X: TableLike, y: TargetLike, classes: Any = None) -> KNeighborsClassifierCV:  # type: ignore[override]
        """Remember further rows and choose the number of neighbors again."""
        self._add_rows(X, y, None)
        self._choose(self._error_rate)
        return self

    def _error_rate(self, neighbors: Any, distances: Any) -> float:
        """The share of rows with a wrong label in some output; rows count as the votes for their class do."""
        weights = None if is_uniform(self.weights) else neighbor_weights(self.weights, distances)
        wrong, shares = np.zeros(len(neighbors), dtype=bool), np.ones(len(neighbors))
        for codes, labels in self._outputs():
            votes = self._votes(neighbors, weights, codes, labels)
            wrong |= _native_calls.vote_winners(neighbors, votes, codes, len(labels), 1) != codes
            shares *= class_weights(self.class_weight, labels, labels[codes])[codes]
        return float(np.average(wrong, weights=shares))
