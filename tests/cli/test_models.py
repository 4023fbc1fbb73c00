"""Commands about saved models and the catalogue: learners, info, check, predict."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.pipeline import Pipeline

import certus
from certus.base import catalogue
from certus.bayes import GaussianNB
from certus.workflow.columns import Columns
from certus.workflow.race.candidates import Candidate
from certus.workflow.race.learning import train
from certus.workflow.tasks import MulticlassTask
from tests.cli.conftest import Run, people
from tests.persistence.forging import Forgery
from tests.persistence.parts import RowKeeper


def test_learners() -> None:
    told = Run("learners", "--json").json
    assert [row["class"] for row in told] == [entry.path for entry in catalogue.entries()]
    needed = {"name", "class", "family", "tasks", "guarantees", "known_failures"}
    assert all(needed <= set(row) for row in told)
    only = Run("learners", "--task", "regression", "--json").json
    assert all("regression" in row["tasks"] for row in only)
    shown = Run("learners")
    assert shown.code == 0
    assert "certus.bayes.GaussianNB" in shown.out


def test_info(model: Path) -> None:
    told = Run("info", model, "--json").json
    assert told["class"] == "sklearn.pipeline.Pipeline"
    assert "certus.bayes.GaussianNB" in told["classes"]
    assert told["columns"] == ["age", "town"]
    assert told["training_rows"] == []
    assert told["certificates"]
    shown = Run("info", model)
    assert "contains no training rows" in shown.out
    assert "certificate: With confidence 95%" in shown.out
    assert "columns: age, town" in shown.out


def test_info_says_when_training_rows_are_inside(tmp_path: Path) -> None:
    keeper = RowKeeper()
    keeper.rows_ = np.zeros((3, 2))
    certus.save(keeper, tmp_path / "model.certus")
    assert "CONTAINS TRAINING ROWS (in certus.bayes.RowKeeper)" in Run("info", tmp_path / "model.certus").out
    assert Run("info", tmp_path / "model.certus", "--json").json["training_rows"] == ["certus.bayes.RowKeeper"]


def test_check(model: Path, holdout: Path) -> None:
    shown = Run("check", model)
    assert shown.code == 0
    assert "counts are the author's): With confidence 95%" in shown.out
    assert "level: consistent" in shown.out
    assert Run("check", model, "--require", "recounted").code == 1
    told = Run("check", model, holdout, "--json")
    assert told.code == 0
    assert "targets: column 'rich'" in told.err
    error = next(item for item in told.json["certificates"] if item["quantity"] == "error")
    assert error["holds"] is True
    assert error["recounted"] is True
    assert told.json["level"] == "recounted"
    assert told.json["training_overlap"]["recognized"] is False  # equal rows by chance
    assert Run("check", model, holdout, "--require", "recounted").code == 0


def test_check_exits_1_when_a_certificate_does_not_hold(fitted: Pipeline, tmp_path: Path, holdout: Path) -> None:
    forged = Forgery(fitted)
    text = json.loads(forged.members["certificates.json"])
    for report in text["reports"]:
        for item in report["certificates"]:
            item["value"] = 0.0001 if item["quantity"] == "error" else item["value"]
    forged.members["certificates.json"] = json.dumps(text).encode()
    run = Run("check", forged.write(tmp_path / "forged.certus"), "--json")
    assert run.code == 1
    assert run.json["holds"] is False
    certus.save(fitted, tmp_path / "model.certus")
    table = pl.read_csv(holdout).with_columns(pl.lit("no").alias("rich"))
    table.write_csv(holdout)
    assert Run("check", tmp_path / "model.certus", holdout, "--target", "rich").code == 1


def test_check_asks_for_the_target(model: Path, holdout: Path) -> None:
    pl.read_csv(holdout).with_columns(more=1).write_csv(holdout)
    run = Run("check", model, holdout)
    assert run.code == 2
    assert "which column of 'holdout.csv' has the targets?\nHint: --target with one of 'rich', 'more'" in run.err
    assert Run("check", model, holdout, "--target", "rich").code == 0


def test_predict_writes_what_python_predicts(model: Path, fitted: Pipeline, holdout: Path, tmp_path: Path) -> None:
    expected = fitted.predict(people(120, 1).drop("rich")).tolist()
    for ending, read in {"csv": pl.read_csv, "parquet": pl.read_parquet, "jsonl": pl.read_ndjson}.items():
        output = tmp_path / f"out.{ending}"
        run = Run("predict", model, holdout, "-o", output)
        assert (run.code, run.out) == (0, "")
        assert "120 predictions written" in run.err
        assert read(output)["prediction"].to_list() == expected
    lines = Run("predict", model, holdout).out.splitlines()
    assert lines[0] == "prediction,probability_no,probability_yes"
    assert [line.split(",")[0] for line in lines[1:]] == expected
    told = Run("predict", model, holdout, "--json").json
    assert told["rows"] == 120
    first = told["predictions"][0]
    assert first["probability_no"] + first["probability_yes"] == pytest.approx(1)


def test_predict_matches_columns_by_name_and_type(model: Path, tmp_path: Path) -> None:
    """Extra columns and another order do not matter; a text column that looks like numbers stays text."""
    table = people(30, 2).filter(pl.col("town") != "x")
    table.select("town", pl.lit(1).alias("other"), "age").write_csv(tmp_path / "new.csv")
    run = Run("predict", model, tmp_path / "new.csv")
    assert run.code == 0
    expected = certus.load(model).predict(table.select("age", "town")).tolist()
    assert [line.split(",")[0] for line in run.out.splitlines()[1:]] == expected


def test_models_of_a_study_meet_columns_as_files_have_them(tmp_path: Path) -> None:
    """Numbers that are all missing in a small file, categories that look like numbers, truth values."""
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "size": [None if draw < 0.1 else draw for draw in rng.random(100)],
            "member": rng.random(100) < 0.5,
            "code": rng.choice(["10", "20", "x"], 100),
            "label": rng.choice(["a", "b"], 100),
        }
    )
    columns = Columns(numbers=["size", "member"], categories=["code"])
    labels = table["label"].to_numpy()
    model = train(MulticlassTask, Candidate("certus.bayes.GaussianNB"), table, labels, columns, seed=0, threads=1)
    certus.save(model, tmp_path / "model.certus")
    few = table.filter(pl.col("code") == "10").head(3).with_columns(size=pl.lit(None, dtype=pl.Float64))
    few.drop("label").write_csv(tmp_path / "few.csv")
    assert pl.read_csv(tmp_path / "few.csv")["code"].dtype == pl.Int64
    run = Run("predict", tmp_path / "model.certus", tmp_path / "few.csv", "--json")
    assert run.code == 0, run.err
    expected = model.predict_proba(few)[:, 0]
    assert [row["probability_a"] for row in run.json["predictions"]] == expected.tolist()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"age": [30]}, "the table lacks the columns 'town', which the model needs"),
        ({"age": ["old"], "town": ["x"]}, "column 'age' holds text, the model needs numbers there"),
    ],
)
def test_predict_refuses_other_tables(model: Path, tmp_path: Path, columns: dict, message: str) -> None:
    pl.DataFrame(columns).write_csv(tmp_path / "new.csv")
    run = Run("predict", model, tmp_path / "new.csv")
    assert run.code == 2
    assert message in run.err


def test_models_without_column_names(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    certus.save(GaussianNB().fit(X, X[:, 0] > 0), tmp_path / "model.certus")
    pl.DataFrame(X, schema=["a", "b"]).write_csv(tmp_path / "two.csv")
    pl.DataFrame(X, schema=["a", "b"]).with_columns(c=1).write_csv(tmp_path / "three.csv")
    assert Run("predict", tmp_path / "model.certus", tmp_path / "two.csv").code == 0
    run = Run("predict", tmp_path / "model.certus", tmp_path / "three.csv")
    assert run.code == 2
    assert "trained on 2 columns without names, the table has 3" in run.err


def test_predictions_are_no_formulas_in_a_spreadsheet(tmp_path: Path) -> None:
    X = np.array([[-2.0], [-1.0], [1.0], [2.0], [5.0], [6.0]])
    labels = np.array(["=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0", "-1.5", "-1.5", "@sum", "@sum"])
    certus.save(GaussianNB().fit(X, labels), tmp_path / "model.certus")
    pl.DataFrame(X, schema=["x"]).write_csv(tmp_path / "rows.csv")
    Run("predict", tmp_path / "model.certus", tmp_path / "rows.csv", "-o", tmp_path / "out.csv")
    written = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert written["prediction"].to_list()[::2] == ["'=cmd|' /C calc'!A0", "-1.5", "'@sum"]
    assert "probability_=cmd|' /C calc'!A0" in written.columns
    plain = Run("predict", tmp_path / "model.certus", tmp_path / "rows.csv", "--json").json
    assert plain["predictions"][0]["prediction"] == "=cmd|' /C calc'!A0"


def test_unknown_endings(model: Path, holdout: Path, tmp_path: Path) -> None:
    run = Run("predict", model, holdout, "-o", tmp_path / "out.xlsx")
    assert run.code == 2
    assert "cannot write 'out.xlsx': unknown file extension.\nHint: use one of .csv" in run.err
    assert not (tmp_path / "out.xlsx").exists()
