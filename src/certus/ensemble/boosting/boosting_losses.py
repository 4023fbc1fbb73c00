"""Losses of histogram boosting: where to start, derivatives, value, and from raw predictions to answers.

Raw predictions are arrays of shape (outputs, rows): one output, or one per class if there are more than two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from certus.ensemble._native_calls import boosting_kernels as kernels
from certus.losses import Absolute, KnownLoss, Logistic, MeanLoss, Multinomial, Quantile, Squared

Numbers = NDArray[np.float64]
Weights = NDArray[np.float64] | None
# Losses whose leaves are quantiles, and which.
LEAF_SHARES: dict[type[KnownLoss], Callable[[Any], float]] = {Absolute: lambda _: 0.5, Quantile: lambda loss: loss.q}


class BoostingLoss(Protocol):
    """What the boosting loop needs of a loss."""

    outputs: int
    leaf_share: float | None  # leaves are this quantile of their residuals; None: a Newton step
    bounded_steps: bool  # whether curvatures change with the score, so that Newton steps can be too long

    def start(self, target: Numbers, weights: Weights) -> Numbers:
        """The best constant raw prediction, one number per output."""
        ...

    def visit(self, target: Numbers, weights: Weights, raw: Numbers) -> float:
        """Weighted mean of the loss; `derivatives` are those at these raw predictions from now on."""
        ...

    def derivatives(self, target: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
        """Gradients and hessians of each output in turn; an empty hessian means 1 for every row."""
        ...

    def mean(self, target: Numbers, weights: Weights, raw: Numbers) -> float:
        """Weighted mean of the loss."""
        ...

    def plain_mean(self, target: Numbers, weights: Weights, raw: Numbers) -> float:
        """The same without compiled code."""
        ...


class ScalarLoss:
    """A loss of one raw prediction per row; targets of two classes are 0 and 1."""

    outputs = 1

    def __init__(self, loss: KnownLoss) -> None:
        self.loss = loss
        self.leaf_share: float | None = LEAF_SHARES[type(loss)](loss) if type(loss) in LEAF_SHARES else None
        self._flat = self.leaf_share is not None or isinstance(loss, Squared)  # whether every hessian is 1
        self.bounded_steps = not self._flat
        self._buffers: tuple[Numbers, Numbers] = (np.empty(0), np.empty(0))

    def start(self, target: Numbers, weights: Weights) -> Numbers:
        """The best constant raw prediction: link of the mean, or the quantile."""
        if self.leaf_share is not None:
            return np.array([self.loss.best_constant(target, weights)])
        mean, epsilon = float(np.average(target, weights=weights)), 10 * np.finfo(np.float64).eps
        if isinstance(self.loss, Logistic):
            mean = min(max(mean, epsilon), 1.0 - epsilon)
        elif isinstance(self.loss, MeanLoss):
            mean = max(mean, epsilon)
        return self.loss.link([mean])

    def visit(self, target: Numbers, weights: Weights, raw: Numbers) -> float:
        """Weighted mean of the loss; keeps gradients and hessians of every row."""
        if len(self._buffers[0]) != len(target):
            self._buffers = np.empty(len(target)), np.empty(0 if self._flat else len(target))
        return kernels.gradients(self.loss, target, weights, raw[0], self._buffers)

    def derivatives(self, target: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
        """Gradients and hessians at every row."""
        yield self._buffers

    def mean(self, target: Numbers, weights: Weights, raw: Numbers) -> float:
        """Weighted mean of the loss."""
        return kernels.mean_loss(self.loss, target, weights, raw[0])

    def plain_mean(self, target: Numbers, weights: Weights, raw: Numbers) -> float:
        """The same without compiled code."""
        labels = self.loss.from_codes(target)
        values = self.loss.value(labels, raw[0]) - self.loss.constant(labels)
        return float(np.average(values, weights=weights))


class MultinomialLoss:
    """Log-loss of more than two classes: one raw prediction per class."""

    leaf_share: float | None = None
    bounded_steps = True

    def __init__(self, classes: int) -> None:
        self.outputs = classes
        self._buffers: tuple[Numbers, Numbers] = (np.empty(0), np.empty(0))
        self._shares = np.empty((classes, 0))

    def start(self, target: Numbers, weights: Weights) -> Numbers:
        """Logarithms of the class shares, centered."""
        shares = np.bincount(target.astype(np.intp), weights=weights, minlength=self.outputs)
        epsilon = np.finfo(np.float64).eps
        return Multinomial().link(np.clip(shares / shares.sum(), epsilon, 1.0 - epsilon))

    def visit(self, target: Numbers, weights: Weights, raw: Numbers) -> float:
        """Weighted mean of the loss; keeps the shares of the classes."""
        if len(self._buffers[0]) != len(target):
            self._buffers = np.empty(len(target)), np.empty(len(target))
            self._shares = np.empty(raw.shape)
        return kernels.class_shares_and_loss(target, weights, raw, self._shares)

    def derivatives(self, target: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
        """Gradients and hessians of each class in turn, all at the same raw predictions."""
        for label in range(self.outputs):
            kernels.class_gradients(target, self._shares[label], label, self._buffers)
            yield self._buffers

    def mean(self, target: Numbers, weights: Weights, raw: Numbers) -> float:
        """Weighted mean of the loss."""
        return kernels.mean_class_loss(target, weights, raw)

    def plain_mean(self, target: Numbers, weights: Weights, raw: Numbers) -> float:
        """The same without compiled code."""
        return float(np.average(Multinomial().value(target, raw.T), weights=weights))
