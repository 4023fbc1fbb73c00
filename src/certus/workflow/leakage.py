"""Columns that give the target away: suspects, to be looked at by someone who knows where they come from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.workflow.columns import Columns
from certus.workflow.measures import MEASURES
from certus.workflow.race.candidates import Candidate
from certus.workflow.race.learning import Division, Evaluator, Learning

if TYPE_CHECKING:
    from certus.workflow.tasks import Task

# A single column that leaves less than this fraction of the baseline's loss is suspect.
SUSPICIOUS_FRACTION = 0.02
LARGEST_SAMPLE = 5_000
LARGEST_COLUMN_COUNT = 200
_TREE = {"min_samples_leaf": 2, "max_leaf_nodes": 64}


def leakage_suspects(task: Task, frame: pl.DataFrame, y: NDArray[Any], columns: Columns, seed: int) -> dict[str, float]:
    """Columns that alone predict the target nearly perfectly, with the fraction of the baseline's loss that is left.

    A small tree is trained on one column at a time, on half of (at most 5 000 of) the learning rows, and judged on the
    other half. Of several targets, each is looked at in turn.
    """
    targets = task.single_targets(y)
    rows = np.random.default_rng(seed).permutation(frame.height)[:LARGEST_SAMPLE]
    half = Division(np.sort(rows[::2]), np.sort(rows[1::2]))
    suspects: dict[str, float] = {}
    for kind, target in targets:
        learning = Learning(kind, frame, target, task.classes, columns, [half], False, seed)
        suspects |= _suspects(learning, max(1, LARGEST_COLUMN_COUNT // len(targets)))
    return suspects


def _suspects(learning: Learning, columns: int) -> dict[str, float]:
    (half,) = learning.divisions
    labels = learning.kind.learners == "classification"
    measure = MEASURES["error" if labels else "rmse"]
    tree = Candidate(f"certus.trees.DecisionTree{'Classifier' if labels else 'Regressor'}", _TREE, "native")
    truth = learning.y[half.validation]

    def loss(predictions: NDArray[Any]) -> float:
        assert measure.rows is not None
        return float(np.mean(measure.rows(truth, predictions, None)))

    constant = learning.kind.best_constant(learning.y[half.fit], measure, learning.classes)
    baseline = loss(np.full(len(truth), constant.prediction))
    suspects: dict[str, float] = {}
    names = [*learning.columns.numbers, *learning.columns.categories, *learning.columns.dates]
    for name in names[:columns] if baseline > 0 else []:
        outcome = Evaluator(_with_one_column(learning, name)).evaluate(tree, 0, 1)
        if outcome.predictions is None:
            continue
        left = loss(outcome.predictions) / baseline
        if left < SUSPICIOUS_FRACTION:
            suspects[name] = round(left, 4)
    return suspects


def _with_one_column(learning: Learning, name: str) -> Learning:
    return replace(learning, frame=learning.frame.select(name), columns=learning.columns.only(name))
