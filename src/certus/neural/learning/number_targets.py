"""Numbers as targets of networks: one or several per row, by the losses of regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score
from sklearn.utils import column_or_1d

from certus.base import Regressor, predict_method
from certus.base.inputs import TableLike, check_weights
from certus.neural import _native_calls as kernels
from certus.neural.learning.network_learner import NetworkLearner
from certus.neural.learning.training_data import OutputPlan, TrainingData

LOSSES = {
    "squared_error": "squared",
    "poisson": "poisson",
    "absolute_error": "absolute",
    "huber": "huber",
    "quantile": "quantile",
}


class NumberTargets(NetworkLearner, Regressor):
    """Networks for numbers.

    Parameters
    ----------
    loss : {"squared_error", "poisson", "absolute_error", "huber", "quantile"}
        What is minimized; "poisson" predicts e^f and needs targets of 0 or more.
    quantiles : float or sequence of float
        Which quantiles loss="quantile" predicts; several never cross, since each is the one below plus
        softplus of an output.
    delta : float
        Where Huber's loss becomes linear.
    """

    n_targets_: int
    loss: str
    quantiles: Any
    delta: float

    # ---- targets ---------------------------------------------------------------------------------------------------
    def _read(self, X: Any, y: Any, sample_weight: Any, *, first: bool) -> TrainingData:
        self._levels()
        table, y = self._read_rows(
            X, y, sample_weight, reset=first or not hasattr(self, "n_features_in_"), y_numeric=True
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
