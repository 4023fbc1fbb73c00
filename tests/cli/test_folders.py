"""Folders of tables: predicted file by file, certified as the one table that they are."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from certus.cli import folders
from tests.cli.conftest import Run, people


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """Three files of three formats, one in a folder below; and what does not count."""
    folder = tmp_path / "tables"
    (folder / "late").mkdir(parents=True)
    people(40, 1).write_csv(folder / "a.csv")
    people(30, 2).write_parquet(folder / "b.parquet")
    people(20, 3).write_ndjson(folder / "late" / "c.jsonl")
    (folder / ".hidden.csv").write_text("x\n1\n")
    (folder / "notes.pdf").write_bytes(b"%PDF")
    return folder


def whole(tables: Path, tmp_path: Path) -> Path:
    path = tmp_path / "whole.csv"
    pl.concat(
        [
            pl.read_csv(tables / "a.csv", schema_overrides={"town": pl.String}),
            pl.read_parquet(tables / "b.parquet"),
            pl.read_ndjson(tables / "late" / "c.jsonl"),
        ]
    ).write_csv(path)
    return path


def test_predictions_of_a_folder_are_those_of_its_files(model: Path, tables: Path, tmp_path: Path) -> None:
    output = tmp_path / "predictions"
    told = Run("predict", model, tables, "-o", output, "--json").json
    assert told == {"model": str(model), "files": 3, "rows": 90, "output": str(output)}
    found = [
        pl.read_csv(output / "a.csv"),
        pl.read_parquet(output / "b.parquet"),
        pl.read_ndjson(output / "late" / "c.jsonl"),
    ]
    for frame, name in zip(found, ("a.csv", "b.parquet", "late/c.jsonl"), strict=True):
        alone = Run("predict", model, tables / name, "--json").json["predictions"]
        assert frame["prediction"].to_list() == [row["prediction"] for row in alone]


def test_an_interrupted_folder_goes_on_where_it_stopped(
    model: Path, tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "predictions"
    (tables / "b.parquet").write_bytes(b"PAR1 damaged")
    broken = Run("predict", model, tables, "-o", output)
    assert broken.code == 2
    assert "b.parquet" in broken.err
    assert sorted(path.name for path in output.glob("*.*")) == [folders.RECORD, "a.csv"]
    people(30, 2).write_parquet(tables / "b.parquet")
    written: list[Path] = []
    write = folders.write_pieces
    monkeypatch.setattr(folders, "write_pieces", lambda pieces, path: (written.append(path), write(pieces, path))[1])
    assert Run("predict", model, tables, "-o", output, "--json").json["rows"] == 90
    assert [path.name for path in written] == ["b.parquet", "c.jsonl"]
    people(41, 4).write_csv(tables / "a.csv")  # a table that changed is predicted again
    assert Run("predict", model, tables, "-o", output, "--json").json["rows"] == 91
    assert [path.name for path in written[2:]] == ["a.csv"]


def test_a_folder_of_predictions_belongs_to_one_model(model: Path, tables: Path, tmp_path: Path) -> None:
    output = tmp_path / "predictions"
    assert Run("predict", model, tables, "-o", output).code == 0
    other = Run("predict", model, tables, "-o", output, "--key", "age")
    assert other.code == 2
    assert "predictions of another model, or with other columns" in other.err
    (output / folders.RECORD).write_text('{"files": 3}')
    damaged = Run("predict", model, tables, "-o", output)
    assert damaged.code == 2
    assert "is damaged" in damaged.err


def test_wrong_folders(model: Path, tables: Path, tmp_path: Path) -> None:
    assert "--output must name a folder" in Run("predict", model, tables).err
    assert "outside the tables' own" in Run("predict", model, tables, "-o", tables / "out").err
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "holds no table" in Run("predict", model, empty, "-o", tmp_path / "out").err
    bare = Run("certify", tables, "--target", "rich", "--prediction", "rich")
    assert bare.code == 2
    assert "--prediction needs one table" in bare.err
    unknown = Run("certify", tables, "--target", "poor", "--model", model)
    assert "a.csv: --target: the table has no column 'poor'" in unknown.err


def test_certificates_of_a_folder_are_those_of_the_whole_table(model: Path, tables: Path, tmp_path: Path) -> None:
    asked = ("--target", "rich", "--model", model, "--json")
    one = Run("certify", whole(tables, tmp_path), *asked, "--looks", tmp_path / "one.db").json
    many = Run("certify", tables, *asked, "--looks", tmp_path / "many.db").json
    assert many == one
    assert many["rows"] == 90


def test_looks_at_a_folder_count_for_its_files(model: Path, tables: Path, tmp_path: Path) -> None:
    looks = ("--looks", tmp_path / "looks.db", "--json")
    assert Run("certify", tables, "--target", "rich", "--model", model, *looks).json["look"]["number"] == 1
    again = Run("certify", tables / "a.csv", "--target", "rich", "--prediction", "rich", *looks).json
    assert again["look"]["number"] == 2
