"""Columns that give the target away: suspects, to be looked at by someone who knows where they come from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from certus.workflow.candidates import Candidate
from certus.workflow.columns import Columns
from certus.workflow.learning import Division, Evaluator, Learning

# A single column that leaves less than this share of the baseline's loss is suspect.
SUSPICIOUS_SHARE = 0.02
LARGEST_SAMPLE = 5_000
LARGEST_COLUMN_COUNT = 200


def leakage_suspects(learning: Learning) -> dict[str, float]:
    """Columns that alone predict the target nearly perfectly, with the share of the baseline's loss that is left.

    A small tree is trained on one column at a time, on half of (at most 5 000 of) the learning rows, and judged on the
    other half. Of several targets, each is looked at in turn.
    """
    if learning.several:
        columns = LARGEST_COLUMN_COUNT // learning.y.shape[1]
        parts = [_suspects(replace(learning, y=target), max(1, columns)) for target in learning.y.T]
        return {name: left for part in parts for name, left in part.items()}
    return _suspects(learning, LARGEST_COLUMN_COUNT)


def _suspects(learning: Learning, columns: int) -> dict[str, float]:
    rows = np.random.default_rng(learning.seed).permutation(learning.frame.height)[:LARGEST_SAMPLE]
    half = Division(np.sort(rows[::2]), np.sort(rows[1::2]))
    truth = learning.y[half.validation]
    baseline = _loss(truth, _constant(learning, half), learning.classes)
    kind = "Classifier" if learning.classes else "Regressor"
    tree = Candidate(f"certus.trees.DecisionTree{kind}", {"min_samples_leaf": 2, "max_leaf_nodes": 64}, "native")
    suspects: dict[str, float] = {}
    names = [*learning.columns.numbers, *learning.columns.categories, *learning.columns.dates]
    for name in names[:columns] if baseline > 0 else []:
        outcome = Evaluator(_with_one_column(learning, name, half)).evaluate(tree, 0, 1)
        if outcome.answers is None:
            continue
        left = _loss(truth, outcome.answers, learning.classes) / baseline
        if left < SUSPICIOUS_SHARE:
            suspects[name] = round(left, 4)
    return suspects


def _with_one_column(learning: Learning, name: str, half: Division) -> Learning:
    kind = learning.columns.kind(name)
    columns = Columns(
        numbers=[name] if kind == "number" else [],
        categories=[name] if kind == "category" else [],
        dates=[name] if kind == "date" else [],
    )
    return Learning(learning.frame.select(name), learning.y, learning.classes, columns, [half], False, learning.seed)


def _constant(learning: Learning, half: Division) -> NDArray[np.float64]:
    fit = learning.y[half.fit]
    answer = float(np.argmax(np.bincount(fit.astype(np.intp)))) if learning.classes else float(np.mean(fit))
    return np.full(len(half.validation), answer)


def _loss(truth: NDArray[np.float64], answers: NDArray[np.float64], classes: int) -> float:
    return float(np.mean(truth != answers)) if classes else float(np.mean((truth - answers) ** 2))
