"""The only code of the family that calls the compiled module: tables, targets, networks and their rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native

ACTIVATIONS = tuple(_native.NetworkActivation.__members__)
SOLVERS = tuple(_native.NetworkSolver.__members__)
_SINGLE = np.dtype(np.float32)


def network_table(X: Any) -> Any:
    """A dense table (any strides) or CSR matrix as networks read it; both keep their memory."""
    single = X.dtype == _SINGLE
    table = _native.NetworkTableFloat() if single else _native.NetworkTableDouble()
    if sparse.issparse(X):
        starts, columns = X.indptr.astype(np.int64, copy=False), X.indices.astype(np.int32, copy=False)
        table.set_sparse(starts, columns, X.data, X.shape[1])
    else:
        table.set_dense(X)
    return table


def network_targets(
    dtype: Any,
    *,
    classes: NDArray[np.int32] | None = None,
    values: NDArray[Any] | None = None,
    deltas: NDArray[Any] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> Any:
    """What the outputs are compared with: numbers of classes, values, or the derivatives of a loss of the caller."""
    targets = _native.NetworkTargetsFloat() if dtype == _SINGLE else _native.NetworkTargetsDouble()
    if classes is not None:
        targets.set_classes(classes)
    if values is not None:
        targets.set_values(values)
    if deltas is not None:
        targets.set_deltas(deltas)
    if weights is not None:
        targets.set_weights(weights)
    return targets


def train_rule(
    loss: tuple[str, float],
    *,
    smoothing: float,
    quantiles: Sequence[float],
    dropout: float,
    auxiliary: float,
    frozen: int,
    seed: int,
) -> Any:
    """What a batch minimizes: see ``cpp/neural/trainer.hpp``."""
    rule = _native.NetworkTrainRule()
    rule.loss = _native.Loss(*loss)
    rule.smoothing, rule.quantiles = smoothing, list(quantiles)
    rule.dropout, rule.auxiliary, rule.frozen, rule.seed = dropout, auxiliary, frozen, seed
    return rule


def step_rule(solver: str, schedule: str, **numbers: Any) -> Any:
    """How the optimizer moves: see ``cpp/neural/optimizer.hpp``."""
    rule = _native.NetworkStepRule()
    rule.solver, rule.schedule = _native.NetworkSolver[solver], _native.NetworkSchedule[schedule]
    for name, value in numbers.items():
        setattr(rule, name, value)
    return rule


def network(
    sizes: Sequence[int],
    activations: Sequence[str],
    *,
    batch_norm: bool,
    heads: bool,
    members: int,
    rule: Any,
    dtype: Any,
) -> Any:
    """A network of these layers for tables of one float type."""
    kind = _native.NetworkFloat if dtype == _SINGLE else _native.NetworkDouble
    return kind(list(sizes), [ACTIVATIONS.index(name) for name in activations], batch_norm, heads, members, rule)


def softmax_rows(scores: NDArray[Any], threads: int) -> None:
    """Turn scores into probabilities, in place."""
    _native.network_softmax(scores, threads)


def ascending_quantiles(scores: NDArray[Any]) -> None:
    """Turn scores into quantiles, in place."""
    _native.network_quantiles(scores)
