"""Weights of rows count in training, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import certus
from certus.workflow import Study
from certus.workflow.measures import MEASURES
from certus.workflow.models.scaled_target import ScaledTarget
from certus.workflow.models.temperature import fitted_exponent
from certus.workflow.race.blending import choose_blend
from certus.workflow.race.weighted_fit import fit_rows, takes_weights
from certus.workflow.study_error import StudyError
from certus.workflow.tasks import BinaryTask, RegressionTask
from tests.cli.conftest import Run


def disputed(rows: int = 300) -> pl.DataFrame:
    """The heavy third of the rows says y = (a > 0), the light rest the opposite."""
    rng = np.random.default_rng(0)
    a, heavy = rng.normal(size=rows), np.arange(rows) % 3 == 0
    return pl.DataFrame(
        {
            "a": a,
            "b": rng.normal(size=rows),
            "importance": np.where(heavy, 20.0, 1.0),
            "y": np.where((a > 0) == heavy, "yes", "no"),
            "size": np.where(heavy, 3.0, -3.0) * a,
        }
    )


def agreement(result: Study, table: pl.DataFrame) -> float:
    """How often the model says what the heavy rows say."""
    return float(np.mean((result.predict(table) == "yes") == (table["a"].to_numpy() > 0)))


@pytest.mark.parametrize("family", ["trees", "linear", "bayes"])
def test_a_model_follows_the_heavy_rows(family: str) -> None:
    table = disputed()
    asked = {"target": "y", "families": [family], "trials": 1, "threads": 1, "drop": ["size"]}
    plain = certus.study(table.drop("importance"), **asked)
    weighted = certus.study(table, weight="importance", **asked)
    assert agreement(plain, table) < 0.3
    assert agreement(weighted, table) > 0.7
    assert "importance" not in weighted.model.feature_names_in_
    (told,) = [str(note) for note in weighted.notes if "'importance' count in training," in str(note)]
    assert "with every row counted alike" in told
    assert "takes none" not in told


def test_the_certificate_counts_every_row_alike() -> None:
    table = disputed()
    found = certus.study(table, target="y", weight="importance", families=["trees"], trials=1, threads=1, drop=["size"])
    errors = int(np.sum(found.evaluation.truth != found.evaluation.predictions))
    plain = certus.certify(y_true=found.evaluation.truth, y_pred=found.evaluation.predictions, loss="error")
    assert errors > len(found.split.test) / 2  # by weight it would be a small part
    assert found.certificate.value == plain["error"].value


def test_learners_without_weights_are_named() -> None:
    foreign = ["sklearn.neighbors:KNeighborsClassifier"]
    found = certus.study(disputed(), target="y", weight="importance", candidates=foreign, trials=1, drop=["size"])
    assert found.winner.name == "KNeighborsClassifier()"
    assert any("KNeighborsClassifier takes none" in str(note) for note in found.notes)


def test_numbers_and_scaled_targets() -> None:
    table = disputed()
    found = certus.study(table, target="size", weight="importance", families=["linear"], trials=1, drop=["y"])
    assert np.corrcoef(found.predict(table), table["a"].to_numpy())[0, 1] > 0.5
    X, y, weights = table.select("a").to_numpy(), table["size"].to_numpy(), table["importance"].to_numpy()
    scaled = ScaledTarget(certus.linear.Ridge())
    assert takes_weights(scaled)
    slope = np.polyfit(X[:, 0], fit_rows(scaled, X, y, weights).predict(X), 1)[0]
    assert slope > 1.0
    assert np.polyfit(X[:, 0], fit_rows(scaled, X, y, None).predict(X), 1)[0] < 0.0


@pytest.mark.parametrize("bad", [0.0, -1.0, None, float("inf")])
def test_weights_must_be_positive(bad: float | None) -> None:
    table = disputed().with_columns(importance=pl.lit(bad, pl.Float64))
    with pytest.raises(StudyError, match="weight must be a positive number in every row"):
        certus.study(table, target="y", weight="importance", trials=1)


def test_wrong_use(tmp_path: Path) -> None:
    table = disputed()
    with pytest.raises(StudyError, match="weight must come with one target, got a clustering task"):
        certus.study(table.select("a", "b", "importance"), weight="importance", trials=1)
    with pytest.raises(StudyError, match="weight must be a column of its own, got 'y'"):
        certus.study(table, target="y", weight="y", trials=1)
    table.write_csv(tmp_path / "table.csv")
    refused = Run("study", tmp_path / "table.csv", "--target", "y", "--weight", "importanc", "--trials", "1")
    assert refused.code == 2
    assert "--weight: the table has no column 'importanc'" in refused.err
    assert "did you mean 'importance'?" in refused.err


def test_baselines_blends_and_calibration_follow_the_heavy_rows() -> None:
    y, heavy = np.array([0, 0, 1]), np.array([1.0, 1.0, 5.0])
    assert BinaryTask.best_constant(y, MEASURES["error"], 2).prediction == 0
    assert BinaryTask.best_constant(y, MEASURES["error"], 2, heavy).prediction == 1
    numbers = np.array([0.0, 2.0, 10.0])
    assert RegressionTask.best_constant(numbers, MEASURES["mae"], 0, heavy).prediction == 10.0
    assert RegressionTask.best_constant(numbers, MEASURES["rmse"], 0, heavy).prediction == pytest.approx(52 / 7)


@pytest.mark.parametrize("measure", ["error", "auc", "balanced_error"])
def test_a_blend_is_chosen_by_the_weights(measure: str) -> None:
    rng = np.random.default_rng(0)
    truth, heavy = rng.integers(0, 2, 300), np.arange(300) % 3 == 0
    right = np.eye(2)[truth]
    votes = [np.where((heavy == sees)[:, None], right, 1.0 - right) for sees in (True, False)]
    votes[0] = 0.9 * votes[0] + 0.05
    plain = choose_blend(votes, truth, MEASURES[measure], 0, always=True)
    weighted = choose_blend(votes, truth, MEASURES[measure], 0, always=True, row_weights=np.where(heavy, 20.0, 1.0))
    assert plain is None or plain[1] > 0.5
    assert weighted is None or weighted[0] > 0.5


def test_probabilities_are_calibrated_by_the_weights() -> None:
    responses = np.tile([[0.9, 0.1]], (200, 1))
    truth, heavy = np.arange(200) % 4 // 3, np.arange(200) % 4 == 3
    plain = fitted_exponent(responses, truth)
    assert plain == pytest.approx(np.log(3.0) / np.log(9.0), rel=1e-3)  # 75 of 100 rows are of the first class
    weighted = fitted_exponent(responses, truth, np.where(heavy, 1.0, 5.0))
    assert weighted == pytest.approx(np.log(15.0) / np.log(9.0), rel=1e-3)
