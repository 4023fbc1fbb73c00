"""Online regressors."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from certus.base import Regressor, TableLike, check_target, fit_method, predict_method, refuse_large
from certus.base.inputs import LARGEST, WeightsLike
from certus.online._native_calls import stream_kernels
from certus.online._native_calls.stream_kernels import WHOLE, Array
from certus.online.learning.stream_classifier import check_columns
from certus.online.learning.stream_learner import StreamLearner


class StreamRegressor(StreamLearner, Regressor):
    """Online linear regressor."""

    _classifies = False

    def _target(self, y: Any) -> float | None:
        value = float(y) if isinstance(y, float | int) else np.nan
        return value if abs(value) <= LARGEST else None

    def _known_targets(self, y: Any) -> NDArray[Any]:
        try:
            target = np.ascontiguousarray(check_target(self, y, numeric=True), dtype=np.float64)
        except ValueError as error:
            hint = "" if "Hint:" in str(error) else "\nHint: y must hold numbers; a classifier takes labels."
            raise ValueError(f"{error}{hint}") from error
        refuse_large(self, target, LARGEST, name="y")
        return target

    def _learn_rows(self, table: Any, y: NDArray[Any], shares: Array = WHOLE, *, tells: bool = True) -> NDArray[Any]:
        del tells  # the scores are what was predicted
        if "state_" not in vars(self):
            self._start(table.shape[1])
        scores = stream_kernels.learn(self._kernel(), table, y, 1, shares)
        self._note(scores)
        return self._played(scores)

    def _played(self, scores: Array) -> NDArray[Any]:
        return scores[:, 0] if scores.shape[1] else np.zeros(len(scores))

    def _played_one(self, scores: Array) -> Any:
        return float(scores[0])

    @fit_method
    def partial_fit(self, X: TableLike, y: Any, sample_weight: WeightsLike = None) -> Self:
        """Learn from a further batch of rows."""
        self._learn(X, y, sample_weight, played=False)
        return self

    @predict_method
    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted values."""
        return self._played(self._scores(self._read_new(X)))

    def _restored(self) -> None:
        if "state_" in vars(self):
            if self.state_.rule != self._rule() or self.state_.problems != 1:
                raise ValueError("state_ is that of another rule.")
            check_columns(self)
