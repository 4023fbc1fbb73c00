"""Bagging for labels (Breiman 1996)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score
from sklearn.utils import column_or_1d
from sklearn.utils.metaestimators import available_if

from certus.base import Classifier, distinct_labels, fit_method, predict_method, register, resolve_threads, warn_user
from certus.base.inputs import RandomStateLike, Table, TableLike, TargetLike, WeightsLike
from certus.ensemble.bagged.bagging import Bagging
from certus.ensemble.bagged.bags import SHUFFLED_WEIGHTS
from certus.ensemble.forests.vote_report import count_votes, vote_report
from certus.guarantees import Report
from certus.trees import DecisionTreeClassifier


def _members_have_decisions(bagging: Any) -> bool:
    members = vars(bagging).get("estimators_")
    return hasattr(members[0] if members else bagging._member(), "decision_function")


@register(
    guarantees=("out-of-bag bounds on the vote", "held-out error bound"),
    cost="fit O(members x member), predict O(members x member)",
    known_failures=SHUFFLED_WEIGHTS,
    draws_rows=True,
)
class BaggingClassifier(Bagging, Classifier):
    """Bagging: the average of learners, each fitted to rows drawn with replacement.

    p(x) = (1/T) sum_t p_t(x), the class shares of T members, or their votes if they only predict labels. Member t is
    fitted to ``max_samples`` rows drawn with replacement and ``max_features`` columns.

    Use it to steady a learner that changes much with its training rows, such as a full tree; for trees a
    `RandomForestClassifier` is faster and usually better.

    Parameters
    ----------
    estimator : learner, default=None
        What is bagged; None means a `DecisionTreeClassifier`.
    oob_score : bool, default=False
        Whether to judge each row by the members that have not seen it, and to bound the error of their vote.

    Attributes
    ----------
    n_classes_ : int
        Their number.
    oob_score_ : float
        Share of rows that the members without them get right, if ``oob_score`` is set. An estimate, not a bound.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Average class shares of the members that have not seen the row, if ``oob_score`` is set.
    report_ : Report
        With ``oob_score`` and rows of equal weight: bounds on the error of the members' vote. Else empty.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from certus.bayes import GaussianNB
    >>> from certus.ensemble import BaggingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(BaggingClassifier(GaussianNB(), random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    _state = (*Bagging._state, "classes_", "n_classes_", "oob_decision_function_")

    n_classes_: int

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        n_estimators: int = 10,
        *,
        max_samples: int | float | None = None,
        max_features: int | float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: RandomStateLike = None,
        verbose: int = 0,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None, **fit_params: Any
    ) -> BaggingClassifier:
        """Fit the members to their draws.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Rows are drawn with probability proportional to their weights: 0 removes a row.
        """
        self._fit(X, y, sample_weight, fit_params)
        return self

    def _member(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _encode(self, y: NDArray[Any]) -> NDArray[Any]:
        self.classes_, codes = distinct_labels(column_or_1d(y, warn=True))
        self.n_classes_ = len(self.classes_)
        return codes

    def _finish(self, X: Any, y: NDArray[Any], weighted: bool) -> None:
        self.report_ = Report()
        if self.oob_score:
            self._judge_out_of_bag(X, y, weighted)

    def _judge_out_of_bag(self, X: Any, y: NDArray[Any], weighted: bool) -> None:
        rows = X.shape[0]
        sums = np.zeros((rows, self.n_classes_))
        words = rows // 64 + 1
        in_bag = np.zeros((len(self.estimators_), words * 64), dtype=bool)
        errors = np.zeros_like(in_bag)
        pure = True
        for number, (member, columns, outside) in enumerate(self._outside()):
            in_bag[number, :rows] = ~outside
            if not outside.any():
                continue
            shares = self._shares(member, X[outside][:, columns], {})
            sums[outside] += shares
            errors[number, np.flatnonzero(outside)] = np.argmax(shares, axis=1) != y[outside]
            pure = pure and _votes_purely(member)
        total = sums.sum(axis=1, keepdims=True)
        if (total == 0).any():
            warn_user(
                "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any "
                "reliable oob estimates."
            )
        with np.errstate(invalid="ignore"):
            self.oob_decision_function_ = sums / total
        self.oob_score_ = float(accuracy_score(y, np.argmax(sums, axis=1)))
        if not weighted:
            seen, wrong = (np.packbits(each, axis=1, bitorder="little").view(np.uint64) for each in (in_bag, errors))
            self.report_ = vote_report(count_votes(seen, wrong, rows, resolve_threads()), pure=pure)

    def _shares(self, member: BaseEstimator, X: Table, routed: Any) -> NDArray[np.float64]:
        """A member's class shares, or its vote, for all classes."""
        shares = np.zeros((X.shape[0], self.n_classes_))
        if hasattr(member, "predict_proba"):
            shares[:, np.asarray(member.classes_, dtype=np.intp)] = member.predict_proba(
                X, **routed.get("predict_proba", {})
            )
        else:
            said = np.asarray(member.predict(X, **routed.get("predict", {})), dtype=np.intp)
            shares[np.arange(len(said)), said] = 1.0
        return shares

    @predict_method
    def predict(self, X: TableLike, **params: Any) -> NDArray[Any]:
        """The label with the largest average share."""
        return np.asarray(self.classes_.take(np.argmax(self._mean_shares(X, "predict", params), axis=1), axis=0))

    @predict_method
    def predict_proba(self, X: TableLike, **params: Any) -> NDArray[np.float64]:
        """Class shares averaged over the members, in the order of ``classes_``."""
        return self._mean_shares(X, "predict_proba", params)

    def _mean_shares(self, X: TableLike, method: str, params: dict[str, Any]) -> NDArray[np.float64]:
        table = self._check_table(X)
        routed = self._routed(method, params)
        pairs = zip(self.estimators_, self.estimators_features_, strict=True)
        shares = [self._shares(member, table[:, columns], routed) for member, columns in pairs]
        return np.asarray(sum(shares) / len(self.estimators_))

    @predict_method
    def predict_log_proba(self, X: TableLike, **params: Any) -> NDArray[np.float64]:
        """Logarithm of `predict_proba`; from the members' logarithms if they have them."""
        if not hasattr(self.estimator_, "predict_log_proba"):
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(self._mean_shares(X, "predict_log_proba", params)))
        table = self._check_table(X)
        routed = self._routed("predict_log_proba", params).get("predict_log_proba", {})
        logs = np.full((table.shape[0], self.n_classes_), -np.inf)
        for member, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            seen = np.asarray(member.classes_, dtype=np.intp)
            logs[:, seen] = np.logaddexp(logs[:, seen], member.predict_log_proba(table[:, columns], **routed))
        return logs - np.log(len(self.estimators_))

    @available_if(_members_have_decisions)  # type: ignore[untyped-decorator]
    @predict_method
    def decision_function(self, X: TableLike, **params: Any) -> NDArray[np.float64]:
        """The members' decision functions, averaged."""
        table = self._check_table(X)
        routed = self._routed("decision_function", params).get("decision_function", {})
        pairs = zip(self.estimators_, self.estimators_features_, strict=True)
        scores = [member.decision_function(table[:, columns], **routed) for member, columns in pairs]
        return np.asarray(sum(scores) / len(self.estimators_))


def _votes_purely(member: BaseEstimator) -> bool:
    """Whether the member gives all its share to one class on every row."""
    if not hasattr(member, "predict_proba"):
        return True
    tree = getattr(member, "tree_", None)
    if type(member) is not DecisionTreeClassifier or tree is None:
        return False
    return bool((tree.value[tree.children_left < 0, 0].max(axis=1) == 1.0).all())
