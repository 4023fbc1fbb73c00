"""The rounds of gradient boosting with exact trees (Friedman 2001, 2002)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import resolve_seed
from certus.ensemble._native_calls.stage_kernels import StageTable, sample_mask
from certus.ensemble.boosting.descent_report import MOST_HALVINGS, rises
from certus.ensemble.boosting.early_stopping import Sample
from certus.ensemble.boosting.stage_losses import Grown, StageLoss
from certus.trees import DecisionTreeRegressor, Tree
from certus.trees._native_calls import Growth
from certus.trees.growing import growth_of
from certus.trees.pruning import prune

Numbers = NDArray[np.float64]


class StageLoop:
    """Grows one tree per output and round, and keeps the raw predictions of the training rows up to date.

    Parameters
    ----------
    loss : StageLoss
        What is minimized.
    train : Sample
        Training rows; a sparse table is by rows.
    raw : ndarray of shape (n_outputs, n_rows)
        Raw predictions to begin with; changed by every round.
    tree : DecisionTreeRegressor
        The parameters of the trees.
    learning_rate, subsample : float
        Factor of every tree; share of the rows that it is grown on.
    random : RandomState
        Draws the rows and the seeds of the trees.
    """

    def __init__(
        self,
        loss: StageLoss,
        train: Sample,
        raw: Numbers,
        *,
        tree: DecisionTreeRegressor,
        learning_rate: float,
        subsample: float,
        random: np.random.RandomState,
    ) -> None:
        self.loss = loss
        self.train = train
        self.raw = raw
        self._tree = tree
        self._price = float(tree.ccp_alpha)
        self._learning_rate = learning_rate
        self._random = random
        rows = len(train.y)
        self._bag_size = None if subsample >= 1.0 else max(1, int(subsample * rows))
        self._rows = np.arange(rows, dtype=np.uint32)
        self.in_bag: NDArray[np.bool_] | None = None
        self.losses: list[float] = []  # before the first round and after each, of the rows of that round
        self._largest_loss = 0.0
        self.max_features = self._growth().max_features
        self._table = StageTable(train.X, self._growth())

    def draw_rows(self) -> None:
        """Draw the rows of the next round, if it does not take all of them."""
        if self._bag_size is not None:
            self.in_bag = sample_mask(self._random.uniform(size=len(self.train.y)), self._bag_size)
            self._rows = np.flatnonzero(self.in_bag).astype(np.uint32)

    def run(self) -> list[tuple[Tree, int]]:
        """One round: a tree per output, each with its seed."""
        train = self.train
        self.loss.prepare(train.y, self.raw, train.weights)
        before = self._loss_before()
        steps = np.empty_like(self.raw)
        residuals = self.loss.residuals(train.y, self.raw)
        growth = self._growth()
        bag = slice(None) if self.in_bag is None else self._rows
        weights = None if train.weights is None else train.weights[bag]
        grown = []
        for output, own in enumerate(residuals):
            seed = int(self._random.randint(0, np.iinfo(np.int32).max))
            tree = self._table.grow(own, self._rows, train.weights, replace(growth, seed=resolve_seed(seed)))
            if self._price > 0.0:
                tree = prune(tree, self._price)
            leaves = tree.apply(train.X)
            raw = self.raw[:, bag]
            facts = Grown(leaves[bag], tree.value[:, 0, 0], train.y[bag], own[bag], raw, weights, self._learning_rate)
            tree.value[:, 0, 0] = self.loss.leaf_values(output, facts)
            steps[output] = self._learning_rate * tree.value[leaves, 0, 0]
            grown.append((tree, seed))
        self.raw += steps
        self._descend(before, steps, grown)
        return grown

    def _loss_before(self) -> float:
        """The loss of the rows of this round, before it."""
        known = self.in_bag is None and self.loss.fixed and len(self.losses) > 0
        before = self.losses[-1] if known else self.scores()[0]
        if not self.losses:
            self.losses.append(before)
        self._largest_loss = max(self._largest_loss, abs(before))
        return before

    def _descend(self, before: float, steps: Numbers, grown: list[tuple[Tree, int]]) -> None:
        """Shrink the trees of a round by halves (at last to nothing) until the loss of its rows does not rise."""
        after = self.scores()[0]
        factor = 1.0
        for halving in range(1, MOST_HALVINGS + 1):
            if not rises(before, after, self._largest_loss):
                break
            wanted = 0.5**halving if halving < MOST_HALVINGS else 0.0
            self.raw -= (factor - wanted) * steps
            factor = wanted
            after = self.scores()[0]
        if factor < 1.0:
            for tree, _ in grown:
                tree.value *= factor
        self.losses.append(after)

    def scores(self) -> tuple[float, float]:
        """The loss of the rows of this round, and of the others (NaN if there are none)."""
        train = self.train
        if self.in_bag is None:
            return self.loss.score(train.y, self.raw, train.weights), float("nan")
        return self._score_of(self.in_bag), self._score_of(~self.in_bag)

    def outside_score(self) -> float:
        """The loss of the rows that are not in this round."""
        return float("nan") if self.in_bag is None else self._score_of(~self.in_bag)

    def _score_of(self, rows: NDArray[np.bool_]) -> float:
        weights = None if self.train.weights is None else self.train.weights[rows]
        return self.loss.score(self.train.y[rows], self.raw[:, rows], weights)

    def _growth(self) -> Growth:
        weights: Any = self.train.weights
        growth = growth_of(
            self._tree,
            rows=len(self._rows),
            total_weight=len(self._rows) if weights is None else float(weights[self._rows].sum()),
            n_features=self.train.X.shape[1],
            n_outputs=1,
            n_classes=None,
            seed=0,
        )
        return replace(growth, negligible_impurity=self.loss.negligible_impurity)
