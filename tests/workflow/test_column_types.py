"""Large text files get the types that reading every entry first would give, in a fraction of the time."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest

from certus.tables import column_types, read_table
from certus.tables.column_types import read_with_types
from certus.workflow import StudyError

OPTIONS = {"separator": ";", "decimal_comma": False, "null_values": ["", "NA"]}


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_types, "LARGE_FILE", 0)
    monkeypatch.setattr(column_types, "SUGGESTING_ROWS", 5)


@pytest.mark.parametrize(
    ("first", "later", "dtype"),
    [
        ("1", "2", pl.Int64),
        ("1", "1.5", pl.Float64),
        ("1", "x", pl.String),
        ("1.5", "x", pl.String),
        ("true", "false", pl.Boolean),
        ("true", "x", pl.String),
        ("2020-01-01", "2021-01-01", pl.Date),
        ("2020-01-01", "x", pl.String),
        ("12:30:00", "x", pl.String),
        ("", "5", pl.Int64),
        ("", "5.5", pl.Float64),
        ("", "x", pl.String),
        ("", "2020-01-01", pl.Date),
        ("", "", None),
        ("1", "99999999999999999999", None),
    ],
)
@pytest.mark.parametrize("as_path", [True, False])
def test_later_entries_decide_too(
    first: str, later: str, dtype: pl.DataType | None, as_path: bool, tmp_path: Path
) -> None:
    text = "a;b\n" + f"{first};1\n" * 40 + f"{later};2\n" + f"{first};NA\n"
    source: Path | io.BytesIO = io.BytesIO(text.encode())
    if as_path:
        source = tmp_path / "t.csv"
        source.write_text(text)
    found = read_with_types(source, **OPTIONS)
    slow = pl.read_csv(io.BytesIO(text.encode()), try_parse_dates=True, infer_schema_length=None, **OPTIONS)
    assert found.shape == (42, 2)
    assert found["b"].to_list() == [1] * 40 + [2, None]
    if dtype is not None:
        assert found["a"].dtype == dtype
        assert found["a"].dtype == slow["a"].dtype
        assert found["a"].to_list() == slow["a"].to_list()


def test_decimal_commas_in_late_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;b;c\n" + "1;1,5;\n" * 30 + "2,5;3,5;7\n" + "3;1,5;7,25\n")
    frame = read_table(path)
    assert frame.schema == {"a": pl.Float64, "b": pl.Float64, "c": pl.Float64}
    assert frame.row(-2) == (2.5, 3.5, 7.0)


def test_a_foreign_entry_far_down_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2.5\n" * 50 + "1,oops\n" + "1,2.5\n" * 50)
    with pytest.raises(StudyError, match=r"line 52, column 2 \('b'\): 'oops' is not a number"):
        read_table(path)


def test_a_ragged_row_far_down_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 50 + "1,2,3\n")
    with pytest.raises(StudyError, match="line 52 has 3 fields, the header has 2"):
        read_table(path)
