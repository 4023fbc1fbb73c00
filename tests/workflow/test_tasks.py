"""Kinds of task: what depends on the kind is in its object, and the best constant prediction is there once."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import certus
from certus.workflow import study
from certus.workflow.measures import MEASURES
from certus.workflow.tasks import BinaryTask, ClusteringTask, MultiLabelTask, RegressionTask

SOURCE = Path(certus.__file__).parent
QUESTION = re.compile(r"task\.(several|clustering|classification)\b")


def test_nobody_asks_for_the_kind_of_a_task() -> None:
    asking = [
        f"{file.relative_to(SOURCE)}: {line.strip()}"
        for file in (*SOURCE.rglob("*.py"), *SOURCE.rglob("*.html"))
        if file.parent.name != "tasks"
        for line in file.read_text(encoding="utf-8").splitlines()
        if QUESTION.search(line)
    ]
    assert asking == []


def test_the_median_is_the_best_constant_for_absolute_errors() -> None:
    y = np.array([0.0, 1.0, 2.0, 3.0, 100.0])
    assert RegressionTask.best_constant(y, MEASURES["mae"], 0).prediction == 2.0
    assert RegressionTask.best_constant(y, MEASURES["rmse"], 0).prediction == y.mean()
    assert BinaryTask.best_constant(np.array([0, 1, 1]), MEASURES["error"], 2).prediction == 1
    assert ClusteringTask.best_constant(y, MEASURES["error"], 0).prediction == 1.0


def test_the_baseline_of_the_leaderboard_is_that_of_the_comparison() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = np.exp(2.0 * rng.normal(size=300)) + 0.1 * x  # skewed: mean and median are far apart
    result = study(pl.DataFrame({"x": x, "y": y}), target="y", measure="mae", families=["linear"], trials=1)
    learned, tested = y[result.split.learn], y[result.split.test]
    off = np.abs(result.evaluation.predictions - tested)
    found = result.judgment.comparison  # with the hardest constant, which is no easier than the learned one
    assert found.wins is not None
    assert found.wins <= int(np.sum(off < np.abs(tested - np.median(learned))))
    assert result.evaluation.baseline == pytest.approx(np.abs(tested - np.median(tested)).mean())
    assert result.baseline == pytest.approx(np.abs(learned - np.median(learned)).mean(), rel=0.1)


def test_labels_are_translated_in_one_place() -> None:
    frame = pl.DataFrame({"x": np.r_[np.zeros(60), np.ones(60)], "y": ["a"] * 60 + ["b"] * 60})
    frame = frame.with_columns(x=pl.col("x") + pl.Series(np.random.default_rng(0).normal(size=120)))
    result = study(frame, target="y", positive="a", families=["bayes"], trials=1)
    assert list(result.task.labels) == ["b", "a"]
    assert list(result.best.classes_) == ["a", "b"]
    tested = frame[result.split.test].select("x")
    np.testing.assert_array_equal(result.evaluation.probabilities[:, 1], result.best.predict_proba(tested)[:, 0])
    assert list(result.task.positions(np.array(["a", "b"]))) == [1, 0]


def test_strata_of_several_labels() -> None:
    y = np.array([[0, 1], [1, 1], [0, 1]])
    first, second, third = MultiLabelTask.strata(y)
    assert first == third != second
