"""What the learners by stochastic gradient descent share: options, the run over epochs, averaging, stopping.

    minimize over w, b   mean_i s_i l(y_i, x_i'w + b) + alpha [ (1 - l1_ratio) |w|^2 / 2 + l1_ratio |w|_1 ]

Row t moves the coefficients by a step of size eta_t along the row's own gradient. Learning rates: "constant" eta0;
"optimal" 1/(alpha (t + t0)); "invscaling" eta0 / t^power_t; "adaptive" eta0, divided by 5 when nothing improves;
"pegasos" 1/(alpha (t + 1)) (Shalev-Shwartz et al. 2011); "pa1", "pa2" passive-aggressive (Crammer et al. 2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from certus.base import Iterations, resolve_seed, resolve_threads, warn_deprecated, warn_user
from certus.base.inputs import TableLike, WeightsLike
from certus.base.params import Boolean, Exactly, Fraction, Interval, OneOf, RandomState, Verbosity
from certus.linear._native_calls import machine_kernels as kernels
from certus.linear._native_calls.machine_kernels import NUMBERS, StochasticState

Array = NDArray[np.float64]
LARGEST_COEF = {"float64": 1e100, "float32": 1e18}  # by the type of the table: above, scores overflow
SPARSE_DECAY = 0.01  # of the intercept's steps on sparse tables, whose columns are seldom used
REGRESSION_LOSSES = ("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")
CLASSIFICATION_LOSSES = ("hinge", "squared_hinge", "perceptron", "log_loss", "modified_huber", *REGRESSION_LOSSES)
COMMON_CONSTRAINTS: dict[str, list[Any]] = {
    "penalty": [OneOf("l2", "l1", "elasticnet"), Exactly(None)],
    "alpha": [Interval(0, None)],
    "l1_ratio": [Interval(0, 1), Exactly(None)],
    "fit_intercept": [Boolean()],
    "max_iter": [Interval(1, None, integer=True)],
    "tol": [Interval(0, None), Exactly(None)],
    "shuffle": [Boolean()],
    "verbose": [Verbosity()],
    "random_state": [RandomState()],
    "eta0": [Interval(0, None, closed="neither")],
    "early_stopping": [Boolean()],
    "validation_fraction": [Fraction(0, 1, closed="neither")],
    "n_iter_no_change": [Interval(1, None, integer=True)],
    "warm_start": [Boolean()],
}
RATE_CONSTRAINTS: dict[str, list[Any]] = {
    "epsilon": [Interval(0, None)],
    "learning_rate": [OneOf("constant", "optimal", "invscaling", "adaptive", "pa1", "pa2", "pegasos")],
    "power_t": [Interval(None, None)],
    "average": [Boolean(), Interval(0, None, integer=True)],
}
STATE = (
    "coef_",
    "intercept_",
    "n_iter_",
    "t_",
    "standard_coef_",
    "standard_intercept_",
    "average_coef_",
    "average_intercept_",
    "n_features_in_",
    "feature_names_in_",
)


@dataclass(frozen=True)
class StochasticRule:
    """How a learner descends: the options that are not data."""

    loss: str
    epsilon: float
    learning_rate: str
    power_t: float
    average: int
    classifies: bool


def check_options(learner: BaseEstimator, *, partial: bool) -> None:
    """Refuse combinations of parameters that cannot be."""
    rate, loss = learner.learning_rate, learner.loss
    if learner.early_stopping and partial:
        raise ValueError("early_stopping should be False with partial_fit\nHint: watch a validation set yourself.")
    if rate in ("optimal", "pegasos") and learner.alpha == 0:
        raise ValueError(
            f"alpha must be > 0 since learning_rate is {rate!r}. alpha is used to compute the optimal learning rate.\n"
            "Hint: set learning_rate='constant' or 'invscaling' with an eta0 to go without a penalty."
        )
    needed = "hinge" if hasattr(learner, "class_weight") else "epsilon_insensitive"
    if rate in ("pa1", "pa2") and loss != needed:
        raise ValueError(f"Learning rate '{rate}' only works with loss '{needed}'.\nHint: set loss={needed!r}.")
    if learner.penalty == "elasticnet" and learner.l1_ratio is None:
        raise ValueError("l1_ratio must be set when penalty is 'elasticnet'\nHint: 0 is ridge, 1 is L1.")


def validation_rows(
    learner: BaseEstimator, y: NDArray[Any], sample_weight: WeightsLike, *, stratified: bool
) -> NDArray[np.bool_]:
    """Which rows are held out for early stopping."""
    splitter = (StratifiedShuffleSplit if stratified else ShuffleSplit)(
        test_size=learner.validation_fraction, random_state=learner.random_state
    )
    train, held = next(splitter.split(np.zeros((len(y), 1)), y))
    if len(train) == 0 or len(held) == 0:
        raise ValueError(
            f"Splitting {len(y)} samples into a train set and a validation set with validation_fraction="
            f"{learner.validation_fraction!r} led to an empty set ({len(train)} and {len(held)} samples). Please "
            "either change validation_fraction, increase number of samples, or disable early_stopping."
        )
    if sample_weight is not None and np.ndim(sample_weight) and not np.asarray(sample_weight)[held].any():
        raise ValueError("The sample weights for validation set are all zero, consider using a different random state.")
    mask = np.zeros(len(y), dtype=bool)
    mask[held] = True
    return mask


def first_state(
    learner: BaseEstimator,
    outputs: int,
    width: int,
    coef: NDArray[Any] | None,
    intercept: NDArray[Any] | None,
    average: int,
) -> StochasticState:
    """The state at the start of a call: given coefficients or zeros, and the averages so far."""
    numbers = np.zeros((outputs, len(NUMBERS)))
    state = StochasticState(
        coef=np.zeros((outputs, width + 1)),
        average=np.zeros((outputs, width + 1)) if average else np.empty((0, 0)),
        l1_taken=np.zeros((outputs, width + 1)) if learner.penalty in ("l1", "elasticnet") else np.empty((0, 0)),
        numbers=numbers,
    )
    if coef is not None:
        state.coef[:, :width] = _shaped(coef, (outputs, width), "coef_init")
    if intercept is not None:
        state["intercept"][:] = _shaped(intercept, (outputs,), "intercept_init")
    if average and hasattr(learner, "average_coef_"):
        state.average[:, :width] = learner.average_coef_
        state["average_intercept"][:] = learner.average_intercept_
    state["steps"][:] = learner.t_
    state["step_size"][:] = learner.eta0
    state["best"][:] = -np.inf
    return state


def _shaped(given: Any, shape: tuple[int, ...], name: str) -> Array:
    values = np.asarray(given.toarray() if sparse.issparse(given) else given, dtype=np.float64)
    single = shape[0] == 1 and values.size == int(np.prod(shape))
    if values.shape != shape and not single:
        raise ValueError(
            f"Provided {name} does not match dataset.\nHint: it has the shape {values.shape}, expected {shape}."
        )
    return values.reshape(shape)


def run_epochs(
    learner: BaseEstimator,
    rule: StochasticRule,
    X: TableLike,
    targets: Array,
    weights: Array | None,
    held: NDArray[np.bool_] | None,
    state: StochasticState,
    *,
    epochs: int,
    after_epoch: Any = None,
) -> None:
    """Descend until the stopping rule holds or the epochs are used up; epoch by epoch if somebody watches."""
    options = kernels.stochastic_options(
        loss=rule.loss,
        rule=rule.learning_rate,
        epsilon=float(rule.epsilon),
        ridge=learner.penalty in ("l2", "elasticnet"),
        truncate=learner.penalty in ("l1", "elasticnet"),
        alpha=float(learner.alpha),
        l1_ratio=l1_share(learner),
        eta0=float(learner.eta0),
        power_t=float(rule.power_t),
        fit_intercept=bool(learner.fit_intercept),
        intercept_decay=SPARSE_DECAY if sparse.issparse(X) else 1.0,
        shuffle=bool(learner.shuffle),
        seed=resolve_seed(learner.random_state),
        average_from=rule.average,
        tol=-np.inf if learner.tol is None else float(learner.tol),
        patience=int(learner.n_iter_no_change),
        classifies=rule.classifies,
    )
    marks = None if held is None else held.astype(np.uint8)
    rows, threads = kernels.table_rows(X), resolve_threads(getattr(learner, "n_jobs", None))
    with Iterations(learner, epochs, X, targets) as iterations:
        watched = after_epoch is not None or iterations.watched
        for _ in range(epochs if watched else 1):
            kernels.stochastic_descent(rows, targets, weights, marks, options, 1 if watched else epochs, threads, state)
            stop = iterations.step(objective=float(state["objective"].mean())) if watched else False
            if after_epoch is not None:
                after_epoch(state)
            if stop or state["finished"].all():
                break
    if state["overflow"].any():
        raise _overflow(int(state["epochs"].max()))


def _overflow(epoch: int) -> ValueError:
    return ValueError(
        f"Floating-point under-/overflow occurred at epoch #{epoch}. Scaling input data with StandardScaler or "
        "MinMaxScaler might help.\nHint: a smaller eta0 may help, too."
    )


def l1_share(learner: BaseEstimator) -> float:
    """Share of L1 in the penalty."""
    return {"l2": 0.0, "l1": 1.0}.get(learner.penalty, float(learner.l1_ratio or 0.0))


def store_state(learner: BaseEstimator, state: StochasticState, average: int, dtype: Any) -> tuple[Array, Array]:
    """Keep what a later call needs; the coefficients and intercepts that the learner shows."""
    coef, intercept = state.coef[:, :-1], state["intercept"]
    limit = LARGEST_COEF[np.dtype(dtype).name]
    if not (np.abs(coef) <= limit).all() or not (np.abs(intercept) <= limit).all():
        raise _overflow(int(state["epochs"].max()))  # scores of rows could not be computed
    learner.t_ = float(state["steps"].max())
    learner.n_iter_ = int(state["epochs"].max())
    if not average:
        return coef.astype(dtype), intercept.astype(dtype)
    learner.standard_coef_, learner.standard_intercept_ = coef.copy(), intercept.copy()
    learner.average_coef_, learner.average_intercept_ = state.average[:, :-1].copy(), state["average_intercept"].copy()
    if average > learner.t_ - 1.0:
        return coef.astype(dtype), intercept.astype(dtype)
    return learner.average_coef_.astype(dtype), learner.average_intercept_.astype(dtype)


def warn_after_fit(learner: BaseEstimator, state: StochasticState) -> None:
    """One warning if the epochs did not suffice, and scikit-learn's for a negative exponent."""
    if learner.tol is not None and learner.n_iter_ == learner.max_iter and not state["finished"].all():
        warn_user(
            "Maximum number of iteration reached before convergence. Consider increasing max_iter to improve the fit.",
            ConvergenceWarning,
        )
    if getattr(learner, "power_t", 0.0) < 0:
        warn_deprecated("power_t")
