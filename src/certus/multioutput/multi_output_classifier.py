"""One classifier per target: binary relevance (Tsoumakas and Katakis 2007)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags, check_array, check_consistent_length, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter, validate_data

from certus.base import Classifier, find, fit_method, predict_method, register, saw_table
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_target
from certus.base.params import Constraints, Exactly, HasMethods, InstanceOf
from certus.guarantees import Certificate, Report, error_bound
from certus.guarantees.holdout import RateSetting, rate_bound

DEFAULT = "certus.linear.LogisticRegression"
_ONE_TARGET = "the check has one target, or expects one column of answers; scikit-learn exempts its namesake"
_CHECKS_OF_ONE_TARGET = (
    "check_classifiers_classes",
    "check_classifiers_one_label",
    "check_classifiers_one_label_sample_weights",
    "check_classifiers_train",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_methods_sample_order_invariance",
)


def _fit_one(estimator: BaseEstimator, X: TableLike, y: NDArray[Any], parameters: dict[str, Any]) -> Any:
    return clone(estimator).fit(X, y, **parameters)


def _members_have(name: str) -> Any:
    """Whether the learner of a target (fitted, or the one that will be) has a method."""

    def has(learner: BaseEstimator) -> bool:
        members = vars(learner).get("estimators_")
        return all(hasattr(member, name) for member in members or [learner._member()])

    return available_if(has)


@register(
    guarantees=("held-out error bounds: of all labels together and of each",),
    cost="fit and predict: targets x that of the learner",
    known_failures=dict.fromkeys(_CHECKS_OF_ONE_TARGET, _ONE_TARGET),
)
class MultiOutputClassifier(Classifier):
    """Several labels per row, each predicted by a classifier of its own.

    y_j(x) = f_j(x), where f_j minimizes the learner's own objective for target j alone. What labels tell about each
    other is not used.

    Parameters
    ----------
    estimator : learner, default=None
        What is fitted for every target; None means a `LogisticRegression`.
    n_jobs : int, default=None
        Processes (or threads, as `joblib.parallel_config` says) that fit targets at the same time; None means one,
        where our own learners use all cores by themselves.

    Attributes
    ----------
    estimators_ : list of learners
        The fitted learner of every target, with its own report.
    classes_ : list of ndarray
        The labels of every target.
    report_ : Report
        Empty: what training supports is in the reports of the members.

    Examples
    --------
    >>> from certus.multioutput import MultiOutputClassifier
    >>> X = [[-2.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [2.0, -1.0]]
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0]]
    >>> MultiOutputClassifier().fit(X, Y).predict([[3.0, 3.0]])
    array([[1, 1]])
    """

    _takes_sparse = True  # if its members do
    _constraints: ClassVar[Constraints] = {
        "estimator": [HasMethods("fit", "predict"), Exactly(None)],
        "n_jobs": [InstanceOf(int, np.integer), Exactly(None)],
    }
    _state: ClassVar[tuple[str, ...]] = ("estimators_", "classes_")

    estimators_: list[Any]
    classes_: list[NDArray[Any]]  # type: ignore[assignment]
    n_features_in_: int

    def __init__(self, estimator: BaseEstimator | None = None, *, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._member()).input_tags.sparse
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags

    def _restored(self) -> None:
        """Called after loading from a file: the learners must take the same table, one for each target."""
        if hasattr(self, "estimators_"):
            widths = {getattr(one, "n_features_in_", None) for one in self.estimators_}
            if len(self.estimators_) != len(self.classes_) or len(widths) > 1:
                raise ValueError("estimators_ and classes_ do not fit together.")
            if hasattr(self, "n_features_in_") and widths - {None, self.n_features_in_}:
                raise ValueError("a learner takes another number of columns than the others.")

    def _member(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        default = find(DEFAULT)
        assert default is not None
        return default()

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> MultiOutputClassifier:
        """Fit one learner per target.

        Parameters
        ----------
        y : array-like of shape (n_samples, n_outputs)
            Their labels, one column per target.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, for learners that take them.
        """
        self._look_at(X, reset=True)
        y = self._check_targets(y)
        check_consistent_length(X, y)
        member, parameters = self._member(), {}
        if sample_weight is not None:
            if not has_fit_parameter(member, "sample_weight"):
                raise ValueError(
                    f"Underlying estimator does not support sample weights: {type(member).__name__} of 'estimator'.\n"
                    "Hint: leave sample_weight out, or choose another learner."
                )
            parameters["sample_weight"] = sample_weight
        fitting = (delayed(_fit_one)(member, X, column, parameters) for column in y.T)
        self.estimators_ = list(Parallel(n_jobs=self.n_jobs)(fitting))
        self.classes_ = [one.classes_ for one in self.estimators_]
        self.report_ = Report()
        return self

    def _look_at(self, X: TableLike, *, reset: bool) -> None:
        """Shape and column names; the values are the learner's matter, which may read more than numbers."""
        table = check_array(X, accept_sparse=True, dtype=None, ensure_all_finite=False, estimator=self)
        saw_table(self, table)
        validate_data(self, X, reset=reset, skip_check_array=True)

    def _check_targets(self, y: TargetLike) -> NDArray[Any]:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None.\n"
                "Hint: call fit(X, y) with one column of labels per target."
            )
        targets = check_target(self, y, multi_output=True)
        targets = np.asarray(targets.toarray() if hasattr(targets, "toarray") else targets)
        for column in targets.reshape(len(targets), -1).T:
            check_classification_targets(column)
        if targets.ndim == 1:
            raise ValueError(
                "y must have at least two dimensions for multi-output regression but has only one.\n"
                f"Hint: {type(self).__name__} needs one column of labels per target; for a single one use the "
                "learner itself."
            )
        return targets

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The label of every row and target.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs)
        """
        self._look_at(X, reset=False)
        return np.stack([member.predict(X) for member in self.estimators_], axis=1)

    @_members_have("predict_proba")  # type: ignore[untyped-decorator]
    @predict_method
    def predict_proba(self, X: TableLike) -> list[NDArray[np.float64]]:
        """The probability of every label, one array per target.

        Returns
        -------
        list of ndarray of shape (n_samples, n_classes)
        """
        self._look_at(X, reset=False)
        return [member.predict_proba(X) for member in self.estimators_]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows of which all labels are right.

        Parameters
        ----------
        y : array-like of shape (n_samples, n_outputs)
            Their labels.
        """
        return float(1.0 - np.average(self._wrong(X, y).any(axis=1), weights=sample_weight))

    def certify(
        self, X: TableLike, y: TargetLike, *, loss: Any = "auto", confidence: float = 0.95, **options: Any
    ) -> Report:
        """Bound how often labels are wrong, from rows that the learner was not trained on.

        Parameters
        ----------
        X, y : array-like
            Held-out rows and their labels, one column per target.
        loss : {"auto", "error"}, default="auto"
            A row is wrong if any of its labels is.
        **options
            ``allow_training_rows=True`` asks for an estimate on rows of training, which are refused otherwise.

        Returns
        -------
        Report
            ``error``, of all labels of a row together; ``error of target j``, of one.
        """
        allow = options.pop("allow_training_rows", False)
        if loss not in ("auto", "error") or options:
            raise ValueError(
                f"{type(self).__name__}.certify must be given loss='error' and no options, got loss={loss!r} "
                f"and options {sorted(options)}.\nHint: certify each of 'estimators_' on its own column."
            )

        def judged() -> list[Certificate]:
            wrong = self._wrong(X, y)
            bounds = [error_bound(int(wrong.any(axis=1).sum()), len(wrong), confidence=confidence)]
            for place, column in enumerate(wrong.T):
                setting = RateSetting(confidence=confidence, quantity=f"error of target {place}")
                bounds.append(rate_bound(int(column.sum()), len(column), setting))
            return bounds

        return self._with_new_rows(judged, allow_training_rows=allow)

    def _wrong(self, X: TableLike, y: TargetLike) -> NDArray[np.bool_]:
        answers, truth = self.predict(X), np.asarray(y)
        if truth.ndim == 1:
            raise ValueError("y must have at least two dimensions for multi target classification but has only one.")
        if truth.shape[1] != answers.shape[1]:
            raise ValueError(
                f"The number of outputs of Y for fit {answers.shape[1]} and score {truth.shape[1]} should be same."
            )
        return answers != truth
