"""The one place of boosting that calls compiled code."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import _native
from certus.base import resolve_threads
from certus.losses import KnownLoss, native_loss

MAX_EDGES = 254
SETS = 4  # 64-bit words in a set of bins

# The layout of boosting::Node in cpp/boosting/tree.hpp.
NODE = np.dtype(
    [
        ("value", np.float64),
        ("threshold", np.float64),
        ("gain", np.float64),
        ("rows", np.int64),
        ("column", np.int32),
        ("left", np.int32),
        ("categories", np.int32),
        ("depth", np.int32),
        ("bin", np.uint8),
        ("missing_left", np.uint8),
        ("padding", np.uint8, (6,)),
    ]
)
NO_WEIGHTS = np.empty(0)


@dataclass(frozen=True)
class Growth:
    """How trees are grown; see the parameters of `certus.ensemble.HistGradientBoostingRegressor`."""

    max_leaves: int
    max_depth: int
    learning_rate: float
    column_share: float
    by_level: bool
    seed: int
    min_rows: float
    l2: float
    min_hessian: float = 1e-3
    bounded_steps: bool = False
    monotone: list[int] = field(default_factory=list)
    interactions: list[list[int]] = field(default_factory=list)


def threads_for(values: int) -> int:
    """One thread for little work: waking a second one would cost more."""
    return resolve_threads() if values > 20_000 else 1


def find_edges(
    X: NDArray[Any],
    rows: NDArray[np.uint32],
    weights: NDArray[np.float64] | None,
    skip: NDArray[np.uint8],
    max_bins: int,
    fine_ends: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.uint16]]:
    """Borders between the bins of every column that is not skipped, and how many each column has.

    ``fine_ends`` makes the bins narrower towards both ends of a column.
    """
    edges = np.zeros((X.shape[1], MAX_EDGES))
    counts = np.zeros(X.shape[1], dtype=np.uint16)
    weights = NO_WEIGHTS if weights is None else weights
    threads = threads_for(len(rows) * X.shape[1])
    _native.boosting_find_edges(X, rows, weights, skip, max_bins, fine_ends, edges, counts, threads)
    return edges, counts


def bin_table(
    X: NDArray[Any],
    edges: NDArray[np.float64],
    counts: NDArray[np.uint16],
    categorical: NDArray[np.uint8],
    *,
    by_rows: bool = True,
) -> Any:
    """A table of bins for growing trees; ``counts`` are edges, or categories of a categorical column.

    Boosting needs the bins by columns and by rows, forests by columns only.
    """
    by_column = np.empty(X.size, dtype=np.uint8)
    by_row = np.empty(X.size if by_rows else 0, dtype=np.uint8)
    has_missing = np.zeros(X.shape[1], dtype=np.uint8)
    _native.boosting_bin_table(X, edges, counts, categorical, by_column, by_row, has_missing, threads_for(X.size))
    bins = np.where(categorical == 1, counts, counts + 1).astype(np.uint16)
    return _native.BinnedTable(len(X), by_column, by_row, bins, has_missing, categorical, edges)


class Grower:
    """Grows one tree after the other on a table of bins."""

    def __init__(self, table: Any, growth: Growth, rows: int, weights: NDArray[np.float64] | None = None) -> None:
        options = _native.BoostingOptions()
        for each in fields(growth):
            setattr(options, each.name, getattr(growth, each.name))
        self._grower = _native.BoostingGrower(
            table, options, NO_WEIGHTS if weights is None else weights, threads_for(8 * rows)
        )
        self._size = (0, 0)

    def grow(self, gradients: NDArray[np.float64], hessians: NDArray[np.float64], number: int) -> None:
        """Grow tree number ``number``; an empty ``hessians`` means 1 for every row."""
        self._size = self._grower.grow(gradients, hessians, number)

    def use_quantiles(self, target: NDArray[np.float64], prediction: NDArray[np.float64], share: float) -> None:
        """Set the leaves to learning rate x a quantile of their residuals."""
        self._grower.use_quantiles(target, prediction, share)

    def add_values(self, prediction: NDArray[np.float64]) -> None:
        """Add the tree to the prediction of its training rows."""
        self._grower.add_values(prediction)

    def tree(self) -> tuple[NDArray[Any], NDArray[np.uint64]]:
        """Nodes of the tree, and its sets of categories."""
        nodes, sets = np.empty(self._size[0], dtype=NODE), np.empty((self._size[1], SETS), dtype=np.uint64)
        self._grower.copy_nodes(nodes.view(np.uint8), sets.reshape(-1))
        return nodes, sets


def pack(
    nodes: NDArray[Any], starts: NDArray[np.int64], sets: NDArray[np.uint64], set_starts: NDArray[np.int64]
) -> Any:
    """Trees packed for prediction."""
    return _native.PackedTrees(np.ascontiguousarray(nodes).view(np.uint8), starts, sets.reshape(-1), set_starts)


def add_trees(packed: Any, X: NDArray[Any], first: int, last: int, raw: NDArray[np.float64]) -> None:
    """Add trees first .. last-1 to raw, which is outputs x rows."""
    packed.add(X, first, last, raw, threads_for(len(X) * (last - first)))


def gradients(
    loss: KnownLoss,
    target: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    raw: NDArray[np.float64],
    out: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> float:
    """First and second derivative of the loss at every row (an empty second one is left out); its weighted mean."""
    weights = NO_WEIGHTS if weights is None else weights
    return _native.boosting_gradients(native_loss(loss), target, weights, raw, *out, threads_for(len(raw)))


def mean_loss(
    loss: KnownLoss,
    target: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    raw: NDArray[np.float64],
) -> float:
    """Weighted mean of the loss."""
    weights = NO_WEIGHTS if weights is None else weights
    return _native.boosting_mean_loss(native_loss(loss), target, weights, raw, threads_for(len(raw)))


def class_shares(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Softmax over the first axis."""
    shares = np.empty_like(raw)
    _native.boosting_class_shares(raw, shares, threads_for(raw.size))
    return shares


def class_shares_and_loss(
    target: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    raw: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> float:
    """Softmax over the first axis into ``shares``; the weighted mean of the multinomial loss."""
    weights = NO_WEIGHTS if weights is None else weights
    return _native.boosting_class_shares_and_loss(target, weights, raw, shares, threads_for(raw.size))


def class_gradients(
    target: NDArray[np.float64],
    shares: NDArray[np.float64],
    label: int,
    out: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> None:
    """Derivatives of the multinomial loss with respect to the raw prediction of one class."""
    _native.boosting_class_gradients(target, shares, label, *out, threads_for(len(shares)))


def mean_class_loss(
    target: NDArray[np.float64], weights: NDArray[np.float64] | None, raw: NDArray[np.float64]
) -> float:
    """Weighted mean of the multinomial loss."""
    weights = NO_WEIGHTS if weights is None else weights
    return _native.boosting_mean_class_loss(target, weights, raw, threads_for(raw.size))
