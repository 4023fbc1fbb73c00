"""Multi-layer perceptrons for numbers from tables with mixed columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import fit_method, register
from certus.base.inputs import RandomStateLike, TableLike, WeightsLike
from certus.base.params import OneOf
from certus.base.persistence import check_shapes
from certus.neural.learning.number_targets import NumberTargets
from certus.neural.learning.tabular_network import NOT_REPEATED, OWN_CONSTRAINTS, TABULAR_STATE, TabularNetwork
from certus.neural.learning.training_data import TrainingData


@register(
    guarantees=(),
    cost="fit n times weights and members per epoch, predict weights times members per row",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class TabularMLPRegressor(TabularNetwork, NumberTargets):
    """Multi-layer perceptron for numbers, for data frames or tables with columns of any kind and missing values.

    Nothing has to be scaled, filled or encoded first, the targets neither: they are brought to mean 0 and variance 1,
    and predictions stay within the range that they had.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber"}
        What is minimized.

    Attributes
    ----------
    target_range_ : ndarray of shape (4, n_outputs)
        Mean, spread, least and largest of the targets.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural import TabularMLPRegressor
    >>> X = np.random.default_rng(0).uniform(-2, 2, (300, 2))
    >>> model = TabularMLPRegressor((32,), max_iter=40, random_state=0).fit(X, np.sin(2 * X[:, 0]) + 100)
    >>> model.score(X, np.sin(2 * X[:, 0]) + 100) > 0.9
    True
    """

    _constraints = {**OWN_CONSTRAINTS, "loss": [OneOf("squared_error", "absolute_error", "huber")]}
    _state = ("n_targets_", "target_range_", *TABULAR_STATE)
    quantiles, delta = 0.5, 1.0
    target_range_: NDArray[np.float64]

    def __init__(
        self,
        hidden_layer_sizes: Any = (128, 128),
        activation: Any = "mish",
        *,
        members: int = 4,
        embedding: str | None = "piecewise",
        n_bins: int = 8,
        alpha: float = 0.02,
        dropout: float = 0.15,
        batch_size: Any = "auto",
        learning_rate_init: float = 0.003,
        max_iter: int = 60,
        validation_fraction: float = 0.15,
        n_iter_no_change: int | None = None,
        loss: str = "squared_error",
        random_state: RandomStateLike = None,
        verbose: bool | int = False,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: TableLike, y: Any, sample_weight: WeightsLike = None, *, X_val: Any = None, y_val: Any = None
    ) -> TabularMLPRegressor:
        """Train and keep the epoch that does best on held-out rows.

        Parameters
        ----------
        X_val, y_val : table and targets, default=None
            Your own validation rows, in place of a share of the training rows.
        """
        self._train(X, y, sample_weight, X_val, y_val, incremental=False)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any, *, first: bool) -> TrainingData:
        data = super()._read(X, y, sample_weight, first=first)
        assert data.values is not None
        y = np.array(y, dtype=np.float64).reshape(len(data.values), -1)
        if data.rows is not None:
            y[np.setdiff1d(np.arange(len(y)), data.rows)] = y[data.rows[0]]  # rows of weight 0 teach nothing
        kept = y if data.rows is None else y[data.rows]
        size = np.abs(kept).max(axis=0)
        size = np.where(size > 0.0, size, 1.0)  # squares neither overflow nor vanish
        mean, spread = (kept / size).mean(axis=0) * size, (kept / size).std(axis=0) * size
        self.target_range_ = np.stack([mean, np.where(spread > 0.0, spread, 1.0), kept.min(axis=0), kept.max(axis=0)])
        return replace(data, values=np.ascontiguousarray((y - mean) / self.target_range_[1], dtype=data.X.dtype))

    def _restored(self) -> None:
        super()._restored()
        check_shapes(self, target_range_=(4, self.n_targets_))

    def _validation_targets(self, y: Any) -> NDArray[Any]:
        return (super()._validation_targets(y) - self.target_range_[0]) / self.target_range_[1]

    def _validation_score(self, scores: NDArray[Any], y: Any, weights: Any) -> float:
        losses = np.abs(scores - y) if self.loss == "absolute_error" else (scores - y) ** 2
        return -float(np.average(losses.sum(axis=1), weights=weights))

    def _transformed(self, scores: NDArray[Any]) -> NDArray[Any]:
        mean, spread, least, largest = self.target_range_
        return np.clip(scores * spread + mean, least, largest)
