"""What both AdaBoost learners share: the loop over rounds, staged scores, importances."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import validate_data

from certus.base import Iterations, Learner, predict_method, saw_table, warn_user
from certus.base.inputs import Table, TableLike, TargetLike, assert_finite, check_target, check_weights, require_target
from certus.base.params import Constraints, Exactly, HasMethods, Interval, RandomState
from certus.base.persistence import check_shapes
from certus.ensemble.bagged.member_sequence import MemberSequence
from certus.trees.growing import as_float32

EPSILON = np.finfo(np.float64).eps


class WeightBoosting(MemberSequence, Learner):
    """Base of the AdaBoost learners.

    Parameters
    ----------
    n_estimators : int
        Largest number of rounds.
    learning_rate : float
        Factor eta of the weights of the weak learners.

    Attributes
    ----------
    estimator_ : learner
        The weak learner, not fitted.
    estimators_ : list of learners
        The fitted weak learners.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Importances of the weak learners, averaged by their weights.
    """

    _constraints: ClassVar[Constraints] = {
        "estimator": [HasMethods("fit", "predict"), Exactly(None)],
        "n_estimators": [Interval(1, None, integer=True)],
        "learning_rate": [Interval(0, None, closed="neither")],
        "random_state": [RandomState()],
    }
    _takes_sparse = True
    _state: ClassVar[tuple[str, ...]] = ("estimator_", "estimators_", "estimator_weights_", "estimator_errors_")

    estimator: Any
    n_estimators: int
    learning_rate: float
    random_state: Any

    estimator_: Any
    estimators_: list[Any]
    estimator_weights_: NDArray[np.float64]
    estimator_errors_: NDArray[np.float64]

    def _boost_round(
        self, number: int, weights: NDArray[np.float64], random: np.random.RandomState
    ) -> tuple[NDArray[np.float64] | None, float, float]:
        """One round: the new weights (None: stop without this round), the learner's weight and its error."""
        raise NotImplementedError

    def _restored(self) -> None:
        super()._restored()
        if not hasattr(self, "estimators_"):
            return
        check_shapes(self, estimator_weights_=(None,), estimator_errors_=(len(self.estimator_weights_),))
        if len(self.estimator_weights_) < len(self.estimators_):
            raise ValueError("there is not one weight per member")

    def _start_weights(self, sample_weight: Any, X: Table) -> NDArray[np.float64]:
        weights = check_weights(self, sample_weight, X, copy=True)
        weights = np.ones(X.shape[0]) if weights is None else weights
        return weights / weights.sum()

    def _training_target(self, y: TargetLike, X: TableLike, *, numeric: bool = False) -> NDArray[Any]:
        require_target(self, y)
        target = check_target(self, y, numeric=numeric)
        check_consistent_length(X, target)
        return target

    def _boost(self, weights: NDArray[np.float64], X: TableLike, y: TargetLike) -> None:
        """All rounds, until there are enough, one is perfect, one is useless, or a callback stops."""
        self.estimators_ = []
        self.estimator_weights_ = np.zeros(self.n_estimators)
        self.estimator_errors_ = np.ones(self.n_estimators)
        random = check_random_state(self._seed_source())
        removed = weights == 0.0
        with Iterations(self, self.n_estimators, X, y) as iterations:
            for number in range(self.n_estimators):
                weights = np.maximum(weights, EPSILON)
                weights[removed] = 0.0
                after, weight, error = self._boost_round(number, weights, random)
                if after is None:
                    break
                self.estimator_weights_[number], self.estimator_errors_[number] = weight, error
                stops = iterations.step(error=error, weight=weight)
                total = after.sum()
                if not np.isfinite(total):
                    warn_user(
                        f"Sample weights have reached infinite values at iteration {number}, where the fit stopped.\n"
                        "Hint: lower learning_rate."
                    )
                    break
                if error == 0 or total <= 0 or stops:
                    break
                weights = after / total

    def _seed_source(self) -> Any:
        if isinstance(self.random_state, np.random.Generator):
            return int(self.random_state.integers(0, 2**31 - 1))
        return self.random_state

    def _new_estimator(self, random: np.random.RandomState) -> Any:
        """A fresh weak learner; every seed among its parameters gets its own draw."""
        learner = clone(self.estimator_)
        seeds = [name for name in sorted(learner.get_params(deep=True)) if name.split("__")[-1] == "random_state"]
        learner.set_params(**{name: int(random.randint(np.iinfo(np.int32).max)) for name in seeds})
        self.estimators_.append(learner)
        return learner

    def _check_X(self, X: TableLike, *, reset: bool = False) -> Any:
        """Numbers for our own weak learners; what others take is their matter, if it is finite."""
        if self.estimator is None:
            table = as_float32(self, X, reset=reset, accept_sparse=["csr", "csc"])
        else:
            table = validate_data(
                self, X, reset=reset, accept_sparse=["csr", "csc"], allow_nd=True, dtype=None, ensure_all_finite=False
            )
            saw_table(self, table)
        assert_finite(self, table)
        return table

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importances of the weak learners, averaged by their weights."""
        return self._importances()

    @predict_method
    def _importances(self) -> NDArray[np.float64]:
        if not hasattr(self.estimators_[0], "feature_importances_"):
            raise AttributeError(
                "Unable to compute feature importances since estimator does not have a feature_importances_ attribute"
            )
        pairs = zip(self.estimator_weights_, self.estimators_, strict=False)
        total = sum(weight * each.feature_importances_ for weight, each in pairs)
        return np.asarray(total / self.estimator_weights_.sum())
