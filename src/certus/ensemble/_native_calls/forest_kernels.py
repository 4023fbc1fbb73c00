"""Forests in compiled code: growing, predicting, out-of-bag judgments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native
from certus.base import Table, resolve_seeds
from certus.trees import _native_calls as tree_kernels

CompactForest = _native.CompactForest

# What a forest knows of each node; half as wide as in a single tree where 32 bits are enough.
NODE_TYPES = {
    "children_left": np.int32,
    "children_right": np.int32,
    "feature": np.int32,
    "threshold": np.float64,
    "missing_go_to_left": np.uint8,
    "impurity": np.float64,
    "n_node_samples": np.uint32,
    "weighted_n_node_samples": np.float64,
}

# Dense copies of pieces of sparse tables hold at most so many numbers.
DENSE_PIECE = 1 << 22


def bag_rule(rows: int, draws: int, weights: NDArray[np.float64] | None) -> Any:
    """How bags are drawn: each row with probability proportional to its weight."""
    if weights is None:
        return _native.BagRule(rows, draws, np.empty(0), True)
    whole = bool((weights == np.floor(weights)).all() and weights.sum() < 2**53)
    return _native.BagRule(rows, draws, np.cumsum(weights), whole)


def draw_rows(rule: Any, draws: int, seed: int) -> NDArray[np.int32]:
    """The rows of the bag with this seed, in the order of the draws."""
    drawn = np.empty(draws, dtype=np.int32)
    _native.draw_rows(rule, seed, drawn)
    return drawn


def grow(
    X: Any,
    y: NDArray[Any],
    n_classes: NDArray[np.intp] | None,
    weights: NDArray[np.float64] | None,
    growth: tree_kernels.Growth,
    *,
    seeds: NDArray[np.uint64],
    bag: Any,
    min_weight_fraction: float,
    balance_classes: bool,
    threads: int,
    bins: Any = None,
) -> dict[str, Any]:
    """Grow one tree per seed; the arrays of all trees one after the other, ``offsets`` and ``max_depths``.

    With ``bins`` (see `forests.binning.forest_bins`) splits are searched between bins instead of values.
    ``weights`` counts only without bags (``bag=None``); a bag rule has its own.
    """
    target, max_classes = tree_kernels.native_target(y, n_classes)
    if weights is not None and bag is None:
        target.set_weights(weights)
    # A tree grown alone with its seed as random_state draws the same columns at its nodes.
    node_seeds = resolve_seeds(seeds)
    options = _native.ForestOptions()
    options.tree = tree_kernels.native_options(growth)
    options.min_weight_fraction = min_weight_fraction
    options.balance_classes = balance_classes
    if bag is not None:
        options.set_bag(bag)
    if bins is not None:
        grown = _native.grow_forest_binned(bins.table, bins.lowest, X, target, seeds, node_seeds, options, threads)
    elif sparse.issparse(X):
        grown = _native.grow_forest_sparse(tree_kernels.sparse_table(X), target, seeds, node_seeds, options, threads)
    else:
        grown = _native.grow_forest(X, target, seeds, node_seeds, options, threads)
    return _arrays(grown, len(seeds), y.shape[1], max_classes)


def _arrays(grown: Any, trees: int, outputs: int, max_classes: int) -> dict[str, Any]:
    counts, depths = np.empty(trees, dtype=np.int64), np.empty(trees, dtype=np.int64)
    grown.copy_sizes(counts, depths)
    arrays: dict[str, Any] = {"offsets": np.concatenate([[0], np.cumsum(counts)]), "max_depths": depths}
    total = int(counts.sum())
    arrays["category_sets"] = tree_kernels.category_sets(grown)
    nodes: dict[str, Any] = {name: np.empty(total, dtype=kind) for name, kind in NODE_TYPES.items()}
    value = np.empty(total * outputs * max_classes)
    grown.move_nodes(*nodes.values(), value)
    return {**arrays, **nodes, "value": value.reshape(total, outputs, max_classes)}


def sum_values(compact: Any, X: Table, values: NDArray[np.float64], threads: int) -> NDArray[np.float64]:
    """The sum over the trees of the values of each row's leaves; one flat row of values per node."""
    flat = values.reshape(len(values), -1)
    sums = np.empty((X.shape[0], flat.shape[1]))
    for first, last, piece in _dense_pieces(X):
        compact.sum(piece, flat, sums[first:last], threads if len(piece) > 256 else 1)
    return sums


def apply(compact: Any, X: Table, trees: int, threads: int) -> NDArray[np.int64]:
    """The leaf of each row in each tree."""
    leaves = np.empty((X.shape[0], trees), dtype=np.int64)
    for first, last, piece in _dense_pieces(X):
        compact.apply(piece, leaves[first:last], threads if len(piece) > 256 else 1)
    return leaves


def judge_out_of_bag(
    compact: Any,
    X: Table,
    values: NDArray[np.float64],
    in_bag: NDArray[np.uint64],
    labels: NDArray[Any] | None,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.uint64]]:
    """Of the trees that have not seen a row: the sum of their values, their number, and bits of their errors.

    ``in_bag`` has one row of bits per tree. Errors are votes for another class than ``labels``, if given.
    """
    rows = X.shape[0]
    flat = values.reshape(len(values), -1)
    sums, trees = np.zeros((rows, flat.shape[1])), np.zeros(rows, dtype=np.int64)
    errors = np.zeros_like(in_bag)
    codes = np.empty(0, np.uint32) if labels is None else np.ascontiguousarray(labels, dtype=np.uint32)
    for first, last, piece in _dense_pieces(X, multiple=64):
        words = slice(first // 64, -(-last // 64))
        part = np.zeros_like(in_bag[:, words])
        compact.judge_out_of_bag(
            piece,
            flat,
            np.ascontiguousarray(in_bag[:, words]),
            codes[first:last],
            sums[first:last],
            trees[first:last],
            part,
            threads,
        )
        errors[:, words] = part
    return sums, trees, errors


def mark_bags(rule: Any, rows: int, seeds: NDArray[np.uint64], threads: int) -> NDArray[np.uint64]:
    """One row of bits per seed: which rows of the table are in its bag."""
    in_bag = np.empty((len(seeds), rows // 64 + 1), dtype=np.uint64)
    _native.mark_bags(rule, seeds, in_bag, threads)
    return in_bag


def count_common(first: NDArray[np.uint64], second: NDArray[np.uint64], threads: int) -> NDArray[np.int64]:
    """How many bits every row of bits of the first has in common with every one of the second."""
    counts = np.empty((len(first), len(second)), dtype=np.int64)
    _native.count_common_bits(first, second, counts, threads)
    return counts


def _dense_pieces(X: Any, multiple: int = 1) -> Any:
    """The table as it is, or, if it is sparse, in dense pieces of a bounded size."""
    if not sparse.issparse(X):
        yield 0, X.shape[0], X
        return
    rows = max(1, DENSE_PIECE // max(1, X.shape[1]) // multiple) * multiple
    for first in range(0, X.shape[0], rows):
        last = min(X.shape[0], first + rows)
        yield first, last, X[first:last].toarray()
