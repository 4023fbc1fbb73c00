"""One way in: the same data give the same columns and the same predictions from every kind of table."""

from __future__ import annotations

import datetime
import gzip
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import certus
from certus.tables import TableError, as_floats, moments_of, read_query, read_table
from certus.workflow import Study, study
from tests.cli.conftest import Run
from tests.workflow.spreadsheets import write_spreadsheet

ROWS = 160
START = datetime.datetime(2024, 1, 1)


def columns(seed: int = 0) -> pl.DataFrame:
    """One column of every kind, in the types of a data frame."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=ROWS)
    days = [START.date() + datetime.timedelta(days=int(day)) for day in rng.integers(0, 700, ROWS)]
    hours = [START + datetime.timedelta(hours=int(hour)) for hour in rng.integers(0, 9000, ROWS)]
    return pl.DataFrame(
        {
            "flag": rng.random(ROWS) < 0.5,
            "count": rng.integers(0, 40, ROWS),
            "huge": pl.Series([2**63 + int(one) for one in rng.integers(0, 9, ROWS)], dtype=pl.UInt64),
            "size": [None if rng.random() < 0.1 else round(float(one), 3) for one in x],
            "day": days,
            "moment": hours,
            "zoned": pl.Series(hours).dt.replace_time_zone("UTC"),
            "clock": [datetime.time(int(one), 25) for one in rng.integers(0, 24, ROWS)],
            "kind": rng.choice(["a, b", 'say "x"', "naïve ☂", "=1+1", "two\nlines"], ROWS),
            "code": rng.choice(["007", "008", "A01"], ROWS, p=[0.45, 0.45, 0.1]),
            "price": [f"${abs(one) * 1000:,.2f}" for one in x],
            "share": [f"{int(100 * abs(one))} %" for one in x],
            "model": [f"{rng.choice(['ford', 'bmw', 'fiat'])} {one}" for one in rng.integers(0, 10**6, ROWS)],
            "y": np.where(x + 0.5 * rng.normal(size=ROWS) > 0, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def learned() -> Study:
    result: Study = study(columns(), target="y", families=["trees", "linear"], trials=2, threads=1)
    return result


@pytest.fixture(scope="module")
def model(learned: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned.save(tmp_path_factory.mktemp("study") / "out") / "model.certus"


def fresh() -> pl.DataFrame:
    """New rows: no A01 among the codes, so that all of them look like numbers; reordered, with a column more."""
    rows = columns(1).drop("y").filter(pl.col("code") != "A01")
    return rows.select(*reversed(rows.columns)).with_columns(extra=pl.lit(7))


def test_every_kind_of_column_is_used_as_what_it_is(learned: Study) -> None:
    kinds = learned.model.column_kinds
    assert {name for name, kind in kinds.items() if kind == "number"} == {
        *("flag", "count", "huge", "size", "clock", "price", "share")
    }
    assert {name for name, kind in kinds.items() if kind == "date"} == {"day", "moment", "zoned"}
    assert {name for name, kind in kinds.items() if kind == "category"} == {"kind", "code"}
    assert [name for name, kind in kinds.items() if kind == "text"] == ["model"]
    assert any("'price': entries like" in note for note in learned.notes)


def written(frame: pl.DataFrame, form: str, folder: Path) -> Path:
    path = folder / f"new.{form}"
    if form == "parquet":
        frame.write_parquet(path)
    elif form == "arrow":
        frame.write_ipc(path)
    elif form == "jsonl":
        frame.write_ndjson(path)
    elif form == "tsv":
        frame.write_csv(path, separator="\t")
    elif form == "csv.gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    elif form == "pandas.csv":  # as pandas writes it: True and False, missing as nothing
        frame.with_columns(pl.col("flag").cast(pl.String).str.to_titlecase()).write_csv(path)
    elif form == "semicolon.csv":
        frame.with_columns(pl.col("size").cast(pl.String).str.replace(".", ",", literal=True)).write_csv(
            path, separator=";"
        )
    elif form == "xlsx":  # numbers there have 53 bits, and moments no zone
        write_spreadsheet(_zoneless(frame).with_columns(pl.col("^huge$").cast(pl.String)), path)
    else:
        frame.write_csv(path)
    return path


def _zoneless(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("^zoned$").dt.to_string("iso"))


def database(frame: pl.DataFrame, path: Path) -> Path:
    """The rows as SQLite keeps them: truth values as 0 and 1, dates, times and long integers as texts."""
    plain = _zoneless(frame).with_columns(
        pl.col(pl.Boolean).cast(pl.Int64), pl.col(pl.Date, pl.Datetime, pl.Time, pl.UInt64).cast(pl.String)
    )
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"create table t ({', '.join(map(repr, plain.columns))})")
        marks = ", ".join("?" * plain.width)
        connection.executemany(f"insert into t values ({marks})", plain.rows())
    return path


@pytest.mark.parametrize(
    "form", ["csv", "pandas.csv", "csv.gz", "semicolon.csv", "tsv", "parquet", "arrow", "jsonl", "xlsx"]
)
def test_the_same_predictions_from_every_format(form: str, learned: Study, model: Path, tmp_path: Path) -> None:
    frame = fresh()
    expected = learned.predict_proba(frame)
    path = written(frame, form, tmp_path)
    done = Run("predict", model, path, "-o", tmp_path / "said.parquet")
    assert done.code == 0, done.err
    said = pl.read_parquet(tmp_path / "said.parquet")
    np.testing.assert_array_equal(said.select("probability_no", "probability_yes").to_numpy(), expected)
    assert said["prediction"].to_list() == learned.predict(frame).tolist()
    assert said["flag"].null_count() == frame.height


@pytest.mark.parametrize("kind", ["pandas", "arrow", "texts", "nullable", "sql", "spreadsheet"])
def test_the_same_predictions_from_every_data_frame(kind: str, learned: Study, tmp_path: Path) -> None:
    frame = fresh()
    made: dict[str, Any] = {
        "pandas": lambda: frame.to_pandas(),
        "arrow": frame.to_arrow,
        "texts": lambda: pl.read_csv(frame.write_csv().encode(), infer_schema=False, null_values=[""]),
        "nullable": lambda: frame.to_pandas().convert_dtypes(),
        "sql": lambda: read_query("select * from t", str(database(frame, tmp_path / "t.sqlite"))),
        "spreadsheet": lambda: read_table(written(frame, "xlsx", tmp_path)),
    }
    np.testing.assert_array_equal(learned.predict_proba(made[kind]()), learned.predict_proba(frame))


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl", "tsv", "xlsx", "sql", "pandas"])
def test_the_same_columns_are_learned_from_every_format(form: str, learned: Study, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"target": "y", "families": ["trees", "linear"], "trials": 2, "threads": 1}
    if form == "sql":
        again = study(sql="select * from t", database=str(database(columns(), tmp_path / "t.sqlite")), **asked)
    elif form == "pandas":
        again = study(columns().to_pandas(), **asked)
    else:
        again = study(written(columns(), form, tmp_path), **asked)
    assert again.model.column_kinds == learned.model.column_kinds
    np.testing.assert_array_equal(again.predict_proba(fresh()), learned.predict_proba(fresh()))


def test_durations_mean_the_same_in_every_unit() -> None:
    spans = pl.Series("d", [datetime.timedelta(minutes=3), None, datetime.timedelta(days=2)])
    for unit in ("ns", "us", "ms"):
        np.testing.assert_array_equal(as_floats(spans.cast(pl.Duration(unit))), as_floats(spans))


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        ([" 5", "+5", "5 %", "$5", "€ 5", "5€"], [5.0] * 6),
        (["1,5e3", "1.234,56", "1,234,567.5", "-$3"], [1500.0, 1234.56, 1234567.5, -3.0]),
        (["True", "FALSE", "true", None], [1.0, 0.0, 1.0, np.nan]),
        (["09:25:00", "00:00:01"], [33_900e9, 1e9]),
    ],
)
def test_texts_that_are_numbers(texts: list[str | None], numbers: list[float]) -> None:
    np.testing.assert_array_equal(as_floats(pl.Series("x", texts)), numbers)


@pytest.mark.parametrize("texts", [["soon", "later"], ["2024-01-02", "01/31/2024"], ["01/31/2024", "02/01/2024"]])
def test_dates_in_another_form_are_refused_with_their_row(texts: list[str]) -> None:
    with pytest.raises(TableError, match=r"column 'd', row \d: '.*' is not a date in the form of the others"):
        moments_of(pl.Series("d", texts))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace(",", ",,", 1), "lacks the columns|fields"),
        (lambda text: text + "1,2\n", "has 2 fields"),
        (lambda text: text.replace("flag", "count", 1), "like column"),
    ],
)
def test_predict_refuses_what_a_study_refuses(change: Any, message: str, model: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(change(columns(1).drop("y").write_csv()))
    done = Run("predict", model, tmp_path / "bad.csv")
    assert (done.code, done.out) == (2, "")
    import re

    assert re.search(message, done.err), done.err


def test_absurd_values_are_flagged_in_their_row_and_the_others_stay(
    learned: Study, model: Path, tmp_path: Path
) -> None:
    frame = fresh()[:4]
    sizes = pl.Series("size", [0.5, 1e300, 0.25, float("inf")])
    frame.with_columns(sizes).write_parquet(tmp_path / "new.parquet")
    done = Run("predict", model, tmp_path / "new.parquet", "--key", "count", "-o", tmp_path / "said.csv")
    assert done.code == 0, done.err
    said = pl.read_csv(tmp_path / "said.csv")
    assert said.columns[:2] == ["count", "prediction"]
    assert [one is not None and "size" in one for one in said["flag"].to_list()] == [False, True, False, True]
    usual = learned.predict_proba(frame.with_columns(pl.Series("size", [0.5, None, 0.25, None])))
    np.testing.assert_allclose(said["probability_yes"].to_numpy(), usual[:, 1], rtol=1e-12)


def test_thousands_that_look_like_decimals_are_told(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b\n2,365;x\n1,002;y\n" * 1)
    told: list[str] = []
    assert read_table(tmp_path / "t.csv", told=told)["a"].to_list() == [2.365, 1.002]
    assert "decimal comma" in told[0]


def test_columns_can_be_dropped_kept_typed_and_tested_on_own_rows(tmp_path: Path) -> None:
    frame = columns()
    fixed: dict[str, Any] = {"target": "y", "families": ["trees"], "trials": 1, "threads": 1}
    result = study(frame, drop=["day", "model"], types={"count": "category", "kind": "id"}, **fixed)
    kinds = result.model.column_kinds
    assert not {"day", "model", "kind"} & set(kinds)
    assert kinds["count"] == "category"
    numbered = frame.with_columns(row=pl.Series([f"row-{one}" for one in range(ROWS)]))
    assert "row" not in study(numbered, **fixed).model.column_kinds
    assert study(numbered, keep=["row"], **fixed).model.column_kinds["row"] == "category"
    columns(5).write_csv(tmp_path / "test.csv")
    own = study(frame, test=str(tmp_path / "test.csv"), **fixed)
    assert (len(own.split.learn), len(own.split.test)) == (ROWS, ROWS)
    with pytest.raises(TableError, match=r"drop: the table has no column 'dya'.\nHint: did you mean 'day'"):
        study(frame, drop=["dya"], **fixed)


def test_standard_input_and_a_folder(model: Path, tmp_path: Path) -> None:
    done = Run("predict", model, "-", stdin=fresh().write_csv())
    assert done.code == 0, done.err
    assert done.out.startswith("prediction,probability_no")
    assert "is a folder" in Run("study", tmp_path, "--target", "y", "--out", tmp_path / "out").err


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    """A model whose categories and labels look like numbers once the rows with letters are gone."""
    learned = study(coded(400, 0), target="y", families=["trees"], trials=1, threads=1)
    return learned, learned.save(tmp_path_factory.mktemp("codes") / "out") / "model.certus"


def coded(rows: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    code = rng.choice(["007", "008", "A01"], rows)
    label = np.where(code == "A01", "L3", np.where((code == "007") ^ (rng.random(rows) < 0.1), "01", "02"))
    return pl.DataFrame({"code": code, "size": rng.normal(size=rows).round(3), "y": label})


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet", "-"])
def test_verbs_read_a_table_in_the_types_of_the_model(form: str, codes: tuple[Study, Path], tmp_path: Path) -> None:
    learned, path = codes
    rows = coded(300, 1).filter(pl.col("code") != "A01")
    expected = certus.certify(learned.model, rows.drop("y"), rows["y"].to_numpy())
    assert expected["error"].value < 0.2
    table: Any = form if form == "-" else written(rows, form, tmp_path)
    stdin = rows.write_csv() if form == "-" else None
    told = Run("certify", table, "--target", "y", "--model", path, "--looks", "none", "--json", stdin=stdin)
    assert told.code == 0, told.err
    assert told.json["certificates"] == [item.to_dict() for item in expected]
    checked = Run("check", path, table, "--target", "y", stdin=stdin)
    assert checked.code == 0, checked.out + checked.err
    guarded = Run("guard", table, "--target", "y", "--model", path, "--positive", "02", "--recall", "0.8", stdin=stdin)
    assert "'02' is not among the labels" not in guarded.err
    sets = Run("conformal", table, "--target", "y", "--model", path, "--json", stdin=stdin)
    assert sets.code == 0, sets.err
    calibrated = certus.conformal(learned.model, rows.drop("y"), rows["y"].to_numpy())
    assert sets.json["certificates"] == [item.to_dict() for item in calibrated.report_]
    said = Run("predict", path, table, "--json", stdin=stdin).json["predictions"]
    assert [row["prediction"] for row in said] == learned.predict(rows).tolist()


def test_standard_input_without_content(codes: tuple[Study, Path]) -> None:
    for arguments in (["predict", codes[1], "-"], ["certify", "-", "--target", "y", "--model", codes[1]]):
        refused = Run(*arguments, stdin="")
        assert refused.code == 2
        assert "Standard input is empty" in refused.err
