"""Multi-layer perceptrons for numbers: means, medians, quantiles and counts."""

from __future__ import annotations

from typing import Any

from sklearn.utils.metaestimators import available_if

from certus.base import fit_method, register
from certus.base.inputs import RandomStateLike, TableLike, WeightsLike
from certus.base.params import ArrayLike, Interval, OneOf
from certus.neural.learning.network_options import has_partial_fit
from certus.neural.learning.network_parameters import CONSTRAINTS, STATE
from certus.neural.learning.number_targets import LOSSES, NumberTargets


@register(
    guarantees=("norm of the gradient", "gap to the optimum, without hidden layers"),
    cost="fit n times weights per epoch, predict weights per row",
    draws_rows=True,
)
class MLPRegressor(NumberTargets):
    """Multi-layer perceptron for one or several numbers per row, trained by backpropagation.

    Minimizes, over the weights W and intercepts b of all layers,

        mean_i s_i sum_k l(y_ik, f_k(x_i)) + alpha / (2 rows) |W|^2,   f = W_L'h_{L-1} + b_L

    with h_k = activation(W_k'h_{k-1} + b_k), h_0 = x, and l half the squared error, half the deviance of counts, the
    absolute error, Huber's loss or that of quantiles. Scale the columns, and large targets, first. Results do not
    depend on the number of threads.

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
        """One epoch over a batch of rows, from where the last call ended, with the optimizer's memory."""
        self._train(X, y, sample_weight, None, None, incremental=True)
        return self
