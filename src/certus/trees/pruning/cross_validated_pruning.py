"""The price of a leaf chosen by cross-validation (Breiman, Friedman, Olshen, Stone 1984, section 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from certus.base import FoldsLike
from certus.trees.pruning.cost_complexity import loss_curve
from certus.trees.tree import Tree

Numbers = NDArray[np.float64]


def folds_of(cv: FoldsLike, y: NDArray[Any], seed: int, stratify: bool) -> Iterable[tuple[Any, Any]]:
    """Training rows and held-out rows of each fold; a number of folds is shuffled, and stratified for labels."""
    cv = 5 if cv is None else cv
    if not isinstance(cv, int | np.integer):
        return cv.split(y, y) if hasattr(cv, "split") else cv
    if cv > len(y):
        raise ValueError(f"prune_cv={cv} asks for more folds than there are rows ({len(y)}).\nHint: use fewer folds.")
    counts = np.unique(y, return_counts=True)[1] if stratify else np.empty(0)
    kind = StratifiedKFold if stratify and counts.min() >= cv else KFold
    return kind(int(cv), shuffle=True, random_state=seed % 2**32).split(y, y)


def between(alphas: Numbers) -> Numbers:
    """One alpha for each tree of a pruning sequence: the geometric middle of the range in which it is chosen."""
    distinct = np.unique(np.maximum(alphas, 0.0))
    return np.append(np.sqrt(distinct[:-1] * distinct[1:]), distinct[-1])


def held_out_losses(
    candidates: Numbers,
    folds: Iterable[tuple[NDArray[np.intp], NDArray[np.intp]]],
    grow: Callable[[NDArray[np.intp]], tuple[Tree, Numbers | None]],
    judge: Callable[[Tree, NDArray[np.intp]], Numbers],
    total_weight: float,
) -> Numbers:
    """Mean loss on held-out rows for every alpha.

    ``grow`` grows a tree on some rows and says what its nodes cost (None: their impurity); ``judge`` says what each
    node of a tree would lose on other rows if it were a leaf.
    """
    losses = np.zeros(len(candidates))
    for train, held_out in folds:
        tree, costs = grow(train)
        losses += loss_curve(tree, costs, judge(tree, held_out), candidates)
    return losses / total_weight


def least(candidates: Numbers, losses: Numbers) -> float:
    """The alpha with the least loss; of equally good ones the largest, which gives the smallest tree."""
    best = np.flatnonzero(losses <= losses.min() * (1.0 + 1e-12))
    return float(candidates[best[-1]])
