"""Tables that somebody else made: strange columns are used or left out with a reason, never a traceback."""

from __future__ import annotations

import errno
import io
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from rich.console import Console

from certus.cli.failures import describe
from certus.tables import read_table
from certus.workflow import Study, StudyError, study
from certus.workflow.race.journal import Journal

ROWS = 120
RNG = np.random.default_rng(0)
X = RNG.normal(size=ROWS)
Y = np.where(X + 0.5 * RNG.normal(size=ROWS) > 0, "a", "b")


def run(frame: Any, **options: Any) -> Study:
    return study(frame, **{"target": "y", "families": ["bayes"], "trials": 1, **options})


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(np.where(RNG.random(ROWS) < 0.1, np.inf, X)),
        pl.Series(np.where(RNG.random(ROWS) < 0.1, np.nan, X)),
        pl.Series(X * 1e300),
        pl.Series(RNG.integers(0, 2**62, ROWS)),
        pl.Series(X).cast(pl.Decimal(20, 4)),
        pl.Series(RNG.permutation(ROWS)).cast(pl.Duration("us")),
        pl.Series(RNG.permutation(ROWS)).cast(pl.Time),
        pl.Series(list("pq") * (ROWS // 2)).cast(pl.Categorical),
        pl.Series([b"p", b"q"] * (ROWS // 2)),
        pl.Series([[1, 2]] * ROWS),
        pl.Series([{"a": i} for i in range(ROWS)]),
        pl.Series([None] * ROWS),
    ],
    ids=lambda column: str(column.dtype),
)
def test_columns_of_every_type(column: pl.Series) -> None:
    result = run(pl.DataFrame({"x": X, "=1+1": column, "y": Y}))
    assert result.certificate.check()
    assert "=1+1" in result.columns.used or result.columns.left_out["=1+1"]


def test_names_are_escaped_in_the_report() -> None:
    page = run(pl.DataFrame({"x": X, "<script>alert(1)</script>": X[::-1], "y": Y})).report
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (pl.DataFrame({"x": [1.0], "y": ["a"]}), {}, "nothing to learn"),
        (pl.DataFrame({"x": X, "y": ["a"] * ROWS}), {}, "1 different value"),
        (pl.DataFrame({"x": X, "y": [None] * ROWS}), {}, "0 different value"),
        (pl.DataFrame({"x": [None] * ROWS, "y": Y}), {}, "No column is left .*all values are missing"),
        (pl.DataFrame({"y": Y}), {}, "No column is left"),
        (pl.DataFrame({"x": X, "y": np.r_[X[1:], np.inf]}), {}, r"'y' is inf in row 120.*\n.*leave the row out"),
        (pl.DataFrame({"x": X, "y": X * 1e200}), {}, r"at most 1e\+140 can be learned"),
        (pl.DataFrame({"x": X, "y": pl.Series(range(ROWS)).cast(pl.Date)}), {}, "120 different labels in 120 rows"),
        (pl.DataFrame({"x": X, "y": Y, "g": ["k"] * ROWS}), {"group": "g"}, "too few to set test rows aside"),
        (pd.DataFrame(np.c_[X, X], columns=["x", "x"]).assign(y=Y), {}, "'x' 2 times.*\n.*its own name"),
    ],
)
def test_tables_without_a_lesson(frame: Any, options: dict[str, str], message: str) -> None:
    with pytest.raises(StudyError, match=message):
        run(frame, **options)


def test_not_a_number_is_missing_in_the_target_too() -> None:
    result = run(pl.DataFrame({"x": X, "y": np.r_[np.nan, X[1:]]}), families=["linear"])
    assert any("1 row without a value of 'y' left out" in note for note in result.notes)
    assert read_table(pl.DataFrame({"x": [1.0, np.nan]}))["x"].to_list() == [1.0, None]


@pytest.mark.slow
def test_ten_thousand_columns() -> None:
    wide = RNG.normal(size=(60, 10_000))
    frame = pl.DataFrame(wide, schema=[f"x{k}" for k in range(10_000)]).with_columns(y=pl.Series(Y[:60]))
    result = run(frame, confidence=0.99)
    assert len(result.columns.used) == 10_000
    assert result.certificate.check()


def test_a_study_in_a_terminal() -> None:
    stream = io.StringIO()
    Console(file=stream, width=200).print(run(pl.DataFrame({"x": X, "y": Y})))
    assert "Leaderboard" in stream.getvalue()
    assert "With confidence 95% the error is at most" in stream.getvalue()


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pd.Series(pd.period_range("2020-01", periods=ROWS, freq="M")), "date"),
        (pd.cut(pd.Series(X), 5), "category"),
        (pd.Series(pd.arrays.SparseArray(np.where(X > 1, X, 0.0))), "number"),
    ],
    ids=["period", "interval", "sparse"],
)
def test_types_that_only_pandas_has(column: pd.Series, kind: str) -> None:
    result = run(pd.DataFrame({"x": X, "odd": column, "y": Y}))
    assert result.columns.kind("odd") == kind
    assert len(result.predict(pd.DataFrame({"x": X, "odd": column}))) == ROWS


def test_types_that_cannot_be_used_are_not_offered() -> None:
    result = run(pl.DataFrame({"x": X, "many": [[1, 2]] * ROWS, "y": Y}), keep=["many"])
    (told,) = [str(note) for note in result.notes if "'many'" in str(note)]
    assert "keep" not in told


def test_rows_of_one_moment_stay_together_and_that_is_told() -> None:
    days = np.where(np.arange(ROWS) < 40, "2024-01-01", "2024-01-02")
    result = run(pl.DataFrame({"x": X, "day": days, "y": Y}), order="day")
    assert len(result.split.test) == 80
    assert any(
        "80 of 120 rows are test rows: rows of one moment of 'day' stay together" in str(n) for n in result.notes
    )
    weeks = np.repeat([f"2024-01-{day:02d}" for day in range(1, 7)], ROWS // 6)
    nearest = run(pl.DataFrame({"x": X, "day": weeks, "y": Y}), order="day", holdout=0.3)
    assert len(nearest.split.test) == 40


def test_a_disk_without_room_is_told_as_such(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Full:
        def executescript(self, _text: str) -> None:
            raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("certus.workflow.race.journal.sqlite3.connect", lambda *_: Full())
    with pytest.raises(StudyError, match=r"cannot be written: database or disk is full.\nHint: make room on the disk"):
        Journal(tmp_path / "journal")
    told = describe(OSError(errno.ENOSPC, "No space left on device"))
    assert (
        told == "a file cannot be written: No space left on device.\nHint: make room, or name another folder or file."
    )
