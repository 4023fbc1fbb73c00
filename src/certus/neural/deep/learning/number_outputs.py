"""Numbers as targets of deep learners: some per example, or some per step of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Regressor
from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.learning.deep_learner import DeepLearner

LOSSES = ("squared_error", "absolute_error", "huber")


class NumberOutputs(DeepLearner, Regressor):
    """Deep learners that predict numbers.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber"}
        What is minimized, on targets that are shifted and scaled to mean 0 and deviation 1.

    Attributes
    ----------
    target_mean_, target_scale_ : ndarray of shape (n_outputs,)
        What the targets were shifted by and divided by.
    """

    loss: str
    target_mean_: NDArray[np.float64]
    target_scale_: NDArray[np.float64]

    def _n_outputs(self) -> int:
        return len(self.target_mean_)

    def _learn_scale(self, values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> None:
        """Mean and deviation of the targets, one row each."""
        self.target_mean_ = np.average(values, axis=0, weights=weights)
        spread = np.sqrt(np.average((values - self.target_mean_) ** 2, axis=0, weights=weights))
        self.target_scale_ = np.where(spread > 0.0, spread, 1.0)

    def _scaled(self, values: NDArray[np.float64]) -> NDArray[np.float32]:
        return ((values - self.target_mean_) / self.target_scale_).astype(np.float32)

    def _unscaled(self, outputs: Any) -> NDArray[np.float64]:
        return np.asarray(outputs.double().cpu().numpy() * self.target_scale_ + self.target_mean_)

    def _losses(self, outputs: Any, targets: Any) -> Any:
        """Loss of every example; of all its steps together if targets have steps. Steps without target are NaN."""
        if outputs.shape != targets.shape:
            raise ValueError(
                f"the module must return numbers of the shape {tuple(targets.shape)}, got {tuple(outputs.shape)}.\n"
                "Hint: end it with a linear layer of n_outputs units."
            )
        there = ~torch.isnan(targets)
        off = torch.where(there, outputs - torch.nan_to_num(targets), 0.0)
        zero = torch.zeros_like(off)
        if self.loss == "squared_error":
            found = off**2
        elif self.loss == "absolute_error":
            found = off.abs()
        else:
            found = torch.nn.functional.huber_loss(off, zero, reduction="none")
        return found.flatten(1).sum(dim=1)
