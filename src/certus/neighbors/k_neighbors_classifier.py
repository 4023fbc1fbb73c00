"""Classification by the vote of the nearest training rows. Fix, Hodges (1951); Cover, Hart (1967)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets

from certus.base import Classifier, fit_method, predict_method, register, resolve_threads, warn_user
from certus.base.inputs import TableLike, TargetLike
from certus.guarantees import Report
from certus.neighbors import _native_calls
from certus.neighbors.search.neighbor_search import CONSTRAINTS, STATE, NeighborSearch
from certus.neighbors.search.neighbor_weights import is_uniform, neighbor_weights


@register(
    family="neighbors",
    tasks=("classification",),
    guarantees=("held-out error bound",),
    cost="fit O(n p log n), predict O(n p) per row or less, by kd-tree or matrix products",
)
class KNeighborsClassifier(NeighborSearch, Classifier):
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

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or a list of them
        The labels (of each output).
    outputs_2d_ : bool
        Whether y had several columns.
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

    _constraints = CONSTRAINTS
    _state = (*STATE, "classes_", "outputs_2d_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @fit_method
    def fit(self, X: TableLike, y: TargetLike) -> KNeighborsClassifier:
        """Keep the rows and prepare the search.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows; their distances to each other if ``metric='precomputed'``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their labels.
        """
        rows, y = self._check_training(X, y)
        y, several = _as_outputs(y)
        columns = [np.unique(column, return_inverse=True) for column in y.T]
        codes = np.stack([code for _, code in columns], axis=1).astype(np.intp)
        self._take_rows(rows, codes if several else codes.ravel())
        self.classes_ = [labels for labels, _ in columns] if several else columns[0][0]  # type: ignore[assignment]
        self.outputs_2d_ = several
        self.report_ = Report()
        return self

    def _restored(self) -> None:
        super()._restored()
        if not hasattr(self, "_y"):
            return
        outputs = self._outputs()
        if len(self._y) != self.n_samples_fit_ or self._y.dtype.kind != "i":
            raise ValueError("_y does not have one class number per training row")
        for codes, labels in outputs:
            if len(codes) and not 0 <= codes.min() <= codes.max() < len(labels):
                raise ValueError("_y names classes that do not exist")

    def _outputs(self) -> list[tuple[NDArray[np.intp], NDArray[Any]]]:
        """Per output, the class number of every training row and the labels."""
        if not self.outputs_2d_:
            return [(np.ascontiguousarray(self._y, dtype=np.intp), self.classes_)]
        columns = np.ascontiguousarray(self._y.T, dtype=np.intp)
        return list(zip(columns, self.classes_, strict=True))

    def _ballot(self, X: TableLike) -> tuple[NDArray[np.intp], NDArray[np.float64] | None, int]:
        """Who votes for each query, with what weight, and how many threads are worth counting it."""
        if is_uniform(self.weights):
            neighbors, weights = self.kneighbors(X, return_distance=False), None
        else:
            distances, neighbors = self.kneighbors(X)
            weights = neighbor_weights(self.weights, distances)
        threads = resolve_threads(self.n_jobs) if neighbors.size > 100_000 else 1
        return np.ascontiguousarray(neighbors), weights, threads

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
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
            labels[_native_calls.vote_winners(neighbors, weights, codes, len(labels), threads)]
            for codes, labels in self._outputs()
        ]
        return np.stack(columns, axis=1) if self.outputs_2d_ else columns[0]

    @predict_method
    def predict_proba(self, X: TableLike) -> Any:
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
            _native_calls.vote_shares(neighbors, weights, codes, len(labels), threads)
            for codes, labels in self._outputs()
        ]
        return shares if self.outputs_2d_ else shares[0]


def _as_outputs(y: NDArray[Any]) -> tuple[NDArray[Any], bool]:
    """The labels with one column per output, and whether there are several."""
    if y.ndim == 2 and y.shape[1] == 1:
        warn_user(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
            "(n_samples,), for example using ravel().",
            DataConversionWarning,
        )
    several = y.ndim == 2 and y.shape[1] > 1
    check_classification_targets(y if several else y.ravel())
    return y.reshape(len(y), -1), several
