"""Multi-layer perceptrons for numbers: means, medians, quantiles and counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score
from sklearn.utils import column_or_1d
from sklearn.utils.metaestimators import available_if

from certus.base import Regressor, fit_method, predict_method, register
from certus.base.inputs import RandomStateLike, TableLike, WeightsLike, check_weights, check_Xy
from certus.base.params import ArrayLike, Interval, OneOf
from certus.neural import _native_calls as kernels
from certus.neural.learning.network_learner import NetworkLearner
from certus.neural.learning.network_options import has_partial_fit
from certus.neural.learning.network_parameters import CONSTRAINTS, STATE
from certus.neural.learning.training_data import OutputPlan, TrainingData

LOSSES = {
    "squared_error": "squared",
    "poisson": "poisson",
    "absolute_error": "absolute",
    "huber": "huber",
    "quantile": "quantile",
}


@register(
    guarantees=("norm of the gradient", "gap to the optimum, without hidden layers"),
    cost="fit n times weights per epoch, predict weights per row",
    draws_rows=True,
)
class MLPRegressor(NetworkLearner, Regressor):
    """Multi-layer perceptron for one or several numbers per row, trained by backpropagation.

    Minimizes, over the weights W and intercepts b of all layers,

        mean_i s_i sum_k l(y_ik, f_k(x_i)) + alpha / (2 rows) |W|^2,   f = W_L'h_{L-1} + b_L

    with h_k = activation(W_k'h_{k-1} + b_k), h_0 = x, and l half the squared error, half the deviance of counts, the
    absolute error, Huber's loss or that of quantiles. Scale the columns, and large targets, first. Results do not
    depend on the number of threads.

    Parameters
    ----------
    loss : {"squared_error", "poisson", "absolute_error", "huber", "quantile"}
        What is minimized; "poisson" predicts e^f and needs targets of 0 or more.
    quantiles : float or sequence of float
        Which quantiles loss="quantile" predicts; several never cross, since each is the one below plus
        softplus of an output.
    delta : float
        Where Huber's loss becomes linear.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural import MLPRegressor
    >>> X = np.linspace(-1.0, 1.0, 200)[:, None]
    >>> model = MLPRegressor(hidden_layer_sizes=(16,), activation="tanh", solver="lbfgs", random_state=0)
    >>> model.fit(X, np.sin(4 * X[:, 0])).score(X, np.sin(4 * X[:, 0])) > 0.99
    True
    """

    _constraints = {
        **CONSTRAINTS,
        "loss": [OneOf(*LOSSES)],
        "quantiles": [Interval(0, 1, closed="neither"), ArrayLike()],
        "delta": [Interval(0, None, closed="neither")],
    }
    _state = ("n_targets_", *STATE)
    n_targets_: int
    loss: str
    quantiles: Any
    delta: float

    def __init__(
        self,
        loss: str = "squared_error",
        hidden_layer_sizes: Any = (100,),
        activation: Any = "relu",
        *,
        solver: str = "adam",
        alpha: float = 0.0001,
        batch_size: Any = "auto",
        learning_rate: str = "constant",
        learning_rate_init: float = 0.001,
        power_t: float = 0.5,
        max_iter: int = 200,
        shuffle: bool = True,
        random_state: RandomStateLike = None,
        tol: float = 1e-4,
        verbose: bool | int = False,
        warm_start: bool = False,
        momentum: float = 0.9,
        nesterovs_momentum: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        n_iter_no_change: float = 10,
        max_fun: int = 15000,
        quantiles: Any = 0.5,
        delta: float = 1.0,
        learning_rate_end: float = 0.0,
        decay_steps: int | None = None,
        rho: float = 0.9,
        init: str = "glorot",
        init_fraction: float = 0.1,
        l1: float = 0.0,
        dropout: float = 0.0,
        batch_norm: bool = False,
        clip_norm: float | None = None,
        n_init: int = 1,
        combine: str = "best",
        pretraining: str | None = None,
        pretraining_iter: int = 10,
        auxiliary: float = 0.0,
        start: Any = None,
        frozen: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: TableLike, y: Any, sample_weight: WeightsLike = None, *, X_val: Any = None, y_val: Any = None
    ) -> MLPRegressor:
        """Train until the loss (or the score on validation rows) no longer improves.

        Parameters
        ----------
        X_val, y_val : table and targets, default=None
            Your own validation rows: the weights of the epoch that does best on them are kept.
        """
        self._train(X, y, sample_weight, X_val, y_val, incremental=False)
        return self

    @available_if(has_partial_fit)  # type: ignore[untyped-decorator]
    @fit_method
    def partial_fit(self, X: TableLike, y: Any, sample_weight: WeightsLike = None) -> MLPRegressor:
        """One epoch over a batch of rows, from where the last call ended, with the optimiser's memory."""
        self._train(X, y, sample_weight, None, None, incremental=True)
        return self

    # ---- targets ---------------------------------------------------------------------------------------------------
    def _read(self, X: Any, y: Any, sample_weight: Any, *, first: bool) -> TrainingData:
        self._levels()
        table, y = check_Xy(
            self,
            X,
            y,
            accept_sparse="csr",
            multi_output=True,
            y_numeric=True,
            reset=first or not hasattr(self, "n_features_in_"),
        )
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        values = np.ascontiguousarray(y.reshape(len(y), -1), dtype=table.dtype)
        if self.loss == "poisson" and (values < 0.0).any():
            row = int(np.argmax((values < 0.0).any(axis=1)))
            raise ValueError(
                f"loss='poisson' needs targets of 0 or more; y has {values[row].min():g} at row {row}.\n"
                "Hint: use loss='squared_error'."
            )
        if not first and values.shape[1] != self.n_targets_:
            raise ValueError(f"y has {values.shape[1]} columns, but the network was fitted with {self.n_targets_}.")
        if self.loss == "quantile" and values.shape[1] > 1:
            raise ValueError(
                f"loss='quantile' predicts quantiles of one number per row; y has {values.shape[1]} columns.\n"
                "Hint: use certus.multioutput.MultiOutputRegressor."
            )
        self.n_targets_ = values.shape[1]
        weights = check_weights(self, sample_weight, table)
        rows = None if weights is None or weights.all() else np.flatnonzero(weights).astype(np.int64)
        return TrainingData(table, values=values, weights=weights, rows=rows)

    def _levels(self) -> tuple[float, ...]:
        """The quantiles, checked."""
        levels = tuple(float(level) for level in np.atleast_1d(self.quantiles))
        if not all(0.0 < level < 1.0 for level in levels) or list(levels) != sorted(set(levels)):
            raise ValueError(
                f"quantiles must be ascending numbers between 0 and 1; got {self.quantiles!r}.\n"
                "Hint: (0.05, 0.5, 0.95)."
            )
        return levels

    def _output(self) -> OutputPlan:
        native = LOSSES[self.loss]
        if self.loss == "quantile":
            levels = self._levels()
            if len(levels) > 1:
                return OutputPlan(len(levels), "ascending", (native, 0.5), quantiles=levels)
            return OutputPlan(1, "identity", (native, levels[0]))
        return OutputPlan(self.n_targets_, "exp" if self.loss == "poisson" else "identity", (native, float(self.delta)))

    def _validation_targets(self, y: Any) -> NDArray[Any]:
        return np.asarray(y, dtype=np.float64).reshape(len(y), -1)

    def _validation_score(self, scores: NDArray[Any], y: Any, weights: Any) -> float:
        found = self._transformed(scores)
        if not np.isfinite(found).all():
            return float("nan")
        if self.loss == "quantile":  # R^2 says nothing of quantiles
            levels = np.array(self._levels())
            off = y - found
            losses = np.where(off > 0.0, levels * off, (levels - 1.0) * off).sum(axis=1)
            return -float(np.average(losses, weights=weights))
        return float(r2_score(y, found, sample_weight=weights))

    # ---- predictions -----------------------------------------------------------------------------------------------
    def _transformed(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Scores as predictions."""
        if self.out_activation_ == "exp":
            with np.errstate(over="ignore"):
                return np.asarray(np.exp(scores))
        if self.out_activation_ == "ascending":
            kernels.ascending_quantiles(scores)
        return scores

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Predict a number for each row, or several."""
        table = self._table(X)
        members = [self._transformed(member._raw_scores(table)) for member in self._averaged()]
        found = members[0] if len(members) == 1 else np.mean(members, axis=0)
        return found.ravel() if found.shape[1] == 1 else found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
