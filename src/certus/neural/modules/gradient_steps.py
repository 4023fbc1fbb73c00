"""Gradient descent, one step at a time: iterate, look, stop when you like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.base import resolve_seed
from certus.neural.modules.activations import Sigmoid
from certus.neural.modules.module import Array, Module, floats
from certus.neural.modules.module_losses import BinaryCrossEntropy, Loss
from certus.neural.modules.update_rules import UpdateRule

Rate = float | Callable[[int], float]


@dataclass(frozen=True)
class DescentStep:
    """What one step saw before it changed the weights.

    Parameters
    ----------
    step : int
        Number of the step, from 0.
    epoch : int
        How often all rows were gone through before.
    loss : float
        On the rows of this step, penalty included.
    gradient_norm : float
        Euclidean length of the gradient by all parameters.
    rate : float
        The step's rate.
    """

    step: int
    epoch: int
    loss: float
    gradient_norm: float
    rate: float


def batch_descent(
    module: Module,
    loss: Loss,
    X: ArrayLike,
    y: ArrayLike,
    rate: Rate,
    *,
    penalty: float = 0.0,
    rule: UpdateRule | None = None,
) -> Iterator[DescentStep]:
    """Endless steps along the gradient over all rows; the module's weights change in place.

    Parameters
    ----------
    module : Module
        The network.
    loss : Loss
        The error at its end.
    X, y : array-like
        Rows and targets.
    rate : float or callable
        Of every step, or of step t (`linear_decay`).
    penalty : float, default=0.0
        Factor of half the sum of squared parameters, offsets left out: weight decay.
    rule : UpdateRule, optional
        Plain steps by default.

    Examples
    --------
    >>> from itertools import islice
    >>> from certus.neural.modules import Dense, SquaredError, batch_descent
    >>> line = Dense(1, 1, random_state=0)
    >>> steps = batch_descent(line, SquaredError(), [[0.0], [1.0]], [[1.0], [3.0]], 0.5)
    >>> losses = [step.loss for step in islice(steps, 200)]
    >>> line.forward([[2.0]]).round(6).tolist(), losses[-1] < 1e-12
    ([[5.0]], True)
    """
    rows = len(np.asarray(y))
    return mini_batch_descent(module, loss, X, y, rate, rows, penalty=penalty, rule=rule, random_state=0)


def mini_batch_descent(
    module: Module,
    loss: Loss,
    X: ArrayLike,
    y: ArrayLike,
    rate: Rate,
    batch_size: int,
    *,
    penalty: float = 0.0,
    rule: UpdateRule | None = None,
    random_state: Any = None,
) -> Iterator[DescentStep]:
    """Endless steps along the gradient over batches of the rows, which are shuffled before every epoch.

    Parameters
    ----------
    module, loss, X, y, rate, penalty, rule
        As for `batch_descent`. At a constant rate the weights keep moving by the noise of the batches.
    batch_size : int
        Rows of a step; the last one of an epoch may have fewer.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the shuffles.
    """
    inputs, targets, rng = np.asarray(X), np.asarray(y), np.random.default_rng(resolve_seed(random_state))
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(
            f"X and y must have as many rows, and batch_size be at least 1, got {len(inputs)} and {len(targets)} "
            "rows and "
            f"{batch_size}.\nHint: batch_size=32 is a start."
        )
    return _steps(module, loss, (inputs, targets), (rate, batch_size, penalty), rule or UpdateRule(), rng)


def _steps(
    module: Module,
    loss: Loss,
    data: tuple[np.ndarray, np.ndarray],
    options: tuple[Rate, int, float],
    rule: UpdateRule,
    rng: np.random.Generator,
) -> Iterator[DescentStep]:
    (inputs, targets), (rate, batch_size, penalty) = data, options
    epoch = step = 0
    while True:
        whole = batch_size >= len(targets)
        order = np.arange(len(targets)) if whole else rng.permutation(len(targets))
        for start in range(0, len(order), batch_size):
            batch = order[start : start + batch_size]
            eta = rate(step) if callable(rate) else rate
            value, norm = _descend(module, loss, (inputs[batch], targets[batch]), eta, penalty, rule)
            yield DescentStep(step, epoch, value, norm, eta)
            step += 1
        epoch += 1


def _descend(
    module: Module, loss: Loss, batch: tuple[np.ndarray, np.ndarray], eta: float, penalty: float, rule: UpdateRule
) -> tuple[float, float]:
    """One step: forward, backward, w <- w - change."""
    value = loss.forward(module.forward(batch[0]), batch[1])
    module.backward(loss.backward())
    gradients, squares = module.gradients, 0.0
    for name, parameter in module.parameters.items():
        decay = 0.0 if name.endswith(("bias", "beta")) else penalty
        slope = gradients[name] + decay * parameter
        value += 0.5 * decay * float((parameter**2).sum())
        squares += float((slope**2).sum())
        parameter -= rule.change(name, slope, eta)
    return value, float(np.sqrt(squares))


@dataclass(frozen=True)
class NeuronStep:
    """Weights, offset and loss of a single neuron before a step."""

    weights: Array
    offset: float
    loss: float


def neuron_descent(
    X: ArrayLike, y: ArrayLike, rate: float, *, activation: Module | None = None, loss: Loss | None = None
) -> Iterator[NeuronStep]:
    """Endless steps of one neuron f = activation(w'x + b), started at 0, over all rows: the gradient written out.

    dE/dw = L'(f) activation'(w'x + b) x and dE/db = L'(f) activation'(w'x + b), averaged over the rows.

    Parameters
    ----------
    X, y : array-like
        Rows and targets.
    rate : float
        Of every step.
    activation : Module or None, default=None
        None for the scores themselves.
    loss : Loss, optional
        By default `BinaryCrossEntropy`, which takes scores: the neuron is then logistic regression.
    """
    rows, targets, error = floats(X), floats(y), loss or BinaryCrossEntropy()
    if isinstance(activation, Sigmoid) and isinstance(error, BinaryCrossEntropy):
        raise ValueError(
            "activation must be None with BinaryCrossEntropy, which has the sigmoid in it, got Sigmoid.\n"
            "Hint: leave it out, or take SquaredError."
        )
    w, b = np.zeros(rows.shape[1]), 0.0
    while True:
        a = rows @ w + b
        value = error.forward(a if activation is None else activation.forward(a), targets)
        delta = error.backward()
        delta = delta if activation is None else activation.backward(delta)
        yield NeuronStep(w.copy(), b, value)
        w -= rate * (rows.T @ delta)
        b -= rate * float(delta.sum())
