"""A slow, readable twin of the tree builder: every definition written out, nothing kept up to date.

It tries every border of every column at every node and computes both sides' losses from scratch. Same rules as
the compiled code: values as float32, borders between values more than 1e-7 apart, the first of equally good
splits (missing values right before left, lower thresholds first, lower columns first). Columns of categories are
divided in every possible way; the "threshold" is then the set of categories that go left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

LABELS = ("gini", "entropy", "misclassification")
GAIN_TOLERANCE = 1e-12
EPSILON = np.finfo(float).eps


def weighted_median(y: np.ndarray, w: np.ndarray) -> float:
    order = np.argsort(y, kind="stable")
    cumulated = np.cumsum(w[order])
    lower = int(np.searchsorted(cumulated, cumulated[-1] / 2))
    if cumulated[lower] == cumulated[-1] / 2:
        return float(y[order[lower]] + y[order[lower + 1]]) / 2
    return float(y[order[lower]])


def shares(y: np.ndarray, w: np.ndarray, classes: int) -> np.ndarray:
    return np.bincount(y.astype(int), weights=w, minlength=classes) / w.sum()


def value(criterion: str, y: np.ndarray, w: np.ndarray, classes: int) -> np.ndarray:
    if criterion in LABELS:
        return shares(y, w, classes)
    return np.array([weighted_median(y, w) if criterion == "absolute_error" else np.average(y, weights=w)])


def impurity(criterion: str, y: np.ndarray, w: np.ndarray, classes: int) -> float:
    at = value(criterion, y, w, classes)
    if (y == y[0]).all() and not (criterion == "poisson" and y[0] <= 0):
        return 0.0  # what follows would be rounding
    if criterion == "gini":
        return float(1 - (at**2).sum())
    if criterion == "misclassification":
        return float(1 - at.max())
    if criterion == "entropy":
        return float(-(at[at > 0] * np.log2(at[at > 0])).sum())
    if criterion == "squared_error":
        return float(np.average((y - at[0]) ** 2, weights=w))
    if criterion == "absolute_error":
        return float(np.average(np.abs(y - at[0]), weights=w))
    if at[0] <= 0:
        return np.inf
    positive = y > 0
    return float((w[positive] * y[positive] * np.log(y[positive] / at[0])).sum() / w.sum())


@dataclass(eq=False)
class NaiveNode:
    rows: np.ndarray
    depth: int
    impurity: float
    value: np.ndarray
    lower: float = -np.inf
    upper: float = np.inf
    feature: int = -2
    threshold: float = -2.0
    missing_left: bool = False
    improvement: float = 0.0
    left: NaiveNode | None = None
    right: NaiveNode | None = None


@dataclass
class NaiveTree:
    """Grow with ``fit``; then ``nodes()`` lists the nodes in pre-order."""

    criterion: str
    max_depth: int = 10**9
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    max_leaf_nodes: int | None = None
    monotone: list[int] | None = None  # on the value's first number
    categorical: tuple[int, ...] = ()
    root: NaiveNode = field(init=False)

    def fit(self, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None = None) -> NaiveTree:
        self.X = np.asarray(X, dtype=np.float32)
        self.Y = np.asarray(y).reshape(len(y), -1)
        self.w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
        self.classes = [int(column.max()) + 1 for column in self.Y.T] if self._labels else [1] * self.Y.shape[1]
        self.root_impurity = self._impurity(np.flatnonzero(self.w > 0))
        self.root = self._node(np.flatnonzero(self.w > 0), 0)
        self._grow_best_first() if self.max_leaf_nodes else self._grow(self.root)
        return self

    @property
    def _labels(self) -> bool:
        return self.criterion in LABELS

    def _node(self, rows: np.ndarray, depth: int, lower: float = -np.inf, upper: float = np.inf) -> NaiveNode:
        at = self._value(rows)
        if self.monotone is not None:
            at[0, 0] = np.clip(at[0, 0], lower, upper)
            if self._labels:
                at[0, 1] = 1 - at[0, 0]
        return NaiveNode(rows, depth, self._impurity(rows), at, lower, upper)

    def _value(self, rows: np.ndarray) -> np.ndarray:
        table = np.zeros((self.Y.shape[1], max(self.classes)))
        for k, column in enumerate(self.Y.T):
            found = value(self.criterion, column[rows], self.w[rows], self.classes[k])
            table[k, : len(found)] = found
        return table

    def _impurity(self, rows: np.ndarray) -> float:
        return float(
            np.mean([impurity(self.criterion, c[rows], self.w[rows], k) for c, k in zip(self.Y.T, self.classes)])
        )

    def _cost(self, rows: np.ndarray) -> float:
        return float(self.w[rows].sum()) * self._impurity(rows)

    def _stays_leaf(self, node: NaiveNode) -> bool:
        return (
            node.depth >= self.max_depth
            or len(node.rows) < max(self.min_samples_split, 2 * self.min_samples_leaf)
            or self.w[node.rows].sum() < 2 * self.min_weight_leaf
            or node.impurity <= EPSILON * self.root_impurity
        )

    def _borders(self, node: NaiveNode, j: int) -> list[tuple[Any, bool]]:
        x = self.X[node.rows, j]
        if j in self.categorical:
            return self._divisions(x)
        known = np.sort(x[~np.isnan(x)])
        missing = np.isnan(x).any()
        if len(known) == 0 or (not missing and known[-1] <= known[0] + np.float32(1e-7)):
            return []
        gaps = [i for i in range(len(known) - 1) if not known[i + 1] <= known[i] + np.float32(1e-7)]
        middles = [float(known[i]) / 2 + float(known[i + 1]) / 2 for i in gaps]
        found = [(t, False) for t in middles]
        return [*found, (np.inf, False), *((t, True) for t in middles)] if missing else found

    def _divisions(self, x: np.ndarray) -> list[tuple[Any, bool]]:
        known, missing = np.unique(x[~np.isnan(x)]), bool(np.isnan(x).any())
        sets = [frozenset(chosen) for size in range(1, len(known)) for chosen in combinations(known.tolist(), size)]
        found: list[tuple[Any, bool]] = [
            (each, side) for each in sets for side in ((False, True) if missing else (False,))
        ]
        return [*found, (frozenset(known.tolist()), False)] if missing and len(known) else found

    def _sides(self, node: NaiveNode, j: int, threshold: Any, missing_left: bool) -> tuple[Any, Any]:
        x = self.X[node.rows, j].astype(float)
        below = np.isin(x, list(threshold)) if j in self.categorical else x <= threshold
        goes_left = np.where(np.isnan(x), missing_left, below)
        return node.rows[goes_left], node.rows[~goes_left]

    def _allowed(self, node: NaiveNode, j: int, left: np.ndarray, right: np.ndarray) -> bool:
        if min(len(left), len(right)) < self.min_samples_leaf:
            return False
        if min(self.w[left].sum(), self.w[right].sum()) < self.min_weight_leaf:
            return False
        if self.monotone is None or self.monotone[j] == 0:
            return True
        a, b = self._value(left)[0, 0], self._value(right)[0, 0]
        rounding = GAIN_TOLERANCE * (abs(a) + abs(b))
        inside = node.lower - rounding <= min(a, b) and max(a, b) <= node.upper + rounding
        return bool(inside and (a - b) * self.monotone[j] <= rounding)

    def _best_split(self, node: NaiveNode) -> tuple[float, int, float, bool] | None:
        best: tuple[float, int, float, bool] | None = None
        own = self._cost(node.rows)
        for j in range(self.X.shape[1]):
            of_column: tuple[float, int, float, bool] | None = None
            for threshold, missing_left in self._borders(node, j):
                left, right = self._sides(node, j, threshold, missing_left)
                if not self._allowed(node, j, left, right):
                    continue
                gain = own - self._cost(left) - self._cost(right)
                if gain > -np.inf and (of_column is None or gain > of_column[0] + GAIN_TOLERANCE * own):
                    of_column = (gain, j, threshold, missing_left)
            if of_column is not None and (best is None or of_column[0] > best[0] + GAIN_TOLERANCE * own):
                best = of_column
        return best

    def _split(self, node: NaiveNode) -> bool:
        """Find the node's split and set it with its improvement; whether there is one."""
        found = None if self._stays_leaf(node) else self._best_split(node)
        if found is None:
            return False
        gain, j, threshold, missing_left = found
        left, right = self._sides(node, j, threshold, missing_left)
        improvement = gain / self.w.sum()
        if improvement + GAIN_TOLERANCE * self.root_impurity < self.min_impurity_decrease:
            return False
        if not np.isnan(self.X[node.rows, j]).any():
            missing_left = len(left) > len(right)
        node.feature, node.threshold, node.missing_left, node.improvement = j, threshold, missing_left, improvement
        bounds = [[node.lower, node.upper], [node.lower, node.upper]]
        if self.monotone is not None and self.monotone[j] != 0:
            middle = (self._value(left)[0, 0] + self._value(right)[0, 0]) / 2
            rising = self.monotone[j] > 0
            bounds[0][1 if rising else 0] = middle
            bounds[1][0 if rising else 1] = middle
        node.left = self._node(left, node.depth + 1, *bounds[0])
        node.right = self._node(right, node.depth + 1, *bounds[1])
        return True

    def _grow(self, node: NaiveNode) -> None:
        if self._split(node):
            self._grow(node.left)
            self._grow(node.right)

    def _grow_best_first(self) -> None:
        candidates = [self.root] if self._split(self.root) else []
        expanded: list[NaiveNode] = []
        while candidates and len(expanded) + 1 < self.max_leaf_nodes:
            best = max(candidates, key=lambda node: node.improvement)
            candidates.remove(best)
            expanded.append(best)
            candidates += [child for child in (best.left, best.right) if self._split(child)]
        for node in candidates:  # was searched but not split
            node.left = node.right = None
            node.feature, node.threshold, node.missing_left = -2, -2.0, False

    def nodes(self) -> list[NaiveNode]:
        found, stack = [], [self.root]
        while stack:
            node = stack.pop()
            found.append(node)
            if node.left is not None:
                stack += [node.right, node.left]
        return found
