"""Options of ``certus study`` reach the study, and ``certus predict`` says in pieces what the model says at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import certus
from tests.cli.conftest import Run, people


def test_options_reach_the_study(tmp_path: Path) -> None:
    people(200, 0).write_csv(tmp_path / "people.csv")
    options = ["--families", "bayes", "--trials", "1", "--threads", "1", "--seed", "3", "--confidence", "0.9"]
    options += ["--holdout", "0.3", "--measure", "f1", "--positive", "no", "--task", "classification"]
    run = Run(
        "study", tmp_path / "people.csv", "--target", "rich", *options, "--out", tmp_path / "out", "--quiet", "--json"
    )
    assert run.code == 0, run.err
    assert run.err == ""
    told = run.json
    assert (told["task"], told["target"], told["rows_tested"]) == ("binary", "rich", 60)
    assert told["winner"]["certificate"]["confidence"] == 0.9
    assert (told["winner"]["measure"], told["winner"]["certificate"]["quantity"]) == ("f1", "F1")
    (tried,) = [row["learner"] for row in told["leaderboard"] if not row["baseline"]]
    assert tried in ("GaussianNB()", "LinearDiscriminantAnalysis()")  # those of the family
    expected = certus.study(
        people(200, 0),
        target="rich",
        families=["bayes"],
        trials=1,
        seed=3,
        confidence=0.9,
        holdout=0.3,
        measure="f1",
        positive="no",
    )
    assert told["winner"]["test_value"] == 1.0 - expected.evaluation.value


def test_info_says_where_a_model_comes_from(tmp_path: Path) -> None:
    result = certus.study(people(200, 0), target="rich", families=["svm"], trials=1, seed=5)
    result.save(tmp_path / "out")
    told = Run("info", tmp_path / "out" / "model.certus").out
    for fact in ("target: rich", "labels: no, yes", f"winner: {result.winner.name}", "seed: 5", "table digest: "):
        assert fact in told
    assert told.index("certificate: With confidence") < told.index("estimate: An estimate")
    assert "more certificates of its parts" in told


@pytest.mark.parametrize("target", ["rich", "age"])
@pytest.mark.parametrize("rows", [200, 1500])
def test_predictions_in_pieces_with_sets(
    target: str, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = certus.study(people(rows, 0), target=target, families=["linear", "bayes"], trials=1)
    model = certus.load(result.save(tmp_path / "out") / "model.certus")
    fresh = people(50, 1)
    fresh.write_csv(tmp_path / "fresh.csv")
    monkeypatch.setattr("certus.tables.chunks.ROWS_AT_ONCE", 7)
    run = Run("predict", tmp_path / "out" / "model.certus", tmp_path / "fresh.csv", "-o", tmp_path / "said.csv")
    assert run.code == 0, run.err
    said = pl.read_csv(tmp_path / "said.csv")
    if target == "age":
        assert said["prediction"].to_list() == pytest.approx(model.predict(fresh).tolist())
        assert said.columns == ["prediction", "lower", "upper", "flag"]
        np.testing.assert_allclose(said.select("lower", "upper").to_numpy(), model.predict_interval(fresh), rtol=1e-12)
        return
    assert said["prediction"].to_list() == model.predict(fresh).tolist()
    assert said["probability_yes"].to_list() == pytest.approx(model.predict_proba(fresh)[:, 1].tolist())
    expected = [
        " | ".join(label for label, kept in zip(model.classes_, row, strict=True) if kept)
        for row in model.predict_set(fresh)
    ]
    assert said["set"].to_list() == expected
