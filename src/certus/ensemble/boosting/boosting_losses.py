"""Losses of histogram boosting: where to start, derivatives, value, and from raw predictions to answers.

Raw predictions are arrays of shape (outputs, rows): one output, or one per class if there are more than two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from certus.ensemble._native_calls import boosting_kernels as kernels

Numbers = NDArray[np.float64]
Weights = NDArray[np.float64] | None


class BoostingLoss(Protocol):
    """What the boosting loop needs of a loss."""

    outputs: int
    leaf_share: float | None  # leaves are this quantile of their residuals; None: a Newton step

    def start(self, target: Numbers, weights: Weights) -> Numbers:
        """The best constant raw prediction, one number per output."""
        ...

    def derivatives(self, target: Numbers, raw: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
        """Gradients and hessians of each output in turn; an empty hessian means 1 for every row."""
        ...

    def mean(self, target: Numbers, weights: Weights, raw: Numbers) -> float:
        """Weighted mean of the loss."""
        ...


class ScalarLoss:
    """A loss of one raw prediction per row.

    Parameters
    ----------
    name : {"squared_error", "absolute_error", "quantile", "poisson", "gamma", "logistic"}
        Which loss.
    share : float, default=0.5
        Of the quantile loss.
    """

    outputs = 1

    def __init__(self, name: str, share: float = 0.5) -> None:
        self.name = name
        self.share = share
        self.leaf_share: float | None = share if name in ("absolute_error", "quantile") else None
        self._buffers: tuple[Numbers, Numbers] = (np.empty(0), np.empty(0))

    def start(self, target: Numbers, weights: Weights) -> Numbers:
        """The best constant raw prediction: link of the mean, or the quantile."""
        if self.leaf_share is not None:
            return np.array([weighted_quantile(target, weights, self.leaf_share)])
        mean = float(np.average(target, weights=weights))
        epsilon = 10 * np.finfo(np.float64).eps
        if self.name == "logistic":
            mean = min(max(mean, epsilon), 1.0 - epsilon)
            return np.array([np.log(mean) - np.log1p(-mean)])
        return np.array([np.log(max(mean, epsilon)) if self.name in ("poisson", "gamma") else mean])

    def derivatives(self, target: Numbers, raw: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
        """Gradients and hessians at every row."""
        if len(self._buffers[0]) != len(target):
            constant = self.name in ("squared_error", "absolute_error", "quantile")
            self._buffers = np.empty(len(target)), np.empty(0 if constant else len(target))
        kernels.gradients(self.name, target, self.share, raw[0], self._buffers)
        yield self._buffers

    def mean(self, target: Numbers, weights: Weights, raw: Numbers) -> float:
        """Weighted mean of the loss."""
        return kernels.mean_loss(self.name, target, weights, self.share, raw[0])


class MultinomialLoss:
    """Log-loss of more than two classes: one raw prediction per class."""

    leaf_share: float | None = None

    def __init__(self, classes: int) -> None:
        self.outputs = classes
        self._buffers: tuple[Numbers, Numbers] = (np.empty(0), np.empty(0))

    def start(self, target: Numbers, weights: Weights) -> Numbers:
        """Logarithms of the class shares, centered."""
        shares = np.bincount(target.astype(np.intp), weights=weights, minlength=self.outputs)
        epsilon = np.finfo(np.float64).eps
        logarithms = np.log(np.clip(shares / shares.sum(), epsilon, 1.0 - epsilon))
        return logarithms - logarithms.mean()

    def derivatives(self, target: Numbers, raw: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
        """Gradients and hessians of each class in turn, all at the same raw predictions."""
        if len(self._buffers[0]) != len(target):
            self._buffers = np.empty(len(target)), np.empty(len(target))
        shares = kernels.class_shares(raw)
        for label in range(self.outputs):
            kernels.class_gradients(target, shares[label], label, self._buffers)
            yield self._buffers

    def mean(self, target: Numbers, weights: Weights, raw: Numbers) -> float:
        """Weighted mean of the loss."""
        return kernels.mean_class_loss(target, weights, raw)


def weighted_quantile(values: Numbers, weights: Weights, share: float) -> float:
    """The smallest value with at least this share of the weight at or below it; averaged where it is exact."""
    weights = np.ones(len(values)) if weights is None else weights
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    wanted, slack = share * reached[-1], 1e-12 * reached[-1]
    place = min(int(np.searchsorted(reached, wanted - slack)), len(values) - 1)
    following = min(place + 1, len(values) - 1)
    exact = abs(reached[place] - wanted) <= slack
    chosen: Any = values[order[place]]
    return float(0.5 * (chosen + values[order[following]]) if exact else chosen)
