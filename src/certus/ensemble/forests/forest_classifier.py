"""What the forests that vote on labels share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight
from sklearn.utils.multiclass import type_of_target

from certus.base import Classifier, distinct_labels, fit_method, predict_method, resolve_threads, warn_user
from certus.base.inputs import TableLike, TargetLike, WeightsLike
from certus.base.params import Exactly, InstanceOf, OneOf
from certus.ensemble.forests.forest import Forest
from certus.ensemble.forests.vote_report import count_votes, vote_report
from certus.guarantees import Report


class ForestClassifier(Forest, Classifier):
    """Base of the classification forests; use `RandomForestClassifier` or `ExtraTreesClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or a list of them
        The labels (of each output).
    n_classes_ : int, or list of int
        Their number (for each output).
    oob_decision_function_ : ndarray of shape (n_samples, n_classes) or (n_samples, n_classes, n_outputs)
        Average class shares of the trees that have not seen the row, if ``oob_score`` is set.
    """

    _constraints = {
        **Forest._constraints,
        "criterion": [OneOf("gini", "entropy", "log_loss")],
        "class_weight": [InstanceOf(dict, list), OneOf("balanced", "balanced_subsample"), Exactly(None)],
    }
    _state = (*Forest._state, "classes_", "n_classes_", "oob_decision_function_")

    class_weight: Any
    n_classes_: Any
    classes_: Any

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> Any:
        """Grow the trees.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows; dense ones may have missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: 0 removes it. With ``bootstrap=True`` a row is drawn with probability
            proportional to its weight.
        """
        self._fit(X, y, sample_weight)
        return self

    def _encode_target(
        self, y: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> tuple[NDArray[Any], NDArray[np.intp] | None, NDArray[np.float64] | None]:
        columns = [distinct_labels(column) for column in y.T]
        codes = np.stack([inverse for _, inverse in columns], axis=1)
        labels = [each for each, _ in columns]
        n_classes = np.array([len(each) for each in labels], dtype=np.intp)
        single = y.shape[1] == 1
        self.classes_ = labels[0] if single else labels
        self.n_classes_ = n_classes[0] if single else n_classes.tolist()
        if self.oob_score and type_of_target(codes) in ("unknown", "multiclass-multioutput"):
            raise ValueError(
                f"The type of target cannot be used to compute OOB estimates. Got {type_of_target(codes)} while only "
                "the following are supported: continuous, continuous-multioutput, binary, multiclass, "
                "multilabel-indicator."
            )
        return codes, n_classes, self._class_weights(y, labels, weights)

    def _class_weights(
        self, y: NDArray[Any], labels: list[NDArray[Any]], weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """The weight that ``class_weight`` gives each row, unless it depends on the bag."""
        if self.class_weight is None:
            return None
        if not isinstance(self.class_weight, str):
            return np.asarray(compute_sample_weight(self.class_weight, y))
        if self.warm_start:
            warn_user(
                'class_weight presets "balanced" or "balanced_subsample" are not recommended for warm_start if the '
                'fitted data differs from the full dataset. In order to use "balanced" weights, use '
                'compute_class_weight ("balanced", classes, y). In place of y you can use a large enough sample of '
                "the full training set target to properly estimate the class frequency distributions. Pass the "
                "resulting weights as the class_weight parameter."
            )
        if self._balances_bags():
            return None
        found = np.ones(len(y))
        for column, classes in zip(y.T, labels, strict=True):
            per_class = compute_class_weight("balanced", classes=classes, y=column, sample_weight=weights)
            found *= per_class[np.searchsorted(classes, column)]
        return found

    def _balances_bags(self) -> bool:
        return self.bootstrap and isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"

    def _dress_tree(self, learner: BaseEstimator) -> None:
        codes = [np.arange(count, dtype=np.float64) for count in np.atleast_1d(self.n_classes_)]
        single = self.n_outputs_ == 1
        learner.classes_ = codes[0] if single else codes
        learner.n_classes_ = self.n_classes_ if single else np.asarray(self.n_classes_, dtype=np.intp)

    def _keep_out_of_bag(self, y: NDArray[Any], judged: NDArray[np.float64], counted: NDArray[np.bool_]) -> None:
        shares = judged[:, :, : int(np.max(self.n_classes_))].transpose(0, 2, 1)
        single = self.n_outputs_ == 1
        self.oob_decision_function_ = shares[:, :, 0] if single else shares
        score = self.oob_score if callable(self.oob_score) else accuracy_score
        truth, predicted = y[counted], np.argmax(self.oob_decision_function_, axis=1)[counted]
        self.oob_score_ = score(truth, predicted)

    def _training_report(self, X: Any, codes: NDArray[Any], weighted: bool) -> Report:
        """Vote bounds, for bags that were drawn without looking at the data: one output, no weights."""
        if self.bag_size_ is None or self.n_outputs_ > 1 or weighted:
            return Report()
        _, _, errors, in_bag = self._out_of_bag(X, codes[:, 0])
        counts = count_votes(in_bag, errors, self.bag_rows_, resolve_threads(self.n_jobs))
        return vote_report(counts, pure=self.forest_.pure_leaves())

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The label with the largest average share over the trees; of equal ones the first.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        best = np.argmax(self._mean_values(X), axis=2)
        if self.n_outputs_ == 1:
            return np.asarray(self.classes_.take(best[:, 0], axis=0))
        labels = [classes.take(best[:, output]) for output, classes in enumerate(self.classes_)]
        return np.stack(labels, axis=1).astype(self.classes_[0].dtype)

    @predict_method
    def predict_proba(self, X: TableLike) -> Any:
        """Class shares averaged over the trees, in the order of ``classes_``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of them, one per output
        """
        shares = self._mean_values(X)
        if self.n_outputs_ == 1:
            return shares[:, 0]
        return [np.ascontiguousarray(shares[:, output, :count]) for output, count in enumerate(self.n_classes_)]

    def _restored(self) -> None:
        super()._restored()
        if "forest_" in vars(self):
            labels = [self.classes_] if self.n_outputs_ == 1 else self.classes_
            if [len(each) for each in labels] != self.forest_.n_classes.tolist():
                raise ValueError("classes_ and forest_ have different numbers of classes.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
