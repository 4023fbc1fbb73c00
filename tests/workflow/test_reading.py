"""Reading tables: every kind of file, and every defect named with its place."""

from __future__ import annotations

import gzip
import io
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from certus.tables import read_query, read_table
from certus.workflow import StudyError

SMALL = pl.DataFrame({"size": [1.5, 2.5, None], "color": ["red", None, "blue"]})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("comma.csv", b"size,color\n1.5,red\n2.5,\n,blue\n"),
        ("semicolon.csv", b"size;color\n1,5;red\n2,5;NA\n?;blue\n"),
        ("tab.tsv", b"size\tcolor\n1.5\tred\n2.5\t\n\tblue\n"),
        ("mark.csv", b"\xef\xbb\xbfsize,color\n1.5,red\n2.5,\n,blue\n"),
        ("packed.csv.gz", gzip.compress(b"size,color\n1.5,red\n2.5,\n,blue\n", mtime=0)),
        ("lines.jsonl", b'{"size":1.5,"color":"red"}\n{"size":2.5}\n{"color":"blue"}\n'),
    ],
)
def test_text_files(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    assert read_table(tmp_path / name).select("size", "color").equals(SMALL)


@pytest.mark.parametrize("writer", ["write_csv", "write_parquet", "write_ipc", "write_ndjson"])
def test_standard_input(writer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO()
    getattr(SMALL, writer)(stream)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(stream.getvalue())))
    assert read_table("-").equals(SMALL)


def test_dates_and_quoted_fields(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('day,text\n2024-01-02,"a, b"\n2024-01-03,"two\nlines"\n')
    frame = read_table(tmp_path / "t.csv")
    assert frame["day"].dtype == pl.Date
    assert frame["text"].to_list() == ["a, b", "two\nlines"]


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "latin-1"])
def test_other_encodings_are_guessed_and_told_or_named(encoding: str, tmp_path: Path) -> None:
    lines = "size,name\n" + "1,café\n2,Müller und Söhne\n3,Crème brûlée à la façon\n" * 5
    (tmp_path / "t.csv").write_bytes(lines.encode(encoding))
    told: list[str] = []
    assert read_table(tmp_path / "t.csv", told=told)["name"][:2].to_list() == ["café", "Müller und Söhne"]
    assert encoding == "utf-16" or "(encoding overrides)" in told[0]
    named = read_table(tmp_path / "t.csv", encoding=encoding)
    assert named["name"][1] == "Müller und Söhne"
    with pytest.raises(StudyError, match=r"not ascii text.*\nHint"):
        read_table(tmp_path / "t.csv", encoding="ascii")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2\n3\n", r"line 3 has 1 field, the header has 2 \(after column 'a'\)"),
        (b"a,b\n1,2\n3,4,5\n", "line 3 has 3 fields, the header has 2"),
        (b'a,b\n"x\ny",1\nz\n', "line 4 has 1 field"),
        (b"a,b,a\n1,2,3\n", "names column 3 'a', like column 1"),
        (b"a,b\n" + b"1,2\n" * 100 + b"1,abc\n", r"line 102, column 2 \('b'\): 'abc' is not a number"),
        (b"a,b\n", "no rows"),
        (b"", "is empty"),
        (b"\n\n", "has no content"),
    ],
)
def test_defects_are_named_with_line_and_column(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(StudyError, match=message) as caught:
        read_table(tmp_path / "t.csv")
    assert "Hint:" in str(caught.value)


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.xlsx", "t.jsonl"])
def test_damaged_files_of_other_kinds(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"\x00 no such thing")
    with pytest.raises(StudyError, match=f"Cannot read '{name}'"):
        read_table(tmp_path / name)


def test_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    connection = sqlite3.connect(path)
    connection.execute("create table sales (size real, color text)")
    connection.executemany("insert into sales values (?, ?)", SMALL.rows())
    connection.commit()
    connection.close()
    assert read_query("select * from sales", str(path)).equals(SMALL)
    assert read_query("select * from sales", f"sqlite:///{path}").equals(SMALL)
    with pytest.raises(StudyError, match="no such table: unknown"):
        read_query("select * from unknown", str(path))
    with pytest.raises(StudyError, match="gives no rows"):
        read_query("select * from sales where size > 9", str(path))
    with pytest.raises(StudyError, match="readonly"):
        read_query("delete from sales", str(path))
    with pytest.raises(StudyError, match="there is no file"):
        read_query("select 1", str(tmp_path / "none.db"))
    with pytest.raises(StudyError, match="needs a database"):
        read_query("select 1", None)


def test_the_password_of_a_database_is_not_repeated() -> None:
    with pytest.raises(StudyError) as caught:
        read_query("select 1", "postgresql://me:secret@localhost/x")
    assert "secret" not in str(caught.value)
