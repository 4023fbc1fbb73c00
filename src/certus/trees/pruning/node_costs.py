"""What the nodes of a grown tree cost as leaves, by another measure than the one that the tree was grown with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from certus.trees.tree import Tree

Numbers = NDArray[np.float64]


def class_impurities(tree: Tree, criterion: str) -> Numbers:
    """Impurity of the class shares of each node, averaged over the outputs."""
    shares = tree.value
    if criterion == "gini":
        each = 1.0 - (shares**2).sum(axis=2)
    elif criterion == "misclassification":
        each = 1.0 - shares.max(axis=2)
    else:
        each = -xlogy(shares, shares).sum(axis=2) / np.log(2.0)
    return np.maximum(each.mean(axis=1), 0.0)


def number_losses(criterion: str, y: Numbers, predicted: Numbers) -> Numbers:
    """Loss of each row, averaged over the outputs: squared, absolute, or half the Poisson deviance."""
    if criterion == "absolute_error":
        each = np.abs(y - predicted)
    elif criterion == "poisson":
        with np.errstate(divide="ignore"):
            each = xlogy(y, y) - np.where(y > 0.0, y * np.log(predicted), 0.0) - y + predicted
    else:
        each = (y - predicted) ** 2
    return np.asarray(each.mean(axis=1))


def label_losses(y: NDArray[Any], shares: Numbers) -> Numbers:
    """1 where the most frequent class of the node is not that of the row, averaged over the outputs."""
    return np.asarray((np.argmax(shares, axis=2) != y).mean(axis=1))


def summed_over_paths(tree: Tree, leaves: NDArray[np.int64], loss: Any, weights: Numbers | None) -> Numbers:
    """For each node the weighted sum of the losses that its rows would have if it were a leaf.

    ``loss(nodes)`` gives the loss of every row, given a node for each row; rows above the root count nothing.
    """
    parents = tree._parents()
    sums = np.zeros(tree.node_count)
    mass = np.ones(len(leaves)) if weights is None else weights
    nodes = leaves.copy()
    while (nodes >= 0).any():
        inside = nodes >= 0
        at = np.where(inside, nodes, 0)
        sums += np.bincount(at[inside], weights=(mass * loss(at))[inside], minlength=tree.node_count)
        nodes = np.where(inside, parents[at], -1)
    return sums
