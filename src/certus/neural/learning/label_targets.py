"""Labels as targets of networks: one or several per row, as codes or as columns of 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import type_of_target

from certus.base import Classifier, class_weights, predict_method
from certus.base.inputs import ClassWeightLike, TableLike, check_weights
from certus.neural import _native_calls as kernels
from certus.neural.learning.network_learner import NetworkLearner
from certus.neural.learning.training_data import OutputPlan, TrainingData


class LabelTargets(NetworkLearner, Classifier):
    """Networks for labels.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied to those of the rows.
    label_smoothing : float
        Share of a label's probability that is spread over all classes (Szegedy et al. 2016).
    """

    several_labels_: bool
    class_weight: ClassWeightLike
    label_smoothing: float

    # ---- targets ---------------------------------------------------------------------------------------------------
    def _read(self, X: Any, y: Any, sample_weight: Any, *, first: bool) -> TrainingData:
        table, y = self._read_rows(X, y, sample_weight, reset=first or not hasattr(self, "n_features_in_"))
        fresh = first and not (hasattr(self, "classes_") and not hasattr(self, "coefs_"))
        if sparse.issparse(y):
            y = y.toarray()
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        if y.ndim == 2:
            return self._read_several(table, y, self._row_weights(sample_weight, table), fresh=fresh)
        codes = self._codes(y, fresh=fresh)
        weights = self._row_weights(sample_weight, table)
        with np.errstate(divide="ignore"):
            by_class = class_weights(self.class_weight, self.classes_, y, weights)
        by_class = np.where(np.isfinite(by_class), by_class, 0.0)  # "balanced": a class whose rows all weigh 0
        if self.class_weight is not None:
            weights = by_class[codes] * (1.0 if weights is None else weights)
        rows = None if weights is None or weights.all() else np.flatnonzero(weights).astype(np.int64)
        if len(self.classes_) > 2:
            return TrainingData(table, classes=codes.astype(np.int32), weights=weights, rows=rows, by_class=by_class)
        values = (codes == 1).astype(table.dtype)[:, None]
        return TrainingData(table, values=values, weights=weights, rows=rows, by_class=by_class)

    def _row_weights(self, sample_weight: Any, table: Any) -> NDArray[np.float64] | None:
        return check_weights(self, sample_weight, table)

    def _codes(self, y: NDArray[Any], *, fresh: bool) -> NDArray[np.intp]:
        """For each row the place of its label in ``classes_``."""
        if fresh:
            self.several_labels_ = False
            return self._encode_labels(y)
        known = self.classes_
        found = np.unique(y)
        if self.warm_start and hasattr(self, "coefs_") and set(found.tolist()) != set(known.tolist()):
            raise ValueError(
                "warm_start can only be used where `y` has the same classes as in the previous call to fit. Previously "
                f"got {known}, `y` has {found}\nHint: set warm_start=False to learn other classes."
            )
        unknown = np.setdiff1d(found, known)
        if unknown.size:
            raise ValueError(
                f"`y` has classes not in `self.classes_`. `self.classes_` has {known}. 'y' has {unknown}.\n"
                "Hint: name every class in the first call of partial_fit."
            )
        return np.searchsorted(known, y)

    def _read_several(
        self, table: Any, y: NDArray[Any], weights: NDArray[np.float64] | None, *, fresh: bool
    ) -> TrainingData:
        """Several labels per row: a table of 0 and 1."""
        if not type_of_target(y).startswith("multilabel"):
            raise ValueError(
                "Multioutput target data is not supported with label binarization: y has the shape "
                f"{y.shape} and values other than 0 and 1.\nHint: use certus.multioutput.MultiOutputClassifier."
            )
        if self.class_weight is not None:
            raise ValueError("class_weight needs one label per row.\nHint: use sample_weight.")
        if fresh:
            self.several_labels_, self.classes_ = True, np.arange(y.shape[1])
        elif y.shape[1] != len(self.classes_):
            raise ValueError(
                f"y has {y.shape[1]} labels per row, but the network was fitted with {len(self.classes_)}."
            )
        rows = None if weights is None or weights.all() else np.flatnonzero(weights).astype(np.int64)
        values = np.ascontiguousarray(y, dtype=table.dtype)
        return TrainingData(table, values=values, weights=weights, rows=rows)

    def _output(self) -> OutputPlan:
        smoothing, classes = float(self.label_smoothing), len(self.classes_)
        if self.several_labels_:
            return OutputPlan(classes, "logistic", ("logistic", 0.0), smoothing)
        if classes > 2:
            return OutputPlan(classes, "softmax", ("multinomial", 0.0), smoothing)
        return OutputPlan(1, "logistic", ("logistic", 0.0), smoothing)

    def _validation_targets(self, y: Any) -> NDArray[Any]:
        if self.several_labels_:
            return np.asarray(y.toarray() if sparse.issparse(y) else y)
        labels = column_or_1d(y)
        unknown = np.setdiff1d(labels, self.classes_)
        if unknown.size:
            raise ValueError(
                f"y_val holds the labels {unknown}, which the training rows do not.\nHint: split by label."
            )
        codes = np.searchsorted(self.classes_, labels)
        return codes if len(self.classes_) > 2 else codes[:, None]

    def _validation_score(self, scores: NDArray[Any], y: Any, weights: Any) -> float:
        if not np.isfinite(scores).all():
            return float("nan")
        return float(np.average(~self._wrong(scores, y), weights=weights))

    def _wrong(self, scores: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.bool_]:
        if targets.ndim == 1:
            return np.asarray(scores.argmax(axis=1) != targets)
        return np.asarray(((scores > 0.0) != (targets > 0.5)).any(axis=1))

    # ---- predictions -----------------------------------------------------------------------------------------------
    def _probabilities(self, X: TableLike) -> NDArray[Any]:
        """One column per output."""
        table = self._table(X)
        found = [
            _probabilities(member._raw_scores(table), self.out_activation_, member._engine().threads)
            for member in self._averaged()
        ]
        return found[0] if len(found) == 1 else np.mean(found, axis=0)

    @predict_method
    def predict_proba(self, X: TableLike) -> NDArray[Any]:
        """Probabilities of the classes; with several labels per row those of each label."""
        found = self._probabilities(X)
        if self.several_labels_ or len(self.classes_) > 2:
            return found
        if len(self.classes_) == 1:
            return np.ones_like(found)
        return np.hstack([1.0 - found, found])

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Predict the label of each row, or its labels as 0 and 1."""
        found = self._probabilities(X)
        if self.several_labels_:
            return (found > 0.5).astype(np.int64)
        if len(self.classes_) > 2:
            return self.classes_[found.argmax(axis=1)]
        return self.classes_[np.minimum(found[:, 0] > 0.5, len(self.classes_) - 1).astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _probabilities(scores: NDArray[Any], activation: str, threads: int) -> NDArray[Any]:
    if activation == "logistic":
        return np.asarray(expit(scores))
    kernels.softmax_rows(scores, threads)
    return scores
