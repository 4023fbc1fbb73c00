"""Answering only when sure enough: the thresholds keep what they promise."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl

from certus import study
from certus.workflow.findings.guards import guards


def drawn(rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of two classes, and whether the likelier one is right: as often as it says."""
    sure = rng.uniform(0.5, 1.0, size=rows)
    return np.column_stack([sure, 1.0 - sure]), rng.random(rows) < sure


def test_all_goals_are_kept_together_as_often_as_said() -> None:
    rng, broken, replicates = np.random.default_rng(0), 0, 300
    for _ in range(replicates):
        found = guards(*drawn(500, rng), confidence=0.8)
        # Among rows with probability p >= t, uniform on [t, 1], the mean probability of being right is (1 + t)/2.
        broken += any((1.0 + max(0.5, one.threshold)) / 2 < one.accuracy for one in found)
    assert broken / replicates <= 0.2


def test_higher_goals_answer_fewer_rows() -> None:
    found = guards(*drawn(4000, np.random.default_rng(1)), confidence=0.95)
    assert [one.accuracy for one in found] == [0.8, 0.9, 0.95]
    assert all(a.answered > b.answered for a, b in itertools.pairwise(found))


def test_a_study_says_when_its_model_may_answer_alone() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=3000)
    table = pl.DataFrame({"x": x, "y": np.where(x + 0.7 * rng.normal(size=3000) > 0, "p", "n")})
    result = study(table, target="y", families=["bayes"], trials=1)
    assert result.findings.guards
    assert result.to_dict()["findings"]["guards"][0]["accuracy"] == result.findings.guards[0].accuracy
    assert any("if only those are given" in told for told in result.findings.remarks())
    assert "When it may decide alone" in result.report
