"""A study without a target: groups of rows, and how clearly new rows belong to one of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import certus
from certus.cluster import BisectingKMeans, KMeans, KMedoids
from certus.workflow import StudyError, study
from certus.workflow.columns import Columns
from certus.workflow.findings.cluster_quality import cluster_quality
from certus.workflow.findings.clusters import compared, describe
from certus.workflow.models import ClusterModel
from certus.workflow.models.distance_ratios import distance_ratios
from certus.workflow.race.trials import comparable
from tests.cli.conftest import Run


def table(rows: int = 300, groups: int = 3, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, groups, rows)
    return pl.DataFrame(
        {
            "height": 150.0 + 20.0 * group + 2.0 * rng.normal(size=rows),
            "weight": np.array([60.0, 100.0, 60.0, 100.0])[group] + 3.0 * rng.normal(size=rows),
            "colour": np.where(group == 1, "red", "blue"),
        }
    )


@pytest.fixture(scope="module")
def result() -> certus.workflow.Study:
    return study(table(), threads=1)


def test_the_number_of_groups_is_found_and_certified_on_untouched_rows(result: certus.workflow.Study) -> None:
    told = result.to_dict()
    assert (told["task"], told["target"]) == ("clustering", None)
    assert told["winner"]["learner"].startswith("KMeans(n_clusters=3")
    frame = table()[result.split.test].select(result.columns.used)
    ratios = result.best.ratios(frame)
    quantity = "mean ratio of the distances to the nearest and the second nearest center"
    assert result.certificate == certus.guarantees.mean_bound(ratios, quantity=quantity)
    assert told["winner"]["test_value"] == pytest.approx(1.0 - ratios.mean())
    assert told["verdict"] == "better"
    assert result.certificates.check()
    assert [row["learner"] for row in told["leaderboard"] if row["baseline"]] == ["baseline (one cluster)"]
    assert len(result.split.test) == 60
    assert "target=NAME" in told["notes"][0]
    json.dumps(told, allow_nan=False)


def test_groups_are_described_in_their_own_units(result: certus.workflow.Study) -> None:
    groups = result.findings.clusters
    assert sum(group.rows for group in groups) == len(result.split.learn)
    heights = sorted(group.center["height"] for group in groups)
    np.testing.assert_allclose(heights, [150.0, 170.0, 190.0], atol=2.0)
    assert {group.center["colour"] for group in groups} == {"red", "blue"}
    assert "clearly tighter" in result.findings.diagnosis
    assert "The clusters" in result.report


def test_the_winner_is_bounded_and_its_rivals_have_other_centers(result: certus.workflow.Study) -> None:
    names = {row["learner"].split("(")[0] for row in result.leaderboard}
    assert names >= {"KMeans", "KMedoids", "BisectingKMeans"}
    quality = result.findings.quality
    assert quality is not None
    assert quality.excess is not None
    assert (quality.excess.kind, quality.excess.value < 1e-3) == ("exact", True)
    rows = result.best.model_[:-1].transform(table()[result.split.learn].select(result.columns.used))
    assert quality.excess.check(rows)
    assert quality.silhouette.check((rows, result.best.model_[-1].predict(rows)))
    assert quality.silhouette.claim in result.report
    assert "Clusters next to each other" in result.report
    assert quality.to_dict() == result.to_dict()["findings"]["cluster_quality"]


@pytest.mark.parametrize(
    "learner", [KMeans(4, random_state=0), KMedoids(4, bound_effort=0), BisectingKMeans(4, random_state=0)]
)
def test_clusters_of_every_learner_have_their_quality(learner: KMeans | KMedoids | BisectingKMeans) -> None:
    X = np.random.default_rng(0).normal(size=(80, 2))
    model = make_pipeline(StandardScaler(), learner).fit(X)
    found = cluster_quality(model, X, 0.9, 0)
    assert found is not None
    rows, labels = model[0].transform(X), model.predict(X)
    assert found.excess is not None
    assert 0.0 <= found.excess.value < 0.3
    assert found.excess.check(rows)
    low, high = found.silhouette.value
    assert low < certus.evaluation.silhouette_score(rows, labels) < high
    assert (found.numbers, len(found.merges)) == ([0, 1, 2, 3], 3)
    assert cluster_quality(model, np.zeros((5, 2)), 0.9, 0) is None  # all in one cluster
    names = [f"c{place}" for place in range(2)]
    own = ClusterModel.__new__(ClusterModel)
    own.model_ = make_pipeline(FunctionTransformer(), learner).fit(pl.DataFrame(X, schema=names).to_numpy())
    centers = own.model_[-1].cluster_centers_[own.model_.predict(X)]
    np.testing.assert_allclose(own.distances(X), np.linalg.norm(X - centers, axis=1), atol=1e-12)


def test_equal_candidates_keep_their_order_whatever_rounding_does() -> None:
    assert comparable(0.06809807728049497) == comparable(0.06809807728049495) < comparable(0.0680980773)
    assert comparable(np.inf) == np.inf


def test_noise_is_called_noise() -> None:
    rng = np.random.default_rng(0)
    result = study(pl.DataFrame(rng.normal(size=(300, 4)), schema=list("abcd")), task="clustering", threads=1)
    assert "not clearly tighter" in result.findings.diagnosis
    assert result.verdict == "not-better"
    assert compared(np.zeros(5), None, 9)[1].startswith("the groups were not compared")


def test_chance_is_rarely_called_clear() -> None:
    rng = np.random.default_rng(0)
    told = [compared(rng.uniform(size=60), rng.uniform(size=60), 1) for _ in range(40)]
    assert sum(grouped for grouped, _ in told) <= 4  # allowed: 5 %; more than 4 of 40 has a chance below 5 %


def test_ratios_are_one_minus_the_simplified_silhouette() -> None:
    X = np.array([[0.0], [2.0], [10.0], [5.0], [-5.0]])
    model = KMeans(2, init=np.array([[0.0], [10.0]]), max_iter=1).fit(np.array([[0.0], [10.0]]))
    np.testing.assert_allclose(distance_ratios(model, X), [0.0, 0.25, 0.0, 1.0, 1 / 3])
    np.testing.assert_allclose(distance_ratios(KMeans(1).fit(X), X), 1.0)
    same = KMeans(2, init=np.array([[1.0], [1.0]]), max_iter=1)
    same.cluster_centers_ = np.ones((2, 1))
    same.n_features_in_ = 1
    np.testing.assert_allclose(distance_ratios(same, [[1.0], [3.0]]), 1.0)


def test_descriptions_survive_missing_values() -> None:
    frame = pl.DataFrame({"n": [1.0, None, 3.0], "c": ["x", None, None]})
    first, second = describe(frame, np.array([0, 1, 0]), Columns(numbers=["n"], categories=["c"]))
    assert (first.number, first.rows, first.center) == (0, 2, {"n": 2.0, "c": "x"})
    assert (second.number, second.center) == (1, {"n": None, "c": None})


def test_threads_and_resuming_change_nothing(tmp_path: Path) -> None:
    told = []
    for threads in (1, 2):
        found = study(table(), threads=threads, journal=tmp_path / "journal").to_dict()
        told.append({key: value for key, value in found.items() if key not in ("seconds", "leaderboard")})
    assert told[0] == told[1]


def test_groups_of_rows_are_the_unit_where_a_column_says_so() -> None:
    frame = table().with_columns(visit=pl.Series(np.repeat(np.arange(60), 5)))
    result = study(frame, group="visit", threads=1, trials=2)
    assert str(result.certificate.quantity).startswith("mean over groups of the mean ratio")


def test_command_line(tmp_path: Path) -> None:
    table().write_csv(tmp_path / "table.csv")
    folder = tmp_path / "out"
    done = Run("study", tmp_path / "table.csv", "--trials", "6", "--threads", "1", "--out", folder, "--json")
    assert done.json["task"] == "clustering"
    assert "--target NAME predicts a column" in done.err
    model = folder / "model.certus"
    assert isinstance(certus.load(model), ClusterModel)
    rows = Run("predict", model, tmp_path / "table.csv", "--json").json["predictions"]
    assert set(rows[0]) == {"prediction", "distance", "flag"}
    assert {row["prediction"] for row in rows} == {0, 1, 2}
    assert all(row["distance"] >= 0.0 for row in rows)
    assert Run("check", model).code == 0
    refused = Run("check", model, tmp_path / "table.csv")
    assert refused.code == 2
    assert "the model has no target" in refused.err
    assert "certus.cluster.KMeans" in Run("info", model).out


def test_the_built_in_table_without_its_target() -> None:
    result = study(task="clustering", trials=2, threads=1)
    assert "diagnosis" not in result.columns.used
    assert result.profile.rows == 569


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "clustering", "target": "colour"}, "target does not fit a clustering task"),
        ({"measure": "error"}, "'error' does not fit a clustering task"),
        ({"positive": "red"}, "positive does not fit a clustering task"),
        ({"families": ["linear"]}, "none of linear has a learner"),
        ({"task": "regression"}, "Which column is to be predicted"),
    ],
)
def test_wrong_use_is_said(options: dict[str, object], message: str) -> None:
    with pytest.raises(StudyError, match=message):
        study(table(), **options)
