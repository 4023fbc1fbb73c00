"""The compiled network as an object: its parameters are live NumPy arrays, its passes and steps run in C++."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.neural import _native_calls as kernels

Arrays = list[NDArray[Any]]
FIRST = ("sgd", "adam", "adamw")  # solvers with a running mean of the steps or gradients
SECOND = ("adam", "adamw", "adagrad", "rmsprop")  # and with one of their squares


@dataclass(frozen=True)
class StepRule:
    """How an optimizer moves: one of "sgd", "adam", "adamw", "adagrad", "rmsprop" and its numbers.

    ``first`` is the momentum or beta_1, ``second`` beta_2 or the memory of RMSProp; ``schedule`` may be "linear" or
    "cosine" from ``rate`` to ``rate_end`` within ``decay_steps``; ``alpha`` is the squared L2 penalty (of a batch:
    alpha / 2 |w|^2 / its rows, for AdamW the decay of a step), ``l1`` likewise; ``clip_norm`` 0 clips nothing.
    """

    solver: str = "adam"
    rate: float = 1e-3
    schedule: str = "constant"
    rate_end: float = 0.0
    decay_steps: float = 1.0
    first: float = 0.9
    second: float = 0.999
    epsilon: float = 1e-8
    nesterov: bool = False
    alpha: float = 0.0
    l1: float = 0.0
    clip_norm: float = 0.0
    frozen: int = 0
    native: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        numbers = {name: value for name, value in vars(self).items() if name not in ("solver", "schedule")}
        object.__setattr__(self, "native", kernels.step_rule(self.solver, self.schedule, **numbers))

    def step_size(self, step: int) -> float:
        """The step size of a step, counted from 0.

        Examples
        --------
        >>> rule = StepRule("sgd", 0.1, "linear", rate_end=0.001, decay_steps=100)
        >>> [round(rule.step_size(step), 5) for step in (0, 25, 50, 100, 101)]
        [0.1, 0.07525, 0.0505, 0.001, 0.001]
        """
        return float(self.native.step_size(step))


class NetworkEngine:
    """A multi-layer network with one output layer, its loss, and an optimizer's memory.

    Keep BLAS on one thread around its passes (`certus.base.blas_on_one_thread`; what is wrapped by ``fit_method`` and
    ``predict_method`` is): they use threads of their own.

    Parameters
    ----------
    sizes : sequence of int
        Inputs, units of each hidden layer, outputs.
    activations : sequence of str
        One per hidden layer; the outputs are scores.
    loss : tuple of (str, float), default=("squared", 0.0)
        Native name of the loss and its parameter; "multinomial" for classes.
    dtype : data type, default=float64
        float32 or float64, of parameters and tables alike.
    batch_norm : bool, default=False
        Whether hidden layers are normalized over the batch.
    members : int, default=0
        Networks that share their weights, each with rank-one factors and intercepts of its own; 0 is one network
        without factors. Their units blend activation and identity by a learned share.
    heads : bool, default=False
        Whether hidden layers but the last have outputs of their own, with the weight ``auxiliary`` in the loss.
    smoothing, quantiles, dropout, auxiliary, frozen, seed
        See the parameters of `certus.neural.MLPClassifier` and `certus.neural.MLPRegressor`.
    threads : int, default=1
        Threads; results do not depend on their number.

    Attributes
    ----------
    parameters : ndarray of shape (n_parameters,)
        All of them; ``coefs``, ``intercepts`` and the other lists are views into it.
    steps : int
        Steps of the optimizer so far.

    Examples
    --------
    >>> import numpy as np
    >>> engine = NetworkEngine((2, 8, 1), ("tanh",))
    >>> engine.initialize(np.random.RandomState(0))
    >>> X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([[0.0], [1], [1], [0]])
    >>> for _ in range(500):
    ...     loss, gradient = engine.gradient(X, values=y)
    ...     engine.step(gradient, StepRule("adam", 0.05))
    >>> print(engine.forward(X).ravel().round(1) + 0.0)
    [0. 1. 1. 0.]
    """

    def __init__(
        self,
        sizes: Sequence[int],
        activations: Sequence[str],
        *,
        loss: tuple[str, float] = ("squared", 0.0),
        dtype: Any = np.float64,
        batch_norm: bool = False,
        heads: bool = False,
        members: int = 0,
        smoothing: float = 0.0,
        quantiles: Sequence[float] = (),
        dropout: float = 0.0,
        auxiliary: float = 0.0,
        frozen: int = 0,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        self.sizes, self.activations = tuple(int(size) for size in sizes), tuple(activations)
        self.dtype, self.threads, self.steps = np.dtype(dtype), threads, 0
        rule = kernels.train_rule(
            loss,
            smoothing=smoothing,
            quantiles=quantiles,
            dropout=dropout,
            auxiliary=auxiliary,
            frozen=frozen,
            seed=seed,
        )
        self._native = kernels.network(
            self.sizes,
            self.activations,
            batch_norm=batch_norm,
            heads=heads,
            members=members,
            rule=rule,
            dtype=self.dtype,
        )
        self.parameters = np.zeros(self._native.n_parameters, dtype=self.dtype)
        self.statistics = np.zeros(self._native.n_statistics, dtype=self.dtype)
        self.first = self.second = np.empty(0, dtype=self.dtype)
        self.members, self._ascending = members, len(quantiles) > 0
        self._name_parts(batch_norm=batch_norm, heads=heads)

    def _name_parts(self, *, batch_norm: bool, heads: bool) -> None:
        """Views of the layers, in the order of ``cpp/neural/architecture.hpp``."""
        layers = list(zip(self.sizes[:-1], self.sizes[1:], strict=True))
        tops = [(size, self.sizes[-1]) for size in self.sizes[1:-2]] if heads else []
        hidden = [(size,) for size in self.sizes[1:-1]] if batch_norm else []
        several = (self.members,) if self.members else ()
        weights = _views(self.parameters, 0, [*layers, *tops])
        self.n_weights = sum(view.size for view in weights)
        intercepts = _views(self.parameters, self.n_weights, [(*several, shape[1]) for shape in (*layers, *tops)])
        self.coefs, self.head_coefs = weights[: len(layers)], weights[len(layers) :]
        self.intercepts, self.head_intercepts = intercepts[: len(layers)], intercepts[len(layers) :]
        at = self.n_weights + sum(view.size for view in intercepts)
        factors = [(*several, size) for size in (*self.sizes[:-1], *self.sizes[1:])] if several else []
        found = _views(self.parameters, at, [*factors, *([(size,) for size in self.sizes[1:-1]] if several else [])])
        self.in_factors, self.out_factors = found[: len(layers)], found[len(layers) : 2 * len(layers)]
        self.blends = found[2 * len(layers) :]
        for ones in found:
            ones[:] = 1.0
        norms = _views(self.parameters, at, [*hidden, *hidden])
        self.scales, self.shifts = norms[: len(hidden)], norms[len(hidden) :]
        running = _views(self.statistics, 0, [shape for shape in hidden for _ in range(2)])
        self.running_means, self.running_variances = running[::2], running[1::2]
        for ones in (*self.scales, *self.running_variances):
            ones[:] = 1.0

    def initialize(self, random: np.random.RandomState, *, init: str = "glorot", fraction: float = 0.1) -> None:
        """Draw weights to start from, see `certus.neural.engine.initial_parameters`; forget the optimizer's memory."""
        from certus.neural.engine.initial_weights import initial_parameters

        drawn = initial_parameters(random, self.sizes, self.activations, init=init, fraction=fraction)
        for view, value in zip((*self.coefs, *self.intercepts), (*drawn[0], *drawn[1]), strict=True):
            view[...] = value
        for top, intercept in zip(self.head_coefs, self.head_intercepts, strict=True):
            weights, biases = initial_parameters(random, top.shape, ())
            top[...], intercept[...] = weights[0], biases[0]
        self.forget()

    def forget(self) -> None:
        """Start the optimizer anew."""
        self.first = self.second = np.empty(0, dtype=self.dtype)
        self.steps = 0

    def rest(self) -> None:
        """Give the workspace of training back."""
        self._native.rest()

    def forward(self, X: Any, depth: int | None = None, member: int = 0) -> NDArray[Any]:
        """The outputs of layer ``depth`` (None: the scores) for every row of a table of the right type."""
        depth = len(self.sizes) - 1 if depth is None else depth
        if not 1 <= depth < len(self.sizes) or not 0 <= member < max(self.members, 1):
            raise ValueError(f"there is no layer {depth} of a member {member}; layers are 1 to {len(self.sizes) - 1}.")
        self._check_rows(X)
        out = np.empty((X.shape[0], self.sizes[depth]), dtype=self.dtype)
        self._native.forward(
            self.parameters, self.statistics, kernels.network_table(X), depth, member, self.threads, out
        )
        return out

    def gradient(
        self,
        X: Any,
        *,
        classes: NDArray[np.int32] | None = None,
        values: NDArray[Any] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> tuple[float, NDArray[Any]]:
        """Mean loss over the rows, against classes or values, and its gradient."""
        self._check_rows(X)
        rows, outputs = X.shape[0], self.sizes[-1]
        labels = classes is not None and classes.shape == (rows,) and bool(((classes >= 0) & (classes < outputs)).all())
        numbers = values is not None and values.shape == (rows, 1 if self._ascending else outputs)
        if labels == numbers or not (weights is None or weights.shape == (rows,)):
            raise ValueError("gradient needs classes (from 0 to outputs - 1) or values, for every row of X and output.")
        targets = kernels.network_targets(self.dtype, classes=classes, values=values, weights=weights)
        return self.gradient_of(kernels.network_table(X), targets)

    def backward(self, X: Any, deltas: NDArray[Any]) -> NDArray[Any]:
        """Gradient of the mean over rows of sum_k deltas_k score_k: of any loss whose derivatives are ``deltas``."""
        self._check_rows(X)
        given = np.ascontiguousarray(deltas, dtype=self.dtype)
        if given.shape != (X.shape[0], self.sizes[-1]):
            raise ValueError(f"deltas must have the shape {(X.shape[0], self.sizes[-1])}; got {given.shape}.")
        return self.gradient_of(kernels.network_table(X), kernels.network_targets(self.dtype, deltas=given))[1]

    def gradient_of(self, table: Any, targets: Any) -> tuple[float, NDArray[Any]]:
        """Mean loss and gradient for rows and targets in the kernels' form."""
        out = np.empty_like(self.parameters)
        return float(self._native.gradient(self.parameters, table, targets, self.threads, out)), out

    def _check_rows(self, X: Any) -> None:
        """Kernels trust the shape and type of a table."""
        if X.ndim != 2 or X.shape[1] != self.sizes[0] or X.dtype != self.dtype:
            raise ValueError(
                f"X must be a table of {self.sizes[0]} columns of the type {self.dtype}; got the shape {X.shape} "
                f"and the type {X.dtype}."
            )

    def step(self, gradient: NDArray[Any], rule: StepRule) -> None:
        """Move all parameters along a gradient, which is overwritten where rule clips or penalises."""
        if gradient.shape != self.parameters.shape:
            raise ValueError(f"the gradient must have the shape {self.parameters.shape}; got {gradient.shape}.")
        self._remember(rule)
        self._native.step(self.parameters, self.first, self.second, gradient, rule.native, self.steps, self.threads)
        self.steps += 1

    def epoch(
        self,
        table: Any,
        targets: Any,
        rule: StepRule,
        *,
        order: NDArray[np.int64],
        shuffle: bool,
        batch: int,
        number: int,
    ) -> float:
        """One step per batch over the rows in ``order`` (empty: all, as they come), shuffled by seed and number.

        Returns the mean over the batches of loss and L2 penalty before their steps.
        """
        self._remember(rule)
        loss, self.steps = self._native.epoch(
            self.parameters,
            self.first,
            self.second,
            self.statistics,
            table,
            targets,
            order,
            shuffle,
            batch,
            rule.native,
            number,
            self.steps,
            self.threads,
        )
        return float(loss)

    def _remember(self, rule: StepRule) -> None:
        """Make room for what the solver remembers."""
        size = len(self.parameters)
        if rule.solver in FIRST and len(self.first) != size:
            self.first = np.zeros(size, dtype=self.dtype)
        if rule.solver in SECOND and len(self.second) != size:
            self.second = np.zeros(size, dtype=self.dtype)


def _views(flat: NDArray[Any], at: int, shapes: Sequence[tuple[int, ...]]) -> Arrays:
    """Consecutive parts of a vector in these shapes."""
    views = []
    for shape in shapes:
        size = int(np.prod(shape))
        views.append(flat[at : at + size].reshape(shape))
        at += size
    return views
