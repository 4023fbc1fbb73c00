"""The study: six steps on small tables, honest about its rows, never half-written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import certus
from certus.tables import read_table
from certus.workflow import StudyError, study
from certus.workflow.columns import classify_columns
from certus.workflow.measures import MEASURES
from certus.workflow.models import Blend
from certus.workflow.race.blending import choose_blend
from certus.workflow.split import split_rows
from certus.workflow.tasks.regression import tolerance


@pytest.fixture(scope="module")
def built_in() -> certus.workflow.Study:
    return study()


def table(rows: int = 200, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    x, colour = rng.normal(size=rows), rng.choice(["red", "green", None], size=rows)
    return pl.DataFrame(
        {
            "x": [None if rng.random() < 0.1 else value for value in x],
            "colour": colour.tolist(),
            "always": np.ones(rows),
            "id": [f"row-{i}" for i in range(rows)],
            "price": 3 * x + (colour == "red") + 0.1 * rng.normal(size=rows),
            "sold": np.where(x + (colour == "red") + 0.3 * rng.normal(size=rows) > 0, "yes", "no"),
        }
    )


def test_built_in_table_gives_a_certified_winner(built_in: certus.workflow.Study) -> None:
    told = built_in.to_dict()
    assert told["task"] == "binary"
    assert told["rows"] == 569
    certificate = told["winner"]["certificate"]
    assert {"value", "confidence", "claim", "quantity"} <= set(certificate)
    assert told["winner"]["measure"] == certificate["quantity"] == "error"
    assert told["winner"]["test_value"] < certificate["value"] < 0.15
    assert sum(row["baseline"] for row in told["leaderboard"]) == 1
    assert [row["rank"] for row in told["leaderboard"]] == list(range(1, len(told["leaderboard"]) + 1))
    assert built_in.certificates.check()
    json.dumps(told, allow_nan=False)


def test_certificate_is_clopper_pearson_on_the_untouched_rows(built_in: certus.workflow.Study) -> None:
    data = certus.datasets.load("breast_cancer").frame
    X = data.select(built_in.columns.used)[built_in.split.test]
    truth = data["diagnosis"].to_numpy()[built_in.split.test]
    wrong = int((built_in.best.predict(X) != truth).sum())
    guessing = float(np.mean(truth != "benign"))
    bound = certus.guarantees.error_bound(wrong, len(truth))
    assert replace(built_in.certificate, fingerprint=None) == replace(bound, trivial=guessing)
    assert built_in.certificate.trivial == built_in.to_dict()["baseline"]["test_value"]
    assert not set(built_in.split.test) & set(built_in.split.learn)


def test_files_are_written_and_the_saved_model_is_the_certified_one(
    built_in: certus.workflow.Study, tmp_path: Path
) -> None:
    folder = built_in.save(tmp_path / "out")
    assert sorted(path.name for path in folder.iterdir()) == ["model.certus", "report.html", "study.json"]
    assert json.loads((folder / "study.json").read_text()) == json.loads(json.dumps(built_in.to_dict()))
    frame = certus.datasets.load("breast_cancer").frame.select(built_in.columns.used)
    again = certus.load(folder / "model.certus")
    assert (again.predict(frame) == built_in.best.predict(frame)).all()
    assert certus.check(folder / "model.certus")


def test_overwriting_is_refused_unless_forced_and_never_for_a_foreign_folder(
    built_in: certus.workflow.Study, tmp_path: Path
) -> None:
    folder = built_in.save(tmp_path / "out")
    with pytest.raises(StudyError, match=r"exists already.*\n.*force replaces"):
        built_in.save(folder)
    built_in.save(folder, force=True)
    foreign = tmp_path / "home"
    foreign.mkdir()
    (foreign / "precious.txt").write_text("mine")
    with pytest.raises(StudyError, match="not the folder of a study"):
        built_in.save(foreign, force=True)
    assert (foreign / "precious.txt").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "out"]


def test_a_failure_while_writing_leaves_nothing(
    built_in: certus.workflow.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = built_in.save(tmp_path / "out")
    before = (folder / "study.json").read_bytes()
    monkeypatch.setattr("certus.report.render_study", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        built_in.save(folder, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (folder / "study.json").read_bytes() == before


def test_same_seed_same_result_other_seed_other_rows(built_in: certus.workflow.Study) -> None:
    again, other = study(), study(seed=1)
    timeless = [
        {key: value for key, value in result.to_dict().items() if key not in ("seconds", "leaderboard")}
        for result in (built_in, again)
    ]
    assert timeless[0] == timeless[1]
    assert set(other.split.test) != set(built_in.split.test)


def test_regression_promises_how_often_the_error_is_large() -> None:
    result = study(table(400), target="price")
    told = result.to_dict()["winner"]
    assert result.task.kind == "regression"
    assert told["measure"] == "rmse"
    assert told["certificate"]["quantity"].startswith("share of rows with |error| > ")
    assert result.certificate.check()
    threshold = float(told["certificate"]["quantity"].rsplit(" ", 1)[1])
    far = np.abs(result.evaluation.truth - result.evaluation.predictions) > threshold
    assert result.certificate.witness["events"] == far.sum()
    mean_square = np.mean((result.evaluation.truth - result.evaluation.predictions) ** 2)
    assert result.evaluation.value == pytest.approx(np.sqrt(mean_square), rel=1e-12)


@pytest.mark.parametrize("form", [pd.DataFrame, lambda data: data])
def test_mixed_columns_from_frames(form: object) -> None:
    frame = table()
    source = frame.to_pandas() if form is pd.DataFrame else frame
    result = study(source, target="sold")
    assert result.columns.numbers == ["x", "price"]
    assert result.columns.categories == ["colour"]
    assert set(result.columns.left_out) == {"always", "id"}
    assert result.evaluation.value < 0.3


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "jsonl"])
def test_files_of_every_kind(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{ending}"
    writer = {"csv": "write_csv", "parquet": "write_parquet", "arrow": "write_ipc", "jsonl": "write_ndjson"}
    getattr(table(), writer[ending])(path)
    assert read_table(path).shape == table().shape


@pytest.mark.parametrize(
    ("content", "target", "message"),
    [
        ("a,b\n", "b", "no rows"),
        ("a,b\n1,2\n3,4,5\n", "b", "Cannot read 't.csv'"),
        ("a,b\n1,x\n2,x\n", "b", "nothing to learn"),
        ("a,b\n1,2\n", "c", "no column 'c'"),
        ("a,b\n1,x\n2,y\n3,x\n", "b", "too few"),
        ("", "b", "The file 't.csv' is empty"),
    ],
)
def test_broken_tables_say_what_to_do(content: str, target: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(StudyError, match=message):
        study(path, target=target)


def test_wrong_use() -> None:
    with pytest.raises(StudyError, match="Which column"):
        study(table(), task="classification")
    with pytest.raises(StudyError, match=r"confidence must lie strictly between 0 and 1, got 1.5"):
        study(table(), target="sold", confidence=1.5)
    with pytest.raises(StudyError, match="no file"):
        study("nowhere.csv", target="sold")
    with pytest.raises(StudyError, match="unknown file extension"):
        study(__file__, target="sold")
    with pytest.raises(StudyError, match="Regression needs numbers"):
        study(table(), target="sold", task="regression")


def test_equal_rows_never_straddle_the_split() -> None:
    frame = pl.concat([table(60)] * 5)
    columns = classify_columns(frame.drop("id"), ["sold"])
    for seed in range(20):
        split = split_rows(frame, columns.used, ["sold"], holdout=0.2, seed=seed)
        assert split.copies
        assert len(split.learn) + 5 * len(split.test) == frame.height
        learned = set(frame[split.learn].select(columns.used).rows())
        tested = frame[split.test].select(columns.used).rows()
        assert len(set(tested)) == len(tested)
        assert not learned & set(tested)
    result = study(frame, target="sold", families=["bayes"], trials=1)
    assert "copies-count-once" in result.certificate.assumptions
    assert result.certificate.check()


def test_rows_of_few_discrete_columns_repeat_by_chance() -> None:
    """With 2 x 3 x 2 different rows, equal ones are no copies: each is an observation of its own."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.integers(0, 2, 500), "b": rng.integers(0, 3, 500), "y": rng.integers(0, 2, 500)})
    split = split_rows(frame, ["a", "b"], ["y"], holdout=0.2, seed=0)
    assert not split.copies
    assert (len(split.learn), len(split.test)) == (400, 100)


def test_tolerance_is_rounded_up_to_two_digits() -> None:
    assert tolerance(np.zeros(10), np.full(10, 0.1234)) == 0.13
    assert tolerance(np.zeros(10), np.full(10, 1234.0)) == 1300.0
    assert tolerance(np.zeros(10), np.zeros(10)) == 0.0


def test_report_escapes_what_the_user_wrote() -> None:
    frame = table().rename({"colour": "<script>alert(1)</script>"})
    frame = frame.with_columns(pl.col("sold").replace("yes", "<b>yes</b>"))
    result = study(frame, target="sold")
    for page in (result.report, result._repr_html_()):
        assert "<script>" not in page
        assert "<b>yes</b>" not in page
    assert "&lt;b&gt;yes&lt;/b&gt;" in result.report


@pytest.mark.parametrize("target", ["sold", "price"])
def test_sets_and_intervals_cover_rows_that_nobody_saw(target: str) -> None:
    result = study(table(4000), target=target, families=["linear"], trials=2)
    assert len(result.split.calibration) == 400
    parts = [set(part) for part in (result.split.learn, result.split.calibration, result.split.test)]
    assert sum(map(len, parts)) == len(set.union(*parts)) == 4000
    fresh = table(4000, seed=1)
    if target == "sold":
        places = np.searchsorted(result.best.classes_, fresh["sold"].to_numpy())
        covered = result.best.predict_set(fresh)[np.arange(4000), places]
    else:
        low, high = result.best.predict_interval(fresh).T
        covered = (low <= fresh["price"].to_numpy()) & (fresh["price"].to_numpy() <= high)
    promised = next(item for item in result.certificates if item.kind == "expectation" and item.quantity != "error")
    assert 0.93 < covered.mean() < 0.99, promised


def test_groups_stay_together_and_are_the_unit_of_the_promise() -> None:
    rng = np.random.default_rng(0)
    frame = table(600).with_columns(shop=pl.Series(rng.integers(0, 60, 600)))
    result = study(frame, target="sold", group="shop", families=["bayes"], trials=1)
    shops = frame["shop"].to_numpy()
    assert not set(shops[result.split.learn]) & set(shops[result.split.test])
    assert "shop" not in result.columns.used
    assert result.certificate.quantity == "mean over groups of the error"
    wrong = result.evaluation.truth != result.evaluation.predictions
    tested = shops[result.split.test]
    means = [wrong[tested == shop].mean() for shop in np.unique(tested)]
    assert result.certificate.witness["rows"] == len(means)
    assert result.certificate.value > np.mean(means)


def test_the_last_rows_by_time_are_the_test_rows() -> None:
    frame = table(500).with_columns(when=pl.Series(np.random.default_rng(1).permutation(500)))
    result = study(frame, target="sold", order="when", families=["bayes"], trials=1)
    when = frame["when"].to_numpy()
    assert when[result.split.learn].max() < when[result.split.test].min()
    assert "future-like-test-period" in result.certificate.assumptions
    assert result.certificate.check()
    assert len(result.split.calibration) == 0


@pytest.mark.parametrize("measure", ["balanced_error", "log_loss", "auc", "f1", "macro_f1"])
def test_measures_of_labels(measure: str) -> None:
    result = study(table(400), target="sold", measure=measure, families=["linear", "bayes"], trials=3)
    assert result.certificate.check()
    shown = result.to_dict()["winner"]["test_value"]
    if result.certificate.direction == "upper":
        assert shown <= result.certificate.value
    else:  # scores are shown as scores, and bounded from below
        assert (shown if measure != "balanced_error" else 1.0 - shown) >= result.certificate.value
    assert result.verdict == "better"
    assert 0.0 <= result.winner.value < result.baseline


def test_hints_name_what_was_probably_meant() -> None:
    with pytest.raises(StudyError, match="error is one minus the accuracy"):
        study(table(), target="sold", measure="accuracy")
    with pytest.raises(StudyError, match=r"no column 'sodl'.\nHint: did you mean 'sold'"):
        study(table(), target="sodl")
    stars = table().with_columns(stars=pl.Series(np.random.default_rng(0).integers(1, 6, 200)))
    notes = study(stars, target="stars", families=["bayes"], trials=1).notes
    assert any("classes without an order (task=ordinal" in note for note in notes)


def test_unknown_measures_and_labels() -> None:
    with pytest.raises(StudyError, match=r"'rmse' does not fit a binary task.\nHint: choose one of error"):
        study(table(), target="sold", measure="rmse")
    with pytest.raises(StudyError, match=r"'maybe' is not among the labels.\nHint: they are no, yes"):
        study(table(), target="sold", positive="maybe")
    with pytest.raises(StudyError, match="there is no family 'magic'"):
        study(table(), target="sold", families=["magic"])
    with pytest.raises(StudyError, match="group and order exclude each other"):
        study(table(), target="sold", group="x", order="id")


def test_the_positive_label_decides_f1() -> None:
    one, other = (
        study(table(300), target="sold", measure="f1", positive=label, families=["bayes"], trials=1)
        for label in ("yes", "no")
    )
    truth, answers = one.evaluation.truth, one.evaluation.predictions
    for result, label in ((one, "yes"), (other, "no")):
        hits = ((truth == label) & (answers == label)).sum()
        expected = 1 - 2 * hits / ((truth == label).sum() + (answers == label).sum())
        assert result.evaluation.value == pytest.approx(expected)


@pytest.mark.parametrize("target", ["sold", "level"])
def test_votes_become_calibrated_probabilities(target: str, tmp_path: Path) -> None:
    frame = table(400).with_columns(level=(pl.col("price") > -1).cast(pl.Int8) + (pl.col("price") > 1))
    frame = frame.with_columns(level=pl.Series(np.array(["b", "c", "a"])[frame["level"].to_numpy()]))
    frame = frame.drop("price" if target == "level" else "level")
    result = study(frame, target=target, families=["svm"], trials=1, task="classification")
    probabilities = result.predict_proba(frame)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    again = certus.load(result.save(tmp_path / "out") / "model.certus")
    np.testing.assert_array_equal(again.predict_proba(frame), probabilities)
    truth = np.searchsorted(result.model.classes_, frame[target].to_numpy())
    test = result.split.test
    surprise = -np.mean(np.log(probabilities[test, truth[test]]))
    votes = result.model.response(frame)[test]
    plain = np.clip(votes / votes.sum(axis=1, keepdims=True), 1e-6, 1.0)
    assert surprise < 0.05 - np.mean(np.log(plain[np.arange(len(test)), truth[test]]))
    assert result.findings.calibration is not None
    assert result.findings.calibration.value <= result.findings.calibration.bound
    if target == "sold":
        assert (result.model.classes_[probabilities.argmax(axis=1)] == result.predict(frame)).all()


def test_a_blend_is_saved_and_says_the_same_again(tmp_path: Path) -> None:
    frame = table(300)
    result = study(frame, target="sold", families=["bayes", "linear"], trials=2)
    models = [result.best.model_] * 2
    blend = Blend(models, np.array([0.25, 0.75]), result.best.classes_)
    certus.save(result.task.model(blend), tmp_path / "blend.certus")
    again = certus.load(tmp_path / "blend.certus")
    np.testing.assert_allclose(again.predict_proba(frame), result.best.predict_proba(frame), rtol=1e-12)
    assert (again.predict(frame) == result.best.predict(frame)).all()


def test_greedy_weights_mix_models_that_err_on_different_rows() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    positive = [np.clip(0.5 + 0.2 * (2 * truth - 1) + rng.normal(scale=0.3, size=400), 0, 1) for _ in range(5)]
    votes = [np.column_stack([1 - one, one]) for one in positive]
    weights = choose_blend(votes, truth, MEASURES["error"], seed=0)
    assert weights is not None
    assert weights.sum() == pytest.approx(1.0)
    assert np.count_nonzero(weights) >= 3
    assert choose_blend(votes[:1], truth, MEASURES["error"], seed=0) is None


def test_a_model_of_all_rows_promises_nothing(tmp_path: Path) -> None:
    result = study(table(300), target="sold", families=["bayes"], trials=1, refit_all=True)
    folder = result.save(tmp_path / "out")
    told = certus.load(folder / "model-all-rows.certus").report_
    assert [certificate.kind for certificate in told] == ["estimate"]
    assert told.check()
    assert told[0].value == result.certificate.value
    assert "trained on all rows" in told[0].claim
    without = study(table(300), target="sold", families=["bayes"], trials=1)
    without.save(folder, force=True)
    assert not (folder / "model-all-rows.certus").exists()


def test_a_blend_that_does_not_win_is_not_chosen() -> None:
    """One perfect trial among four that guess: nothing can be added to it."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    perfect = np.eye(2)[truth]
    guesses = [np.eye(2)[rng.integers(0, 2, 400)] for _ in range(4)]
    assert choose_blend([perfect, *guesses], truth, MEASURES["error"], seed=0) is None


@pytest.mark.slow
def test_rare_classes_ruin_neither_the_winner_nor_a_candidate() -> None:
    """Five classes by rules, one in a corner, one of nine rows at random; one label in twenty is wrong."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (3000, 8)).astype(float)
    y = (X @ rng.normal(size=(8, 5))).argmax(axis=1)
    y[(X[:, :3] == 5).all(axis=1)] = 5
    y[rng.choice(3000, 9, replace=False)] = 6
    flipped = rng.random(3000) < 0.05
    y[flipped] = rng.integers(0, 5, int(flipped.sum()))
    columns = {f"x{place}": column for place, column in enumerate(X.T)}
    told = study(pl.DataFrame({**columns, "kind": [f"k{k}" for k in y]}), target="kind").to_dict()
    assert told["winner"]["test_value"] < 0.1
    boosted = [row for row in told["leaderboard"] if row["learner"].startswith("HistGradientBoosting")]
    assert boosted
    assert all(row["validation_value"] < 0.2 for row in boosted)
