"""AdaBoost for labels (Freund, Schapire 1997; SAMME: Zhu, Zou, Rosset, Hastie 2009)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score
from sklearn.utils.extmath import softmax
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from certus.base import Classifier, fit_method, predict_method, register
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike
from certus.ensemble.boosting.ada_boost_report import boosting_report, round_factors
from certus.ensemble.boosting.descent_report import descent_report
from certus.ensemble.boosting.stump_learner import StumpLearner
from certus.ensemble.boosting.weight_boosting import WeightBoosting
from certus.ensemble.forests.tree_votes import TreeVotes
from certus.guarantees import Report
from certus.trees import DecisionTreeClassifier


@register(
    guarantees=("bound on the training error", "margin bound", "held-out error bound"),
    cost="fit O(p n log n + rounds p n), predict O(rounds n)",
)
class AdaBoostClassifier(WeightBoosting, Classifier):
    """AdaBoost: weak learners, each fitted to weights that favor the rows that the ones before got wrong.

    Round t fits h_t to the weights D_t, with the weighted error eps_t, gives it the weight alpha_t = eta (log((1 -
    eps_t) / eps_t) + log(K - 1)) (eta = ``learning_rate``, K classes) and multiplies the weights of the rows that it
    got wrong by exp(alpha_t). The class with the largest sum_t alpha_t [h_t(x) = k] wins. For two classes this
    minimizes (1/n) sum_i exp(-y_i f(x_i)) with f = 1/2 sum_t alpha_t h_t greedily, and the training error is at most
    prod_t Z_t, Z_t = 2 sqrt(eps_t (1 - eps_t)) for eta = 1.

    Use it with weak learners (the default stumps, or small trees) on data without wrong labels, whose weights would
    grow without end.

    Parameters
    ----------
    estimator : learner, default=None
        The weak learner; it must take ``sample_weight``. None means stumps (one column, one threshold) with the
        smallest weighted error, found exactly; scikit-learn's default are stumps with the smallest Gini impurity,
        which is ``DecisionTreeClassifier(max_depth=1)``.
    random_state : int, RandomState, Generator or None, default=None
        Seed for weak learners with a ``random_state``.

    Attributes
    ----------
    n_classes_ : int
        Their number.
    estimator_weights_, estimator_errors_ : ndarray of shape (n_estimators,)
        Weight and weighted error of each round; 0 and 1 for rounds that were not needed.
    history_ : ndarray of shape (rounds + 1,)
        Exponential loss of the training rows before the first and after each round: the products of the Z_t, none of
        which is above 1 (a ``learning_rate`` above 2 is halved where it would be).
    report_ : Report
        That the loss never rose. For two classes also the product of the Z_t as a bound on the training error, and with
        the default stumps and rows of equal weight a margin bound on the error of new rows, which few rows leave
        vacuous.

    Examples
    --------
    >>> from certus.ensemble import AdaBoostClassifier
    >>> model = AdaBoostClassifier(n_estimators=10).fit([[1.0], [2.0], [3.0], [4.0]], ["a", "b", "b", "a"])
    >>> print(model.predict([[1.4], [2.4]]))
    ['a' 'b']
    """

    _state = (*WeightBoosting._state, "classes_", "n_classes_", "history_")

    n_classes_: int
    history_: NDArray[np.float64]
    _votes: TreeVotes | None  # not saved

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> AdaBoostClassifier:
        """Fit the weak learners, one after the other."""
        table = self._check_X(X, reset=True)
        y = self._training_target(y, table)
        weights = self._start_weights(sample_weight, table)
        codes = self._encode_labels(y)
        self.n_classes_ = len(self.classes_)
        self.estimator_ = DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator
        if not has_fit_parameter(self.estimator_, "sample_weight"):
            raise ValueError(
                f"{type(self.estimator).__name__} doesn't support sample_weight.\n"
                "Hint: AdaBoostClassifier needs a weak learner whose fit takes sample_weight."
            )
        stumps = StumpLearner(table, codes, self.classes_, weights > 0) if self.estimator is None else None
        self._round = (table, y, codes, stumps)
        try:
            self._boost(weights, table, y)
        finally:
            del self._round
        self._votes = self._tree_votes()
        self.report_ = self._training_report(table, codes, weights, sample_weight is None)
        return self

    def _boost_round(
        self, number: int, weights: NDArray[np.float64], random: np.random.RandomState
    ) -> tuple[NDArray[np.float64] | None, float, float]:
        X, y, codes, stumps = self._round
        if stumps is not None:
            learner, said = stumps.fit(weights, int(random.randint(np.iinfo(np.int32).max)))
            self.estimators_.append(learner)
            wrong = said != codes
        else:
            learner = self._new_estimator(random)
            learner.fit(X, y, sample_weight=weights)
            wrong = learner.predict(X) != y
        error = float(weights[wrong].sum() / weights.sum())
        if error <= 0:
            return weights, 1.0, 0.0
        if error >= 1.0 - 1.0 / self.n_classes_:
            self.estimators_.pop()
            if not self.estimators_:
                raise ValueError(
                    "BaseClassifier in AdaBoostClassifier ensemble is worse than random, ensemble can not be fit.\n"
                    f"Hint: its weighted error is {error:.6g} in the first round; use a stronger weak learner."
                )
            return None, 0.0, 0.0
        weight = self.learning_rate * (np.log((1.0 - error) / error) + np.log(self.n_classes_ - 1.0))
        while round_factors(error, weight, self.n_classes_) > 1.0:  # a learning rate above 2
            weight /= 2.0
        if number < self.n_estimators - 1:
            with np.errstate(over="ignore"):
                weights = np.where(wrong, weights * np.exp(weight), weights)
        return weights, float(weight), error

    def _training_report(
        self, X: TableLike, codes: NDArray[Any], start: NDArray[np.float64], equal_weights: bool
    ) -> Report:
        rounds = len(self.estimators_)
        factors = round_factors(self.estimator_errors_[:rounds], self.estimator_weights_[:rounds], self.n_classes_)
        self.history_ = np.append(1.0, np.cumprod(factors))
        if self.n_classes_ != 2:
            return descent_report(self.history_.tolist()) if self.n_classes_ > 2 else Report()
        signs = np.where(codes == 1, 1.0, -1.0)
        return boosting_report(
            self.estimator_errors_[:rounds],
            self.estimator_weights_[:rounds],
            signs * self.decision_function(X) / 2.0,
            start,
            stump_features=self.n_features_in_ if self.estimator is None and equal_weights else None,
            descent=descent_report(self.history_.tolist()),
        )

    def _training_losses(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> NDArray[np.float64]:
        """Exponential loss of the training rows before the first and after each round, from the votes."""
        table = self._check_X(X)
        weights = self._start_weights(sample_weight, table)
        codes, rows = np.searchsorted(self.classes_, np.asarray(y)), np.arange(table.shape[0])
        found, score = [1.0], np.zeros(len(rows))
        for learner, weight in zip(self.estimators_, self.estimator_weights_, strict=False):
            score += self._vote(learner, weight, table)[rows, codes]
            found.append(float(weights @ np.exp(-score * (self.n_classes_ - 1) / self.n_classes_)))
        return np.array(found)

    # -- prediction -------------------------------------------------------------------------------------------
    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The class with the most weight."""
        return self._winners(self.decision_function(X))

    def _winners(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        if self.n_classes_ == 2:
            return np.asarray(self.classes_.take(scores > 0, axis=0))
        return np.asarray(self.classes_.take(np.argmax(scores, axis=1), axis=0))

    @predict_method
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Share of the weight for each class against the others; for two classes that of the second minus the first."""
        X = self._check_X(X)
        if self.n_classes_ == 1:
            return np.zeros((X.shape[0], 1))
        votes = self._votes if "_votes" in vars(self) else self._tree_votes()
        if votes is not None and X.ndim == 2:
            return self._scores(votes.sum(X), self.estimator_weights_.sum())
        sums = np.zeros((X.shape[0], self.n_classes_))
        for learner, weight in zip(self.estimators_, self.estimator_weights_, strict=False):
            sums += self._vote(learner, weight, X)
        return self._scores(sums, self.estimator_weights_.sum())

    def _tree_votes(self) -> TreeVotes | None:
        if self.n_classes_ == 1:
            return None
        return TreeVotes.of(self.estimators_, self.estimator_weights_, self.n_classes_)

    def _vote(self, learner: BaseEstimator, weight: float, X: TableLike) -> NDArray[np.float64]:
        chosen = learner.predict(X)[:, None] == self.classes_
        return np.where(chosen, weight, -weight / (self.n_classes_ - 1))

    def _scores(self, sums: NDArray[np.float64], total: float) -> NDArray[np.float64]:
        sums = sums / total
        return sums[:, 1] - sums[:, 0] if self.n_classes_ == 2 else sums

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """`decision_function` after each round.

        Yields
        ------
        ndarray
        """
        check_is_fitted(self)
        X = self._check_X(X)
        sums, total = np.zeros((X.shape[0], self.n_classes_)), 0.0
        for learner, weight in zip(self.estimators_, self.estimator_weights_, strict=False):
            total += weight
            sums = sums + self._vote(learner, weight, X)
            yield self._scores(sums, total)

    def staged_predict(self, X: TableLike) -> Iterator[NDArray[Any]]:
        """`predict` after each round.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for scores in self.staged_decision_function(X):
            yield self._winners(scores)

    def staged_score(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> Iterator[float]:
        """Share of right labels after each round.

        Yields
        ------
        float
        """
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def _probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        two = self.n_classes_ == 2
        spread = np.stack([-scores, scores], axis=1) / 2.0 if two else scores / (self.n_classes_ - 1)
        return np.asarray(softmax(spread, copy=False))

    @predict_method
    def predict_proba(self, X: TableLike) -> NDArray[np.float64]:
        """Softmax of the scores: an order of the classes, not calibrated probabilities."""
        scores = self.decision_function(X)
        return np.ones((len(scores), 1)) if self.n_classes_ == 1 else self._probabilities(scores)

    def staged_predict_proba(self, X: TableLike) -> Iterator[NDArray[np.float64]]:
        """`predict_proba` after each round.

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
        """
        for scores in self.staged_decision_function(X):
            yield self._probabilities(scores)

    def margins(self, X: TableLike, y: TargetLike) -> NDArray[np.float64]:
        """Normalized margins y f(x) / sum_t alpha_t of labeled rows, from -1 to 1; positive where right.

        With more than two classes: the score of the true class minus the largest of the others, in the same scale.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        codes = np.searchsorted(self.classes_, np.asarray(y))
        if self.n_classes_ == 2:
            return np.where(codes == 1, scores, -scores) / 2.0
        true = scores[np.arange(len(codes)), codes]
        others = scores.copy()
        others[np.arange(len(codes)), codes] = -np.inf
        return (true - others.max(axis=1)) * (self.n_classes_ - 1) / self.n_classes_

    def __getstate__(self) -> Any:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_votes", "_round")}
