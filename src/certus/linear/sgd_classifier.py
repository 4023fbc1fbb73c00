"""Linear classifiers by stochastic gradient descent. Bottou (2010); Shalev-Shwartz et al. (2011) for Pegasos."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from certus.base import Classifier, class_weights, fit_method, predict_method, register, resolve_threads
from certus.base.inputs import (
    ClassWeightLike,
    RandomStateLike,
    Table,
    TableLike,
    TargetLike,
    WeightsLike,
    check_weights,
    check_Xy,
)
from certus.base.params import Exactly, InstanceOf, Interval, OneOf
from certus.guarantees import Report
from certus.linear.evidence.stochastic_gap import convex_loss, stochastic_certificate
from certus.linear.fitting import stochastic_fit
from certus.linear.fitting.linear_prediction import LinearClassification, SparseCoefficients
from certus.linear.fitting.stochastic_fit import StochasticRule, l1_share
from certus.linear.fitting.stochastic_parameters import StochasticParameters
from certus.linear.problems.box_problem import MachineTable

Array = NDArray[np.float64]
CLASSIFIER_CONSTRAINTS: dict[str, list[Any]] = {
    **stochastic_fit.COMMON_CONSTRAINTS,
    "n_jobs": [Exactly(None), Interval(None, None, integer=True)],
    "class_weight": [Exactly(None), OneOf("balanced"), InstanceOf(dict)],
}
NOT_REPEATED = {
    "check_sample_weight_equivalence_on_dense_data": "a row of weight 2 makes one step of double length, not two "
    "steps, as in scikit-learn",
    "check_sample_weight_equivalence_on_sparse_data": "a row of weight 2 makes one step of double length, not two "
    "steps, as in scikit-learn",
}


class StochasticClassification(StochasticParameters, LinearClassification, SparseCoefficients, Classifier):
    """``fit`` and ``partial_fit`` of classifiers by stochastic gradient descent; one problem per class."""

    _takes_sparse = True

    coef_: Any
    intercept_: NDArray[Any]
    t_: float
    class_weight: ClassWeightLike

    def _rule(self) -> StochasticRule:
        raise NotImplementedError

    @fit_method
    def fit(
        self, X: TableLike, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: WeightsLike = None
    ) -> StochasticClassification:
        """Descend over the rows until the objective no longer improves.

        Parameters
        ----------
        coef_init : ndarray of shape (n_classes, n_features), optional
            Coefficients to start from.
        intercept_init : ndarray of shape (n_classes,), optional
            Intercepts to start from.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of every row: 0 removes it, 2 doubles the length of its steps.
        """
        stochastic_fit.check_options(self, partial=False)
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        for name in ("average_coef_", "average_intercept_", "standard_coef_", "standard_intercept_"):
            self.__dict__.pop(name, None)
        self.t_ = 1.0
        table, y = check_Xy(self, X, y, accept_sparse="csr", order="C", accept_large_sparse=False)
        self._encode_labels(y)
        state = self._descend(table, y, sample_weight, coef_init, intercept_init, self.max_iter, whole=True)
        stochastic_fit.warn_after_fit(self, state)
        return self

    @fit_method
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> StochasticClassification:
        """One epoch over a batch of rows, from where the last call ended."""
        first = not hasattr(self, "classes_")
        if first:
            stochastic_fit.check_options(self, partial=True)
            self._check_first_batch(classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}."
            )
        X, y = check_Xy(self, X, y, accept_sparse="csr", order="C", accept_large_sparse=False, reset=first)
        check_classification_targets(y)
        if first:
            self.classes_ = np.unique(classes)
            self.t_ = 1.0
        unknown = np.setdiff1d(y, self.classes_)
        if unknown.size:
            raise ValueError(f"The target label(s) {unknown} in y do not exist in the initial classes {self.classes_}.")
        coef, intercept = getattr(self, "coef_", None), getattr(self, "intercept_", None)
        if hasattr(self, "standard_coef_"):
            coef, intercept = self.standard_coef_, self.standard_intercept_
        self._descend(X, y, sample_weight, coef, intercept, 1, whole=False)
        return self

    def _check_first_batch(self, classes: TargetLike | None) -> None:
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight 'balanced' is not supported for partial_fit. In order to use 'balanced' weights, use "
                "compute_class_weight('balanced', classes=classes, y=y). In place of y you can use a large enough "
                "sample of the full training set target to properly estimate the class frequency distributions. "
                "Pass the resulting weights as the class_weight parameter."
            )
        if classes is None:
            raise ValueError(
                "classes must be passed on the first call to partial_fit.\n"
                "Hint: partial_fit(X, y, classes=[...]) with every label that may ever come."
            )

    def _descend(
        self,
        X: Table,
        y: NDArray[Any],
        sample_weight: WeightsLike,
        coef: NDArray[Any] | None,
        intercept: NDArray[Any] | None,
        epochs: int,
        *,
        whole: bool,
    ) -> Any:
        if len(self.classes_) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class\n"
                f"Hint: the target contains only one class: {self.classes_[0]!r}."
            )
        by_class = class_weights(self.class_weight, self.classes_, y)
        held = stochastic_fit.validation_rows(self, y, sample_weight, stratified=True) if self.early_stopping else None
        weights = check_weights(self, sample_weight, X)
        if weights is not None and not weights.all():
            kept = weights > 0.0
            X, y, weights, held = X[kept], y[kept], weights[kept], None if held is None else held[kept]
        codes = y == self.classes_[1] if len(self.classes_) == 2 else np.searchsorted(self.classes_, y)
        targets, rows_weights = self._problems(codes, weights, by_class)
        rule = self._rule()
        state = stochastic_fit.first_state(self, len(targets), X.shape[1], coef, intercept, rule.average)
        after = self._after_epoch(X, targets) if whole else None
        stochastic_fit.run_epochs(self, rule, X, targets, rows_weights, held, state, epochs=epochs, after_epoch=after)
        self.coef_, self.intercept_ = stochastic_fit.store_state(self, state, rule.average, X.dtype)
        if after is not None:
            self.coef_, self.intercept_ = after.coef.astype(X.dtype), after.intercept.astype(X.dtype)
        self.report_ = Report()
        if whole and held is None:
            self._certify(X, targets, rows_weights, by_class, state)
        return state

    def _problems(
        self, codes: NDArray[Any], weights: NDArray[Any] | None, by_class: Array
    ) -> tuple[Array, Array | None]:
        """Targets -1 and 1, one row per problem, and the weights of the rows in each (None: all 1)."""
        classes = len(self.classes_)
        positive = np.array([1]) if classes == 2 else np.arange(classes)
        targets = np.where(codes[None, :] == positive[:, None], 1.0, -1.0)
        if weights is None and (by_class == 1.0).all():
            return targets, None
        own, rest = _by_problem(by_class)
        rows = np.where(targets > 0.0, own[:, None], rest[:, None])
        return targets, rows if weights is None else rows * weights

    def _after_epoch(self, X: TableLike, targets: Array) -> Any:
        """What looks at the coefficients after every epoch and keeps its own, or None."""
        del X, targets

    def _certify(self, X: TableLike, targets: Array, weights: Array | None, by_class: Array, state: Any) -> None:
        """The gap, where the penalty has a ridge part and the loss is convex."""
        del state
        rule, share = self._rule(), l1_share(self)
        loss = convex_loss(rule.loss, rule.epsilon)
        if loss is None or self.penalty is None or share == 1.0 or self.alpha == 0:
            return
        certificate = stochastic_certificate(
            MachineTable(X, 0.0, resolve_threads()),
            targets,
            weights,
            self.coef_.astype(np.float64),
            self.intercept_.astype(np.float64),
            loss=loss,
            alpha=float(self.alpha),
            l1_ratio=share,
            fit_intercept=bool(self.fit_intercept),
            declared={
                "classes": self.classes_.tolist(),
                "class_weights": [part.tolist() for part in _by_problem(by_class)],
                "epsilon": float(rule.epsilon),
            },
        )
        self.gap_ = float(certificate.value)  # type: ignore[arg-type]
        self.report_ = Report([certificate])


def _has_probabilities(learner: BaseEstimator) -> bool:
    if learner.loss not in ("log_loss", "modified_huber"):
        raise AttributeError(f"probability estimates are not available for loss={learner.loss!r}")
    return True


@register(
    guarantees=("gap to the optimum, with a ridge part in the penalty",),
    cost="fit n p per epoch and class, predict p per row and class",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class SGDClassifier(StochasticClassification):
    """Linear classifier (support vector machine, logistic regression, …) by stochastic gradient descent.

    Minimizes, over coefficients w and intercept b, one class against the rest if there are more than two,

        mean_i s_i l(y_i, x_i'w + b) + alpha [ (1 - l1_ratio) |w|^2 / 2 + l1_ratio |w|_1 ],      y_i = -1 or 1

    roughly but fast: each row moves the coefficients at once, one epoch costs one pass over the table, and
    `partial_fit` learns from batches that need not fit in memory. Scale the columns first. The report says how far
    the result may be from the optimum; `LinearSVC` and `LogisticRegression` find the optimum itself.

    Parameters
    ----------
    loss : str, default="hinge"
        "hinge", "squared_hinge", "perceptron", "log_loss", "modified_huber", "squared_error", "huber",
        "epsilon_insensitive" or "squared_epsilon_insensitive".
    learning_rate : str, default="optimal"
        "constant" (eta0), "optimal" (1 / (alpha (t + t0))), "invscaling" (eta0 / t^power_t), "adaptive" (eta0, divided
        by 5 when nothing improves), "pa1", "pa2" (passive-aggressive) or "pegasos" (1 / (alpha (t + 1))).

    Attributes
    ----------
    gap_ : float
        Certified bound on the objective minus its minimum, if the penalty has a ridge part (after `fit`).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from certus.linear import SGDClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SGDClassifier(random_state=0).fit(scale(X), y)
    >>> model.score(scale(X), y) > 0.9
    True
    """

    _constraints = {
        **CLASSIFIER_CONSTRAINTS,
        **stochastic_fit.RATE_CONSTRAINTS,
        "loss": [OneOf(*stochastic_fit.CLASSIFICATION_LOSSES)],
    }
    _state = ("classes_", "gap_", *stochastic_fit.STATE)
    # The names of the losses, as in scikit-learn; the values say which native loss it is.
    loss_functions: ClassVar[dict[str, tuple[str]]] = {name: (name,) for name in stochastic_fit.CLASSIFICATION_LOSSES}

    def __init__(
        self,
        loss: str = "hinge",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        epsilon: float = 0.1,
        n_jobs: int | None = None,
        random_state: RandomStateLike = None,
        learning_rate: str = "optimal",
        eta0: float = 0.01,
        power_t: float = 0.5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: ClassWeightLike = None,
        warm_start: bool = False,
        average: bool | int = False,
    ) -> None:
        self._set_parameters(locals())

    def _rule(self) -> StochasticRule:
        return StochasticRule(
            self.loss, float(self.epsilon), self.learning_rate, float(self.power_t), int(self.average), True
        )

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    @predict_method
    def predict_proba(self, X: TableLike) -> NDArray[Any]:
        """Probabilities of the classes, for "log_loss" and "modified_huber" (Zadrozny, Elkan 2002)."""
        scores = self.decision_function(X)
        single = expit(scores) if self.loss == "log_loss" else (np.clip(scores, -1, 1) + 1.0) / 2.0
        if single.ndim == 1:
            return np.column_stack([1.0 - single, single])
        total = single.sum(axis=1, keepdims=True)
        single = np.where(total == 0.0, 1.0, single)
        return single / single.sum(axis=1, keepdims=True)


def _by_problem(by_class: Array) -> tuple[Array, Array]:
    """The weights that every problem gives to its own class and to the rest; two classes are one problem."""
    return (by_class[1:], by_class[:1]) if len(by_class) == 2 else (by_class, np.ones(len(by_class)))
