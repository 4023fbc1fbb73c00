"""Errors at the end of a network: their value, and the gradient that starts the way back."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from certus.losses import Logistic, Multinomial
from certus.neural.modules.module import Array, Module, floats


class Loss(Module):
    """A module whose value is one number, the mean over the rows; `backward()` starts the chain."""

    def forward(self, predictions: ArrayLike, targets: ArrayLike) -> float:
        """The mean over the rows."""
        raise NotImplementedError

    def backward(self, gradient: ArrayLike = 1.0) -> Array:
        """Derivative by the predictions."""
        return floats(gradient) * self._recall()


def _differ(loss: Loss, predictions: Array, targets: Array) -> ValueError:
    return ValueError(
        f"{type(loss).__name__}: predictions and targets must fit, got the shapes {predictions.shape} and "
        f"{targets.shape}.\n"
        "Hint: one target per prediction; for classes one label per row of scores."
    )


class SquaredError(Loss):
    """(1/2n) sum of (y - f)^2 over rows and outputs: the delta of a linear output is f - y."""

    def forward(self, predictions: ArrayLike, targets: ArrayLike) -> float:
        """Half the squared distance, on average over the rows."""
        f, y = floats(predictions), floats(targets)
        if f.shape != y.shape or not f.ndim:
            raise _differ(self, f, y)
        self._kept = (f - y) / len(f)
        return 0.5 * float(((f - y) ** 2).sum()) / len(f)


class BinaryCrossEntropy(Loss):
    """-(y log p + (1 - y) log(1 - p)) with p = sigmoid(score) and y = 0 or 1: the negative log-likelihood.

    It takes scores, not probabilities: log(1 + exp(-score)) loses no digits where the sigmoid saturates.

    Examples
    --------
    >>> from certus.neural.modules import BinaryCrossEntropy
    >>> loss = BinaryCrossEntropy()
    >>> round(loss.forward([[0.0]], [[1.0]]), 4), loss.backward().tolist()
    (0.6931, [[-0.5]])
    """

    def forward(self, predictions: ArrayLike, targets: ArrayLike) -> float:
        """On average over rows and outputs."""
        f, y = floats(predictions), floats(targets)
        if f.shape != y.shape or not f.size:
            raise _differ(self, f, y)
        if not np.isin(y, (0.0, 1.0)).all():
            raise ValueError(
                f"BinaryCrossEntropy: targets must be 0 or 1, got {np.unique(y)[:5].tolist()}.\n"
                "Hint: y == positive_label."
            )
        rule, signs = Logistic(), 2.0 * y - 1.0
        self._kept = rule.derivative(signs, f) / f.size
        return float(rule.value(signs, f).mean())


class CrossEntropy(Loss):
    """-log p_y with p = softmax(scores), for class numbers y: the negative log-likelihood.

    The last axis has the scores of the classes; a sequence (batch, time, classes) has a target at every position.

    Examples
    --------
    >>> from certus.neural.modules import CrossEntropy
    >>> loss = CrossEntropy()
    >>> round(loss.forward([[0.0, 0.0]], [1]), 4), loss.backward().tolist()
    (0.6931, [[0.5, -0.5]])
    """

    def forward(self, predictions: ArrayLike, targets: ArrayLike) -> float:
        """On average over the targets."""
        f, y = floats(predictions), np.asarray(targets)
        if f.shape[:-1] != y.shape or not y.size:
            raise _differ(self, f, y)
        if y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= f.shape[-1]:
            raise ValueError(
                f"CrossEntropy: targets must be whole numbers from 0 to {f.shape[-1] - 1}, got "
                f"{np.unique(y)[:5].tolist()}.\n"
                "Hint: numpy.unique(y, return_inverse=True)[1] numbers any labels."
            )
        rule, scores, places = Multinomial(), f.reshape(-1, f.shape[-1]), y.ravel()
        self._kept = rule.derivative(places, scores).reshape(f.shape) / y.size
        return float(rule.value(places, scores).mean())
