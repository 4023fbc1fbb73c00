"""Cost-complexity pruning of a fitted tree (Breiman, Friedman, Olshen, Stone 1984, chapter 3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.trees import _native_calls
from certus.trees.tree import NO_CHILD, Tree


def pruning_path(
    tree: Tree, impurity: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Strengths of the weakest links in the order in which they are cut, and the leaf impurity after each cut.

    ``impurity`` is what a node costs as a leaf, per weight; by default that of the tree.
    """
    _, alphas, costs = _sequence(tree, impurity)
    return alphas, costs


def prune(tree: Tree, alpha: float, impurity: NDArray[np.float64] | None = None) -> Tree:
    """The smallest sub-tree with the least ``impurity of the leaves + alpha x number of leaves``."""
    nodes, alphas, _ = _sequence(tree, impurity)
    stronger = np.flatnonzero(alphas > alpha)
    cuts = nodes[1 : stronger[0] if len(stronger) else None]
    return _with_leaves(tree, cuts)


def loss_curve(
    tree: Tree, impurity: NDArray[np.float64] | None, node_losses: NDArray[np.float64], alphas: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Total loss of the tree pruned at each alpha, given the loss that each node would have as a leaf.

    A node is a leaf of the tree pruned at alpha if it is cut at alpha or below and none of its ancestors is.
    """
    nodes, strengths, _ = _sequence(tree, impurity)
    cut_at = np.where(tree.children_left == NO_CHILD, -np.inf, np.inf)
    cut_at[nodes[1:]] = strengths[1:]
    until = np.full(tree.node_count, np.inf)  # the first cut above the node
    level = np.zeros(1, dtype=np.int64)
    while len(level):
        inner = level[tree.children_left[level] != NO_CHILD]
        for children in (tree.children_left[inner], tree.children_right[inner]):
            until[children] = np.minimum(until[inner], cut_at[inner])
        level = np.concatenate([tree.children_left[inner], tree.children_right[inner]])
    ever = np.flatnonzero(cut_at < until)
    change = np.zeros(len(alphas) + 1)
    np.add.at(change, np.searchsorted(alphas, cut_at[ever]), node_losses[ever])
    np.subtract.at(change, np.searchsorted(alphas, until[ever]), node_losses[ever])
    return np.cumsum(change)[:-1]


def _sequence(
    tree: Tree, impurity: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    costs = tree.impurity if impurity is None else impurity
    nodes, alphas, costs = _native_calls.pruning_sequence(
        tree.children_left, tree.children_right, costs, tree.weighted_n_node_samples
    )
    # In exact arithmetic they never fall; equally weak links may differ by rounding.
    return nodes, np.maximum.accumulate(alphas), costs


def _with_leaves(tree: Tree, cuts: NDArray[np.int64]) -> Tree:
    """A copy of the tree in which these nodes are leaves, numbered in pre-order."""
    left, right = tree.children_left.copy(), tree.children_right.copy()
    left[cuts] = right[cuts] = NO_CHILD
    order: list[int] = []
    new_number, stack = np.full(tree.node_count, NO_CHILD), [0]
    while stack:
        node = stack.pop()
        new_number[node] = len(order)
        order.append(node)
        if left[node] != NO_CHILD:
            stack += [int(right[node]), int(left[node])]
    kept = np.array(order)
    arrays: dict[str, Any] = {
        name: getattr(tree, name)[kept]
        for name in tree._state
        if isinstance(getattr(tree, name), np.ndarray) and name != "n_classes"
    }
    leaf = left[kept] == NO_CHILD
    inner_number = np.where(left == NO_CHILD, NO_CHILD, new_number)
    # new_number[-1] is read for leaves and replaced at once
    arrays["children_left"] = np.where(leaf, NO_CHILD, new_number[left[kept]])
    arrays["children_right"] = np.where(leaf, NO_CHILD, new_number[right[kept]])
    arrays["feature"] = np.where(leaf, -2, arrays["feature"])
    arrays["threshold"] = np.where(leaf, -2.0, arrays["threshold"])
    arrays["missing_go_to_left"] = np.where(leaf, np.uint8(0), arrays["missing_go_to_left"])
    pruned = Tree(
        n_features=tree.n_features,
        n_outputs=tree.n_outputs,
        n_classes=tree.n_classes,
        max_depth=0,
        category_sets=None if tree.category_sets is None else tree.category_sets.renumbered(inner_number),
        **arrays,
    )
    pruned.max_depth = int(pruned.compute_node_depths().max()) - 1
    return pruned
