"""Classification by the vote of the training rows within a radius."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import (
    Classifier,
    TableLike,
    TargetLike,
    WeightsLike,
    fit_method,
    predict_method,
    register,
    warn_user,
)
from certus.base.params import ArrayLike, Exactly, InstanceOf, Interval
from certus.guarantees import Report
from certus.neighbors.learning.coded_labels import CodedLabels, encoded, labels_of
from certus.neighbors.learning.radius_neighbors import RADIUS_CONSTRAINTS, RadiusNeighbors
from certus.neighbors.learning.target_memory import TARGET_STATE


@register(
    family="neighbors",
    guarantees=("held-out error bound",),
    cost="fit O(n p log n), predict O(n p) per row or less, by kd-tree or comparison",
)
class RadiusNeighborsClassifier(CodedLabels, RadiusNeighbors, Classifier):
    """Classifier that lets all training rows within a radius vote.

    With N_r(x) the training rows at most ``radius`` away from x and w_i(x) their weights,

        y(x) = argmax_c sum_i w_i(x) 1[y_i = c],       i in N_r(x)

    A tie goes to the first class. Queries without neighbors get ``outlier_label``.

    Parameters
    ----------
    radius : float, default=1.0
        How far neighbors may be.
    weights : {'uniform', 'distance'}, callable or None, default='uniform'
        ``'uniform'`` (or None): all alike. ``'distance'``: 1 / distance; if a neighbor is at distance 0, only such
        neighbors vote. A function gets an array of arrays of distances and returns weights in the same form.
    outlier_label : label, list of labels, 'most_frequent' or None, default=None
        The label of queries without neighbors (one per output); None: they are an error.

    Attributes
    ----------
    outlier_label_ : list of labels or None
        The label for queries without neighbors, per output.

    See Also
    --------
    KNeighborsClassifier : Equally many neighbors for every query.

    Examples
    --------
    >>> from certus.neighbors import RadiusNeighborsClassifier
    >>> model = RadiusNeighborsClassifier(radius=1.0).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> print(model.predict([[0.6]]), model.predict_proba([[1.0]]).round(2))
    [0] [[0.67 0.33]]
    """

    _constraints = {
        **RADIUS_CONSTRAINTS,
        "outlier_label": [Interval(None, None, integer=True), InstanceOf(str), ArrayLike(), Exactly(None)],
    }
    _state = (*TARGET_STATE, "classes_", "outputs_2d_", "outlier_label_")

    def __init__(
        self,
        radius: float = 1.0,
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float | None = 2,
        metric: Any = "minkowski",
        outlier_label: Any = None,
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    outlier_label_: Any

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> RadiusNeighborsClassifier:
        """Keep the rows and prepare the search."""
        rows, y = self._check_training(X, y)
        columns, several = labels_of(y)
        codes, classes = encoded(columns)
        label = _outlier_labels(self.outlier_label, classes, codes)
        self._remember(rows, codes if several else codes.ravel(), sample_weight)
        self._set_classes(classes, several)
        self.outlier_label_ = label
        self.report_ = Report()
        return self

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The label with the most votes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            The queries; None stands for the training rows, each judged by the others.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
            The labels.
        """
        columns = []
        for number, (shares, (_, labels)) in enumerate(zip(self._shares(X), self._outputs(), strict=True)):
            column = labels[shares.argmax(axis=1)]
            lonely = (shares == 0).all(axis=1)
            if lonely.any():
                column[lonely] = self.outlier_label_[number]
            columns.append(column)
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
            Shares in the order of ``classes_``; all 0 for a query without neighbors whose label is no class.
        """
        shares = self._shares(X)
        return shares if self.outputs_2d_ else shares[0]

    def _shares(self, X: TableLike) -> list[NDArray[np.float64]]:
        found, queries, weights = self._counted_neighbors(X)
        count = len(found.starts) - 1
        lonely = np.bincount(queries, weights, minlength=count) == 0
        if lonely.any() and self.outlier_label_ is None:
            raise ValueError(
                f"No neighbors found for test samples {np.flatnonzero(lonely)!r}, you can try using larger radius, "
                "giving a label for outliers, or considering removing them from your dataset.\n"
                "Hint: outlier_label='most_frequent' gives such rows the most frequent class."
            )
        shares = []
        for number, (codes, labels) in enumerate(self._outputs()):
            places = queries * len(labels) + codes[found.rows]
            votes = np.bincount(places, weights, minlength=count * len(labels)).reshape(count, len(labels))
            if lonely.any():
                votes[lonely] = _outlier_votes(labels, self.outlier_label_[number])
            shares.append(votes / np.maximum(votes.sum(axis=1, keepdims=True), np.finfo(float).tiny))
        return shares


def _outlier_votes(labels: NDArray[Any], label: Any) -> NDArray[np.float64]:
    """All for the label of outliers, or nothing if it is no class."""
    votes = (labels == label).astype(np.float64)
    if not votes.any():
        warn_user(
            f"Outlier label {label} is not in training classes. All class probabilities of outliers will be assigned "
            "with 0.",
            UserWarning,
        )
    return votes


def _outlier_labels(wanted: Any, classes: list[NDArray[Any]], codes: NDArray[np.intp]) -> list[Any] | None:
    """One label per output, of the type of its classes."""
    if wanted is None:
        return None
    if isinstance(wanted, str) and wanted == "most_frequent":
        return [labels[np.bincount(column).argmax()] for labels, column in zip(classes, codes.T, strict=True)]
    several = not isinstance(wanted, str) and np.ndim(wanted) > 0
    if several and len(wanted) != len(classes):
        raise ValueError(
            f"The length of outlier_label: {wanted} is inconsistent with the output length: {len(classes)}"
        )
    chosen = list(wanted) if several else [wanted] * len(classes)
    for labels, label in zip(classes, chosen, strict=True):
        if not isinstance(label, str) and np.ndim(label) > 0:
            raise TypeError(f"The outlier_label of classes {labels} is supposed to be a scalar, got {label}.")
        if np.append(labels, label).dtype != labels.dtype:
            raise TypeError(f"The dtype of outlier_label {label} is inconsistent with classes {labels} in y.")
    return chosen
