"""A study of several labels per row."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import certus
from certus.workflow import StudyError, study
from certus.workflow.models import Blend
from certus.workflow.race.blending import choose_blend
from certus.workflow.race.learning import divide
from certus.workflow.tasks import MultiLabelTask
from certus.workflow.tasks.multi_label import find_label_measure, named_targets
from tests.cli.conftest import Run

TARGETS = ["ill", "tired", "old"]


def table(rows: int = 300, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    ill = x[:, 0] + 0.5 * rng.normal(size=rows) > 0
    return pl.DataFrame(
        {
            "x": x[:, 0],
            "y": x[:, 1],
            "colour": rng.choice(["red", "green"], size=rows),
            "ill": np.where(ill, "yes", "no"),
            "tired": (x[:, 1] + ill > 0.5).astype(int),
            "old": x[:, 1] + 0.3 * x[:, 2] > 1,
        }
    )


@pytest.fixture(scope="module")
def result() -> certus.workflow.Study:
    return study(table(), target=TARGETS, trials=6, threads=1)


def test_a_row_is_wrong_if_any_of_its_labels_is(result: certus.workflow.Study) -> None:
    told = result.to_dict()
    assert (told["task"], told["target"]) == ("multi-label", TARGETS)
    frame = table()[result.split.test]
    answers = result.best.predict(frame.select(result.columns.used))
    truth = np.stack([frame[name].cast(pl.String).to_numpy() for name in TARGETS], axis=1)
    wrong = answers != truth
    bound = certus.guarantees.error_bound(int(wrong.any(axis=1).sum()), len(truth))
    known = {"trivial": told["baseline"]["test_value"], "fingerprint": result.certificate.fingerprint}
    assert result.certificate == replace(bound, **known)
    assert told["winner"]["test_value"] == np.mean(wrong.any(axis=1)) < result.baseline
    labels = {label["name"]: label for label in told["findings"]["labels"]}
    for place, name in enumerate(TARGETS):
        joint = certus.guarantees.error_bound(int(wrong[:, place].sum()), len(truth), confidence=1 - 0.05 / 3)
        assert (labels[name]["errors"], labels[name]["bound"]) == (int(wrong[:, place].sum()), joint.value)
    json.dumps(told, allow_nan=False)


def test_learners_of_one_target_compete_with_those_of_several(result: certus.workflow.Study) -> None:
    names = {row["learner"].split("(")[0] for row in result.leaderboard if row["failure"] is None}
    assert {"LogisticRegression", "GaussianNB", "DecisionTreeClassifier", "KNeighborsClassifier"} <= names
    assert "Label by label" in result.report


def test_hamming_is_bounded_by_betting() -> None:
    result = study(table(), target="ill, tired", measure="hamming", trials=2, threads=1)
    assert result.certificate.quantity == "mean share of wrong labels"
    wrong = result.evaluation.predictions != result.evaluation.truth
    assert result.evaluation.value == pytest.approx(np.mean(wrong))
    assert result.certificate.check()


def test_threads_and_resuming_change_nothing(tmp_path: Path) -> None:
    told = []
    for threads in (1, 2):
        found = study(table(), target=TARGETS, trials=3, threads=threads, journal=tmp_path / "journal").to_dict()
        told.append({key: value for key, value in found.items() if key not in ("seconds", "leaderboard")})
    assert told[0] == told[1]


def test_command_line(tmp_path: Path, result: certus.workflow.Study) -> None:
    result.save(tmp_path / "out")
    table().write_csv(tmp_path / "table.csv")
    model, rows = tmp_path / "out" / "model.certus", tmp_path / "table.csv"
    first = Run("predict", model, rows, "--json").json["predictions"][0]
    told = ["prediction", "probability"] if result.best.gives_probabilities else ["prediction"]
    assert {"flag", *(f"{what}_{name}" for what in told for name in TARGETS)} == set(first)
    assert first["prediction_ill"] in ("yes", "no")
    assert "trained on" in Run("check", model, rows).err
    assert Run("check", model, rows, "--allow-training-rows", "--json").json["holds"]
    assert Run("info", model, "--json").json["class"] == "certus.workflow.StudyModel"
    table().drop("old").write_csv(tmp_path / "lacking.csv")
    lacking = Run("check", model, tmp_path / "lacking.csv")
    assert lacking.code == 2
    assert "no column 'old'" in lacking.err


def test_sets_of_all_labels_hold_together() -> None:
    result = study(table(2000), target=TARGETS, trials=2, threads=1, families=["bayes"])
    frame = table(4000, seed=9)
    inside = result.best.predict_set(frame.select(result.columns.used))
    truth = np.stack([frame[name].cast(pl.String).to_numpy() for name in TARGETS], axis=1)
    places = (truth == result.best.classes_[:, 1]).astype(int)
    covered = np.take_along_axis(inside, places[:, :, None], axis=2)[:, :, 0].all(axis=1)
    assert covered.mean() > 0.93  # promised: 95 % in expectation over the calibration rows; seed fixed
    assert inside.any(axis=2).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": ["ill", "x"]}, "two values each, but column 'x' has 300"),
        ({"target": ["ill", "nothing"]}, "no column 'nothing'"),
        ({"target": TARGETS, "measure": "auc"}, "choose one of error, hamming"),
        ({"target": TARGETS, "positive": "yes"}, "positive is for one target"),
        ({"target": TARGETS, "task": "regression"}, "'regression' has one target"),
        ({"target": "ill", "task": "multi-label"}, "needs several targets"),
    ],
)
def test_wrong_use_is_said(options: dict[str, object], message: str) -> None:
    with pytest.raises(StudyError, match=message):
        study(table(), **options)


def test_names_with_commas_are_columns_first() -> None:
    assert named_targets("a,b", ["a", "b"]) == ["a", "b"]
    assert named_targets("a,b", ["a,b"]) == ["a,b"]
    assert named_targets(["a, b", "c"], ["a", "b", "c"]) == ["a", "b", "c"]
    assert named_targets(None, ["a"]) == []


def test_best_constant_answers() -> None:
    truth = np.array([[0, 0], [0, 0], [1, 1], [1, 0], [0, 1], [1, 1], [1, 1]])
    assert MultiLabelTask.best_constant(truth, find_label_measure(None), 2).prediction.tolist() == [1, 1]
    each = MultiLabelTask.best_constant(np.array([[1, 0], [0, 1], [0, 1]]), find_label_measure("hamming"), 2)
    assert each.prediction.tolist() == [0, 1]


def test_blends_of_label_sets() -> None:
    truth = np.random.default_rng(0).integers(0, 2, size=(200, 2))
    good, bad = np.where(truth, 0.6, 0.4), np.full(truth.shape, 0.5)
    odd = np.arange(200)[:, None] % 2 == 1
    votes = [np.where(odd, good, 0.45), np.where(odd, bad, good)]
    weights = choose_blend(votes, truth, find_label_measure(None), 0)
    assert weights is not None

    class Member:
        feature_names_in_, n_features_in_, classes_ = ["x"], 1, [np.array([0, 1]), np.array([0])]

        def predict_proba(self, X: object) -> list[np.ndarray]:
            return [np.array([[0.2, 0.8]]), np.array([[1.0]])]

    blend = Blend([Member(), Member()], np.array([0.5, 0.5]), np.array([[0, 1], [0, 1]]))
    assert blend.predict([[0.0]]).tolist() == [[1, 0]]


def test_folds_share_every_set_of_labels() -> None:
    y = np.repeat([[0, 0], [0, 1], [1, 1]], [50, 30, 20], axis=0)
    parts, rungs = divide(MultiLabelTask.strata(y), np.arange(100), seed=0)
    assert not rungs
    for part in parts:
        assert np.unique(y[part.validation], axis=0, return_counts=True)[1].tolist() == [10, 6, 4]
