"""Numbers as targets of deep learners."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Regressor, predict_method
from certus.base.inputs import check_target, require_target
from certus.base.params import OneOf
from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.learning.supervised_learner import SupervisedLearner
from certus.neural.deep.learning.supervised_objective import Examples

NUMBER_CONSTRAINTS: dict[str, list[Any]] = {"loss": [OneOf("squared_error", "absolute_error", "huber")]}
NUMBER_STATE = ("target_mean_", "target_scale_", "single_output_")


class NumberOutputs(SupervisedLearner, Regressor):
    """Deep learners that predict numbers.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber"}
        What is minimized, on targets that are shifted and scaled to mean 0 and deviation 1.

    Attributes
    ----------
    target_mean_, target_scale_ : ndarray of shape (n_outputs,)
        What the targets were shifted by and divided by.
    single_output_ : bool
        Whether predictions are one number each, not a vector.
    """

    loss: str
    target_mean_: NDArray[np.float64]
    target_scale_: NDArray[np.float64]
    single_output_: bool

    def _n_outputs(self) -> int:
        return len(self.target_mean_)

    # ---- targets ---------------------------------------------------------------------------------------------------
    def _fit_numbers(self, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any) -> None:
        """Train on one number, or several, per example."""
        require_target(self, y)
        inputs = self._read_inputs(X, reset=True)
        values = self._values(y)
        self._same_number(inputs, values)
        self.single_output_ = values.ndim == 1
        weights = self._weights(sample_weight, inputs)
        self._learn_scale(values.reshape(len(values), -1), weights)
        self._fit_examples(Examples(inputs, self._standardized(values.reshape(len(values), -1)), weights), X_val, y_val)

    def _values(self, y: Any) -> NDArray[np.float64]:
        return np.asarray(check_target(self, y, multi_output=True, numeric=True), dtype=np.float64)

    def _known_targets(self, y: Any, inputs: Any) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
        values = self._values(y)
        values = values.reshape(len(values), -1)
        if values.shape[1] != self._n_outputs():
            raise ValueError(f"y_val has {values.shape[1]} columns, y has {self._n_outputs()}.")
        return self._standardized(values), None

    def _learn_scale(self, values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> None:
        """Mean and deviation of the targets, one row each."""
        self.target_mean_ = np.average(values, axis=0, weights=weights)
        spread = np.sqrt(np.average((values - self.target_mean_) ** 2, axis=0, weights=weights))
        self.target_scale_ = np.where(spread > 0.0, spread, 1.0)

    def _standardized(self, values: NDArray[np.float64]) -> NDArray[np.float32]:
        return ((values - self.target_mean_) / self.target_scale_).astype(np.float32)

    def _unscaled(self, outputs: Any) -> NDArray[np.float64]:
        values = outputs.double().cpu().numpy() * self.target_scale_ + self.target_mean_
        return np.asarray(values[..., 0] if self.single_output_ else values)

    # ---- losses ----------------------------------------------------------------------------------------------------
    def _losses(self, outputs: Any, targets: Any) -> Any:
        """Loss of every example; of all its steps together if targets have steps. Steps without target are NaN."""
        if outputs.shape != targets.shape:
            raise ValueError(
                f"the module must return numbers of the shape {tuple(targets.shape)}, got {tuple(outputs.shape)}.\n"
                "Hint: end it with a linear layer of n_outputs units."
            )
        off = outputs - targets
        if targets.ndim > 2:  # sequences end at different steps
            off = torch.where(torch.isnan(targets), 0.0, outputs - torch.nan_to_num(targets))
        if self.loss == "squared_error":
            found = off**2
        elif self.loss == "absolute_error":
            found = off.abs()
        else:
            found = torch.nn.functional.huber_loss(off, torch.zeros_like(off), reduction="none")
        return found.flatten(1).sum(dim=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    # ---- predictions -----------------------------------------------------------------------------------------------
    @predict_method
    def predict(self, X: Any) -> Any:
        """Predict a number for each example, or several."""
        return self._unscaled(self._stacked_outputs(X))
