"""The verbs on the command line give what the functions give: certify, plan, compare, select, guard, conformal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import certus
from tests.cli.conftest import Run, people

RECORD = {"claim", "value", "kind", "confidence", "theorem"}


def columns(path: Path) -> dict[str, np.ndarray]:
    return {name: values.to_numpy() for name, values in pl.read_csv(path).to_dict().items()}


def test_certify_predictions(predictions: Path) -> None:
    run = Run("certify", predictions, "--truth", "y", "--prediction", "a", "--score", "score", "--json")
    table = columns(predictions)
    expected = certus.certify(y_true=table["y"], y_pred=table["a"], y_score=table["score"])
    assert run.code == 0
    assert run.json["rows"] == 600
    assert run.json["certificates"] == [item.to_dict() for item in expected]
    assert all(set(item) >= RECORD for item in run.json["certificates"])
    shown = Run("certify", predictions, "--truth", "y", "--prediction", "a")
    assert expected["error"].claim.split(" (")[0] in " ".join(shown.out.replace("│", " ").split())


def test_certify_demands(predictions: Path) -> None:
    common = ["certify", predictions, "--truth", "y", "--prediction", "a", "--json"]
    assert Run(*common, "--at-most", "0.5").json["proven"] is True
    refused = Run(*common, "--at-most", "0.01")
    assert refused.code == 1
    assert refused.json["proven"] is False
    assert "not proven" in refused.err


def test_certify_model(model: Path, holdout: Path) -> None:
    run = Run("certify", holdout, "--truth", "rich", "--model", model, "--positive", "yes", "--json")
    rows = people(120, 1)
    expected = certus.certify(certus.load(model), rows.drop("rich"), rows["rich"].to_numpy(), positive="yes")
    assert run.json["certificates"] == [item.to_dict() for item in expected]


def test_certify_losses(predictions: Path) -> None:
    refused = Run("certify", predictions, "--truth", "y", "--prediction", "size")
    assert refused.code == 2
    assert "the mean of an unbounded loss cannot be bounded" in refused.err
    bounded = ["certify", predictions, "--truth", "y", "--prediction", "size", "--loss", "absolute"]
    run = Run(*bounded, "--high", "5", "--confidence", "0.9", "--json")
    assert run.json["certificates"][0]["confidence"] == 0.9
    assert Run(*bounded, "--low", "1").code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "exactly one of --prediction or --model must be given, got 0"),
        (["--prediction", "a", "--model", "m"], "exactly one of --prediction or --model must be given, got 2"),
        (
            ["--prediction", "a", "--positive", "maybe"],
            "--positive: 'maybe' is not among the labels.\nHint: they are '0', '1'",
        ),
        (
            ["--prediction", "a", "--confidence", "1.5"],
            "confidence must be a number strictly between 0 and 1, got 1.5",
        ),
    ],
)
def test_certify_wrong_use(predictions: Path, arguments: list[str], message: str) -> None:
    run = Run("certify", predictions, "--truth", "y", *arguments)
    assert run.code == 2
    assert message in run.err


def test_empty_entries_are_named(tmp_path: Path) -> None:
    (tmp_path / "gaps.csv").write_text("y,a\n1,1\n0,\n")
    run = Run("certify", tmp_path / "gaps.csv", "--truth", "y", "--prediction", "a")
    assert run.code == 2
    assert "--prediction: column 'a' is empty in row 2 of the table" in run.err


@pytest.mark.parametrize(
    "verb",
    [
        ["certify", "--prediction", "a"],
        ["compare", "--prediction", "a", "--prediction", "b"],
        ["select", "--prediction", "a", "--prediction", "b"],
        ["conformal", "--prediction", "size"],
        ["guard", "--score", "score", "--recall", "0.8"],
    ],
)
def test_rows_without_truth_are_left_out_on_request(predictions: Path, tmp_path: Path, verb: list[str]) -> None:
    whole, gaps, known = pl.read_csv(predictions), tmp_path / "gaps.csv", tmp_path / "known.csv"
    holes = whole.with_columns(y=pl.when(pl.int_range(pl.len()) % 10 == 3).then(None).otherwise(pl.col("y")))
    holes.write_csv(gaps)
    holes.drop_nulls("y").write_csv(known)
    name, *more = verb
    refused = Run(name, gaps, "--target", "y", *more)
    assert refused.code == 2
    assert "--skip-missing leaves such rows out" in refused.err
    skipped = Run(name, gaps, "--target", "y", *more, "--skip-missing", "--json")
    assert "60 of 600 rows left out: they have no true value" in skipped.err
    assert skipped.json == Run(name, known, "--target", "y", *more, "--json").json


def test_missing_predictions_are_never_skipped(tmp_path: Path) -> None:
    (tmp_path / "gaps.csv").write_text("y,a\n1,1\n0,\n")
    run = Run("certify", tmp_path / "gaps.csv", "--target", "y", "--prediction", "a", "--skip-missing")
    assert run.code == 2
    assert "--prediction: column 'a' is empty in row 2" in run.err
    (tmp_path / "none.csv").write_text("y,a\n,1\n,0\n")
    empty = Run("certify", tmp_path / "none.csv", "--target", "y", "--prediction", "a", "--skip-missing")
    assert "no row has a true value" in empty.err


def test_a_model_and_rows_without_truth(model: Path, holdout: Path, tmp_path: Path) -> None:
    rows = pl.read_csv(holdout)
    gaps = tmp_path / "gaps.csv"
    pl.concat([rows, rows.head(7).with_columns(rich=pl.lit(None, pl.String))]).write_csv(gaps)
    for arguments in (
        ["check", model, gaps, "--target", "rich"],
        ["certify", gaps, "--target", "rich", "--model", model],
    ):
        assert "--skip-missing" in Run(*arguments).err
        done = Run(*arguments, "--skip-missing")
        assert done.code == 0, done.err
        assert "7 of 127 rows left out" in done.err


def test_plan() -> None:
    told = Run("plan", "--error", "0.03", "--confidence", "0.95", "--json").json
    assert told["rows"][:3] == [99, 157, 208]
    assert [line["rows"] for line in told["table"]] == told["rows"]
    shown = Run("plan", "--error", "0.03", "--true-error", "0.01", "--errors", "2")
    assert "157" in shown.out
    assert "303 rows" in shown.out
    assert Run("plan", "--error", "0.03", "--pilot", "1", "100", "--json").json["true_error"] == 0.01
    assert "no number of rows is enough" in Run("plan", "--error", "0.03", "--true-error", "0.2").out
    wrong = Run("plan", "--error", "3")
    assert wrong.code == 2
    assert "error must be a number strictly between 0 and 1" in wrong.err


def test_hints_are_about_what_was_typed(predictions: Path, tmp_path: Path) -> None:
    hint = "must be a number strictly between 0 and 1, got 5.0.\nHint: a share, such as 0.05 for 5 of 100 (error).\n"
    assert Run("plan", "--error", "5").err.endswith(hint)
    assert "the claim may fail in at most 5 of 100 cases.\n" in Run("plan", "--error", ".1", "--confidence", "5").err
    for verb in (["guard", "--recall", "0.8"], ["certify", "--prediction", "a"]):
        refused = Run(verb[0], predictions, "--target", "y", "--score", "label", *verb[1:])
        assert refused.code == 2
        assert "--score: column 'label' must hold numbers, got texts such as '" in refused.err
    nowhere = tmp_path / "nowhere" / "out.csv"
    asked = ["conformal", predictions, "--target", "y", "--prediction", "size", "--apply", predictions]
    lost = Run(*asked, "-o", nowhere)
    assert lost.code != 0
    assert f"there is no folder '{nowhere.parent}' to write 'out.csv' to" in lost.err
    assert ".tmp" not in lost.err


def test_compare(predictions: Path) -> None:
    arguments = ["compare", predictions, "--truth", "y", "--prediction", "a", "--prediction", "b"]
    told = Run(*arguments, "--json").json
    table = columns(predictions)
    expected = certus.compare({"a": table["a"], "b": table["b"]}, y_true=table["y"])
    assert told["verdict"] == expected.verdict == "a is better"
    assert told["pairs"][0]["pvalue"] == expected.pvalue
    assert told["certificates"] == [item.to_dict() for item in expected.report]
    assert Run(*arguments).out.startswith("a is better than b (p = ")
    alone = Run("compare", predictions, "--truth", "y", "--prediction", "a")
    assert alone.code == 2
    assert "--prediction must name at least two different columns, got 'a'" in alone.err


def test_select(predictions: Path) -> None:
    arguments = ["select", predictions, "--truth", "y", "--prediction", "a", "--prediction", "b", "--tried", "7"]
    told = Run(*arguments, "--json").json
    table = columns(predictions)
    expected = certus.select({"a": table["a"], "b": table["b"]}, y_true=table["y"], tried=7)
    assert told["winner"] == expected.winner == "a"
    assert told["certificates"] == [item.to_dict() for item in expected.report]
    assert "a is the best of 2" in Run(*arguments).out


def test_guard(predictions: Path) -> None:
    arguments = ["guard", predictions, "--truth", "label", "--positive", "yes", "--score", "score"]
    told = Run(*arguments, "--recall", "0.9", "--json")
    table = columns(predictions)
    expected = certus.guard(table["score"], table["y"], recall=0.9)
    assert told.code == 0
    assert told.json["threshold"] == expected.threshold
    assert set(told.json["certificates"][0]) >= RECORD
    assert f"threshold: {expected.threshold!r}" in Run(*arguments, "--recall", "0.9").out
    refused = Run(*arguments, "--recall", "0.999", "--json")
    assert refused.code == 1
    assert refused.json["feasible"] is False
    assert refused.json["rows_needed"] > 600
    assert Run(*arguments, "--recall", "0.999").out.startswith("Infeasible: ")
    assert Run(*arguments).code == 2


def test_guard_model(model: Path, holdout: Path) -> None:
    told = Run("guard", holdout, "--truth", "rich", "--model", model, "--recall", "0.6", "--json").json
    rows = people(120, 1)
    expected = certus.guard(certus.load(model), rows.drop("rich"), rows["rich"].to_numpy(), recall=0.6)
    assert told["threshold"] == expected.threshold


def test_conformal_intervals(predictions: Path, tmp_path: Path) -> None:
    output = tmp_path / "intervals.csv"
    arguments = ["conformal", predictions, "--truth", "y", "--prediction", "size", "--confidence", "0.8"]
    run = Run(*arguments, "--apply", predictions, "-o", output, "--json")
    table = columns(predictions)
    expected = certus.conformal(y_pred=table["size"], y_cal=table["y"], confidence=0.8)
    assert run.json["certificates"] == [item.to_dict() for item in expected.report_]
    written = pl.read_csv(output)
    assert written.columns == ["prediction", "lower", "upper"]
    assert np.array_equal(written.select("lower", "upper").to_numpy(), expected.predict_interval(table["size"]))
    assert np.array_equal(written["prediction"], table["size"])
    width = np.diff(expected.predict_interval(table["size"]))[0, 0]
    assert run.json["size"]["mean_width"] == pytest.approx(width)
    assert f"Intervals are {width:.4g} wide (±{width / 2:.4g})." in Run(*arguments).out
    keyed = Run(*arguments, "--apply", predictions, "-o", output, "--key", "half")
    assert keyed.code == 0
    assert pl.read_csv(output).columns == ["half", "prediction", "lower", "upper"]
    assert "600 rows written" in run.err
    assert "The interval of a new row contains its value with probability" in Run(*arguments).out
    grouped = Run(*arguments, "--group", "half", "--json").json
    assert len(grouped["certificates"]) > len(run.json["certificates"])


def test_conformal_sets(predictions: Path, model: Path, holdout: Path, tmp_path: Path) -> None:
    output = tmp_path / "sets.csv"
    arguments = ["conformal", predictions, "--truth", "label", "--label", "no=p_no", "--label", "yes=p_yes"]
    run = Run(*arguments, "--apply", predictions, "-o", output)
    assert run.code == 0
    written = pl.read_csv(output)
    assert written.columns == ["no", "yes"]
    truth = columns(predictions)["y"]
    assert written.to_numpy()[np.arange(600), truth].mean() >= 0.9
    told = Run("conformal", holdout, "--truth", "rich", "--model", model, "--json").json
    assert set(told["certificates"][0]) >= RECORD


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--prediction", "size", "--apply", "x.csv"], "--apply and --output belong together"),
        (["--label", "yes"], "--label must read LABEL=COLUMN"),
        ([], "exactly one of --prediction or --model or --label must be given, got 0"),
    ],
)
def test_conformal_wrong_use(predictions: Path, arguments: list[str], message: str) -> None:
    run = Run("conformal", predictions, "--truth", "y", *arguments)
    assert run.code == 2
    assert message in run.err


def test_compare_scores(tmp_path: Path) -> None:
    scores = {"a": [0.81, 0.82, 0.84, 0.78, 0.85], "b": [0.80, 0.77, 0.70, 0.83, 0.80]}
    pl.DataFrame(scores).write_csv(tmp_path / "folds.csv")
    arguments = ["compare", tmp_path / "folds.csv", "--scores", "a", "--scores", "b", "--test", "corrected-t"]
    assert Run(*arguments, "--json").json == certus.compare(scores, test="corrected-t").to_dict()
    assert Run(*arguments).out.startswith("cannot tell (an estimate, not a guarantee)")
    assert "--scores and --test go together" in Run(*arguments[:4]).err
    assert "--prediction must be given" in Run("compare", tmp_path / "folds.csv").err


def test_plan_for_a_class() -> None:
    told = Run("plan", "--error", "0.05", "--confidence", "0.99", "--hypotheses", "1000", "--json")
    assert told.json == certus.plan(0.05, 0.99, hypotheses=1000).to_dict()
    assert "After 1 018 training rows" in Run("plan", "--error", "0.1", "--vc-dimension", "3").out


def test_sizes_of_sets_are_told(predictions: Path) -> None:
    arguments = ["conformal", predictions, "--truth", "label", "--label", "no=p_no", "--label", "yes=p_yes"]
    size = Run(*arguments, "--json").json["size"]
    assert sum(size["shares"].values()) == pytest.approx(1.0)
    assert f"Sets of these rows have {size['mean_labels']:.3g} labels on average" in Run(*arguments).out


def test_the_error_comes_first_and_the_source_once(predictions: Path) -> None:
    out = Run("certify", predictions, "--target", "y", "--prediction", "a", "--looks", "none").out
    claims = [line for line in out.splitlines() if "With confidence" in line]
    assert "the error is at most" in claims[0]
    assert out.count("Clopper, Pearson 1934") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["certify", "--prediction", "size"], "--loss absolute and --range LOW HIGH"),
        (["certify", "--prediction", "size"], "'certus conformal'"),
        (["certify", "--prediction", "size", "--loss", "absolute", "--range", "0", "0.001"], "; row 1 is "),
        (["guard", "--score", "size", "--target", "label"], "--positive must name"),
        (["guard", "--score", "size", "--target", "label"], "Hint: --positive yes, for example"),
    ],
)
def test_messages_speak_the_command_line(arguments: list[str], told: str, predictions: Path, tmp_path: Path) -> None:
    noisy = pl.read_csv(predictions).with_columns(real=pl.col("size") + 0.123)
    noisy.write_csv(tmp_path / "noisy.csv")
    target = [] if "--target" in arguments else ["--target", "real"]
    run = Run(arguments[0], tmp_path / "noisy.csv", *arguments[1:], *target)
    assert run.code == 2
    assert told in run.err
    assert "np." not in run.err
    assert "loss_range" not in run.err


def test_rows_without_further_columns_can_be_certified(tmp_path: Path) -> None:
    table = pl.DataFrame({"truth": ["True", "False"] * 50, "prediction": ["true", "false"] * 49 + ["false", "true"]})
    table.write_csv(tmp_path / "bare.csv")
    arguments = ["certify", tmp_path / "bare.csv", "--target", "truth", "--prediction", "prediction"]
    first = Run(*arguments, "--json")
    assert first.code == 0
    assert first.json["certificates"][0]["value"] == certus.guarantees.error_bound(2, 100).value
    assert first.json["look"]["number"] == 1
    table.with_columns(prediction=pl.lit("true")).write_csv(tmp_path / "bare.csv")
    assert Run(*arguments, "--json").json["look"]["number"] == 2
    table[:98].write_csv(tmp_path / "bare.csv")  # other rows: labels alone do not make them the same
    assert Run(*arguments, "--json").json["look"]["number"] == 1


def test_the_width_of_tables_can_be_asked(predictions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    out = Run("certify", predictions, "--target", "y", "--prediction", "a", "--looks", "none").out
    assert max(len(line) for line in out.splitlines() if "│" in line) <= 60
