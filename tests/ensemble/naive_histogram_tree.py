"""A slow, readable twin of the histogram tree: every division of every node, from sums over rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np

MISSING = 255


@dataclass
class Rules:
    """What a division must respect."""

    min_rows: int = 1
    min_hessian: float = 1e-3
    l2: float = 0.0
    max_leaves: int = 31
    max_depth: int = 10**6


@dataclass
class Node:
    """A node with its rows and, once divided, its children."""

    rows: np.ndarray
    depth: int
    number: int
    gain: float = 0.0
    column: int = -1
    left_bins: frozenset[int] = frozenset()
    children: list[Node] = field(default_factory=list)


def value(gradients: np.ndarray, hessians: np.ndarray, rows: np.ndarray, rules: Rules) -> float:
    """The Newton step of a leaf."""
    return float(-gradients[rows].sum() / (hessians[rows].sum() + rules.l2 + 1e-15))


def candidates(bins: np.ndarray, rows: np.ndarray, column: int, gradients: np.ndarray, hessians: np.ndarray, kind: str):
    """Sets of bins that may go left, in the order in which ties are decided."""
    there = bins[:, column]
    has_missing = bool((there == MISSING).any())
    largest = int(max((b for b in there if b != MISSING), default=0))
    if kind == "number":
        for last in range(largest + (1 if has_missing else 0)):
            yield frozenset(range(last + 1))
        if has_missing:
            for last in range(largest - 1, -1, -1):
                yield frozenset([*range(last + 1), MISSING])
        return
    order = []
    rows_per_hessian = len(rows) / hessians[rows].sum()
    for category in [*range(largest + 1), *([MISSING] if has_missing else [])]:
        inside = rows[there[rows] == category]
        if hessians[inside].sum() * rows_per_hessian >= 10:
            order.append((gradients[inside].sum() / (hessians[inside].sum() + 10), category))
    order.sort()
    if len(order) < 2:
        return
    for listed, size in product((order, order[::-1]), range(1, min((len(order) + 1) // 2, 32) + 1)):
        yield frozenset(category for _, category in listed[:size])


def search(
    node: Node, bins: np.ndarray, kinds: list[str], gradients: np.ndarray, hessians: np.ndarray, rules: Rules
) -> None:
    """Find the best division of a node."""

    def score(rows: np.ndarray) -> float:
        return float(gradients[rows].sum() ** 2 / (hessians[rows].sum() + rules.l2 + 1e-15))

    if node.depth >= rules.max_depth:
        return
    for column, kind in enumerate(kinds):
        for left_bins in candidates(bins, node.rows, column, gradients, hessians, kind):
            goes_left = np.isin(bins[node.rows, column], list(left_bins))
            left, right = node.rows[goes_left], node.rows[~goes_left]
            if min(len(left), len(right)) < rules.min_rows:
                continue
            if min(hessians[left].sum(), hessians[right].sum()) < rules.min_hessian:
                continue
            gain = score(left) + score(right) - score(node.rows)
            if gain > node.gain:
                node.gain, node.column, node.left_bins = gain, column, left_bins


def grow(bins: np.ndarray, kinds: list[str], gradients: np.ndarray, hessians: np.ndarray, rules: Rules) -> list[Node]:
    """All nodes of the tree, the division that gains most first; leaves are those without children."""
    nodes = [Node(np.arange(len(bins)), 0, 0)]
    search(nodes[0], bins, kinds, gradients, hessians, rules)
    while sum(not node.children for node in nodes) < rules.max_leaves:
        open_nodes = [node for node in nodes if not node.children and node.column >= 0]
        if not open_nodes:
            break
        best = max(open_nodes, key=lambda node: (node.gain, -node.number))
        goes_left = np.isin(bins[best.rows, best.column], list(best.left_bins))
        for rows in (best.rows[goes_left], best.rows[~goes_left]):
            child = Node(rows, best.depth + 1, len(nodes))
            search(child, bins, kinds, gradients, hessians, rules)
            best.children.append(child)
            nodes.append(child)
    return nodes


def predict(
    nodes: list[Node], gradients: np.ndarray, hessians: np.ndarray, rules: Rules, learning_rate: float
) -> np.ndarray:
    """The values of the leaves, for the training rows."""
    answer = np.zeros(sum(len(node.rows) for node in nodes if not node.children))
    for node in nodes:
        if not node.children:
            answer[node.rows] = learning_rate * value(gradients, hessians, node.rows, rules)
    return answer
