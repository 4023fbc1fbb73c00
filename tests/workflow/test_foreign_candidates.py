"""Learners of other libraries in the race, and memory that is planned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import AdaBoostClassifier

from certus.base import catalogue
from certus.svm import NuSVC
from certus.workflow import StudyError, study
from certus.workflow.race.candidates import Recipe
from certus.workflow.race.further_learners import UNSUITED
from certus.workflow.race.portfolio import recipes
from certus.workflow.race.work import WorkModel
from tests.workflow.test_verdict import signal


def test_an_estimator_enters_the_race_and_is_certified(tmp_path: Path) -> None:
    result = study(signal(200), target="y", candidates=[AdaBoostClassifier(n_estimators=7)], trials=1, threads=1)
    assert result.winner.name == "AdaBoostClassifier(n_estimators=7)"
    assert result.verdict == "better"
    assert result.certificate.check()
    assert result.predict_proba(signal(5)).shape == (5, 2)
    folder = result.save(tmp_path / "out")
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "study.json"]
    assert any("of another library" in note for note in result.notes)


def test_a_class_by_its_name_beside_our_own() -> None:
    named = ["sklearn.naive_bayes:GaussianNB"]
    result = study(signal(150), target="y", candidates=named, families=["bayes"], trials=4, threads=1)
    assert sum(row["learner"] == "GaussianNB()" for row in result.leaderboard) == 2  # ours and theirs


def test_learners_of_the_catalogue_enter_by_name_as_objects_and_by_family(tmp_path: Path) -> None:
    """They are ours: their model is saved, and the study's encoder serves them."""
    frame = signal(150).with_columns(kind=pl.Series(["u", "v", None] * 50))
    for named in ("NuSVC", "certus.svm.NuSVC", NuSVC()):
        result = study(frame, target="y", candidates=[named], trials=1, threads=1)
        assert [trial.name for trial in result.trials] == ["NuSVC()"]
    assert "model.certus" in {path.name for path in result.save(tmp_path / "out").iterdir()}
    family = study(frame, target="y", families=["trees"], trials=2, threads=1)
    assert {trial.candidate.title for trial in family.trials} == {"DecisionTreeClassifier", "ExtraTreeClassifier"}
    assert {one.path for one in recipes("regression", ["svm"])} == {"certus.svm.SVR", "certus.svm.NuSVR"}
    without = {one.path for one in recipes("classification")}
    assert not {one.path for one in recipes("classification", ["svm"])} <= without


def test_every_learner_that_suits_is_in_the_portfolio_or_has_a_recipe_or_a_reason() -> None:
    for task in ("classification", "regression"):
        entered = {one.path for one in recipes(task, catalogue.FAMILIES)}
        for entry in catalogue.entries(task):
            if entry.takes != "tables" or entry.needs is not None:
                continue
            assert (entry.path in entered) != (entry.name in UNSUITED), entry.path


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_learner_of_the_catalogue_runs_in_the_race(task: str) -> None:
    rng = np.random.default_rng(0)
    frame = signal(120).with_columns(kind=pl.Series(["u", "v", None] * 40), gap=pl.Series([None, *rng.random(119)]))
    if task == "regression":
        frame = frame.with_columns(y=pl.col("a").exp() + 0.1 * pl.Series(rng.random(120)))
    suited = [entry for entry in catalogue.entries(task) if entry.takes == "tables" and entry.needs is None]
    names = [entry.name for entry in suited if entry.name not in UNSUITED]
    result = study(frame, target="y", candidates=names, trials=len(names), threads=1)
    failed = {trial.candidate.title: trial.failure for trial in result.trials if trial.failure}
    assert set(failed) <= {"QuadraticDiscriminantAnalysis"}, failed  # 0/1 columns that add up have no full rank
    assert all(trial.outcomes for trial in result.trials)


@pytest.mark.parametrize("bad", ["sklearn.nowhere:X", "json:dumps", "plain", 3])
def test_what_is_no_estimator_is_refused(bad: object) -> None:
    with pytest.raises(StudyError, match=r"candidates"):
        study(signal(60), target="y", candidates=[bad])


def test_a_candidate_that_does_not_fit_into_memory_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    work = WorkModel({"scaled": 10.0})
    assert work.memory(Recipe("x", copies=2.0), 1000) == 8 * 2 * 1000 * 10
    assert work.memory(Recipe("x", copies=0.0, pairs=1.0), 1000) == 8e6
    monkeypatch.setattr("certus.workflow.race.work.free_memory", lambda: 1e3)
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=200), "y": rng.choice(["n", "y"], 200)})
    result = study(frame, target="y", trials=3, threads=1)  # the cheapest runs all the same
    reasons = [row["dropped"] for row in result.leaderboard if row["dropped"]]
    assert len(reasons) == 2
    assert all("GB of memory are needed on 128 rows" in reason for reason in reasons)
