"""Classification by the vote of the nearest training rows. Fix, Hodges (1951); Cover, Hart (1967)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import Classifier, class_weights, fit_method, predict_method, register, resolve_threads
from certus.base.inputs import ClassWeightLike, TableLike, TargetLike, WeightsLike
from certus.base.params import Exactly, InstanceOf, OneOf
from certus.guarantees import Report
from certus.neighbors import _native_calls
from certus.neighbors.learning.coded_labels import CodedLabels, encoded, labels_of
from certus.neighbors.learning.k_neighbors import K_CONSTRAINTS, KNeighbors
from certus.neighbors.learning.target_memory import TARGET_STATE


@register(
    family="neighbors",
    tasks=("classification",),
    guarantees=("held-out error bound",),
    cost="fit O(n p log n), predict O(n p) per row or less, by kd-tree or matrix products",
)
class KNeighborsClassifier(CodedLabels, KNeighbors, Classifier):
    """Classifier that lets the nearest training rows vote.

    With N_k(x) the ``n_neighbors`` training rows nearest to x and w_i(x) their weights,

        y(x) = argmax_c P(c | x),    P(c | x) = sum_i w_i(x) 1[y_i = c] / sum_i w_i(x),       i in N_k(x)

    The neighbors are exact whatever ``algorithm`` is: rows equally far away are taken in the order of the training
    table, and a tie in the vote goes to the first class. All columns count alike in the distance, so scale them first;
    many columns that do not matter hide those that do. The model keeps all training rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbors vote.
    weights : {'uniform', 'distance'}, callable or None, default='uniform'
        ``'uniform'`` (or None): all alike. ``'distance'``: 1 / distance; if a neighbor is at distance 0, only
        such neighbors vote. A function gets the array of distances and returns the weights in the same shape.
    class_weight : {'balanced'}, dict or None, default=None
        Factor of the votes for each class; ``'balanced'``: inverse to the number (weight) of its rows.

    Attributes
    ----------
    report_ : Report
        Empty: training supports no promise about a neighbor vote. Use `certify` with held-out rows.

    See Also
    --------
    KNeighborsRegressor : The same for numbers.

    References
    ----------
    T. Cover, P. Hart (1967), Nearest neighbor pattern classification: asymptotically, one neighbor errs at most
    twice as often as the best possible rule.

    Examples
    --------
    >>> from certus.neighbors import KNeighborsClassifier
    >>> model = KNeighborsClassifier(n_neighbors=3).fit([[0], [1], [2], [3]], ["low", "low", "high", "high"])
    >>> print(model.predict([[1.1]]))
    ['low']
    >>> print(model.predict_proba([[0.9]]).round(2))
    [[0.33 0.67]]
    """

    _constraints = {**K_CONSTRAINTS, "class_weight": [InstanceOf(dict), OneOf("balanced"), Exactly(None)]}
    _state: ClassVar[tuple[str, ...]] = (*TARGET_STATE, "classes_", "outputs_2d_")

    def __init__(
        self,
        n_neighbors: int | None = 5,
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
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> KNeighborsClassifier:
        """Keep the rows and prepare the search.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            How many of the ``n_neighbors`` places a row fills: 2 as if it were there twice, 0 none.
        """
        self._fit_rows(X, y, sample_weight)
        return self

    def _fit_rows(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike) -> None:
        rows, y = self._check_training(X, y)
        columns, several = labels_of(y)
        codes, classes = encoded(columns)
        self._remember(rows, codes if several else codes.ravel(), sample_weight)
        self._set_classes(classes, several)
        self.report_ = Report()

    @fit_method
    def partial_fit(
        self, X: TableLike, y: TargetLike, classes: Any = None, sample_weight: WeightsLike = None
    ) -> KNeighborsClassifier:
        """Remember further rows; the first call is `fit`. New labels may come at any time.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        classes : array-like, default=None
            Not needed: labels are learned when they come.
        sample_weight : array-like of shape (n_samples,), default=None
            How many places each of them fills.
        """
        self._add_rows(X, y, sample_weight)
        return self

    def _add_rows(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike) -> None:
        if not hasattr(self, "_fit_X"):
            return self._fit_rows(X, y, sample_weight)
        rows, y = self._check_training(X, y, reset=False)
        codes, labels = self._encoded_with(y)
        self._remember_more(rows, codes, sample_weight)
        return self._set_classes(labels, self.outputs_2d_)

    def _ballot(self, X: TableLike | None) -> tuple[NDArray[np.intp], NDArray[np.float64] | None, int]:
        """Who votes for each query, with what weight, and how many threads are worth counting it."""
        neighbors, weights = self._counted_neighbors(X)
        threads = resolve_threads(self.n_jobs) if neighbors.size > 100_000 else 1
        return neighbors, weights, threads

    def _votes(
        self, neighbors: NDArray[np.intp], weights: NDArray[np.float64] | None, codes: NDArray[np.intp], labels: Any
    ) -> NDArray[np.float64] | None:
        """The weights of the votes for one output: those of the neighbors times those of their classes."""
        if self.class_weight is None:
            return weights
        factors = class_weights(self.class_weight, labels, labels[codes], self._row_weights)[codes[neighbors]]
        return factors if weights is None else weights * factors

    @predict_method
    def predict(self, X: TableLike | None) -> NDArray[Any]:
        """The label with the most votes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            The queries; None stands for the training rows, each judged by the others (leave-one-out).

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
            The labels.
        """
        neighbors, weights, threads = self._ballot(X)
        columns = [
            labels[
                _native_calls.vote_winners(
                    neighbors, self._votes(neighbors, weights, codes, labels), codes, len(labels), threads
                )
            ]
            for codes, labels in self._outputs()
        ]
        return np.stack(columns, axis=1) if self.outputs_2d_ else columns[0]

    @predict_method
    def predict_proba(self, X: TableLike | None) -> Any:
        """Each label's share of the votes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            The queries, as for `predict`.

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or a list of them
            Shares in the order of ``classes_``, one array per output.
        """
        neighbors, weights, threads = self._ballot(X)
        shares = [
            _native_calls.vote_shares(
                neighbors, self._votes(neighbors, weights, codes, labels), codes, len(labels), threads
            )
            for codes, labels in self._outputs()
        ]
        return shares if self.outputs_2d_ else shares[0]
