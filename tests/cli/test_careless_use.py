"""What careless people type: nothing of theirs is lost, and the message is about the first thing that is wrong."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import certus
from certus.tables import read_chunks, read_table
from certus.workflow import study
from tests.cli.conftest import Run, people


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    people(200, 0).write_csv(tmp_path / "people.csv")
    return tmp_path / "people.csv"


def test_no_command_writes_over_what_it_reads(table: Path, model: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in (table, model)}
    (tmp_path / "link.csv").symlink_to(table)
    held_out = tmp_path / "held-out.csv"
    people(100, 9).write_csv(held_out)
    calibrated = ("conformal", held_out, "--target", "rich", "--model", model, "--apply", table)
    for call in (
        ("predict", model, table, "-o", table),
        ("predict", model, table, "-o", tmp_path / "link.csv"),
        (*calibrated, "-o", table),
        (*calibrated, "-o", held_out),
        ("study", table, "--target", "rich", "--audit-rows", table),
        ("study", table, "--target", "rich", "--test", held_out, "--audit-rows", held_out),
    ):
        refused = Run(*call)
        assert refused.code == 2, call
        assert "must not be a" in refused.err
    assert {path: path.read_bytes() for path in before} == before
    assert held_out.read_bytes() == people(100, 9).write_csv().encode()


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["--time", "0"], "--time must be a positive number of seconds, got 0"),
        (["--seed", "-1"], "--seed must be a whole number of at least 0, got -1"),
        (["--threads", "0"], "--threads must be a number of cores, or negative to count from all of them, got 0"),
        (["--range", "1", "0"], "--range must be two numbers, the lower one first, got (1.0, 0.0)"),
        (["--cost", "a as b=x"], "Hint: the true label, the predicted label, and the price of that mistake."),
    ],
)
def test_wrong_options_are_told_before_what_is_in_the_folder(typed: list[str], message: str, table: Path) -> None:
    (table.parent / "people-study").mkdir()
    (table.parent / "people-study" / "study.json").write_text("{}")
    refused = Run("study", table, "--target", "rich", *typed)
    assert refused.code == 2
    assert message in refused.err
    assert "There is no file 'missing.csv'" in Run("study", "missing.csv", "--out", "people-study").err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "Rich "}, "did you mean 'rich'?"),
        ({"target": "rich", "drop": ["rich"]}, "drop must not name the target, got 'rich'"),
        ({"target": "rich", "keep": ["rich"]}, "keep must not name the target, got 'rich'"),
        ({"target": "rich", "encoding": "klingon"}, "there is no encoding 'klingon'"),
        ({"target": "rich", "test": "people.csv"}, "test must hold rows that the table does not have, got 200 of 200"),
    ],
)
def test_options_that_do_not_fit_the_table(options: dict[str, Any], message: str, table: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        study(table, **options)


def test_own_test_rows_that_are_equal_by_chance_are_tested(table: Path) -> None:
    """Few discrete columns repeat rows: to leave those out would certify the model on rows unlike the others."""
    rng = np.random.default_rng(0)
    made = [pl.DataFrame({"a": rng.integers(0, 2, n), "b": rng.integers(0, 3, n)}) for n in (200, 80)]
    given, own = (one.with_columns(y=(pl.col("a") == 1) ^ pl.Series(rng.random(one.height) < 0.1)) for one in made)
    result = study(given, target="y", test=own, families=["bayes"], trials=1, threads=1)
    assert len(result.split.test) == own.height
    assert not any("copies" in note for note in result.notes)


PLAIN = b"size,name\n1.5,red\n2.5,blue\n"


def test_texts_of_other_machines(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes(PLAIN.replace(b"\n", b"\r"))
    assert read_table(tmp_path / "old.csv")["size"].to_list() == [1.5, 2.5]
    (piece,) = read_chunks(tmp_path / "old.csv", {"size": "number", "name": "category"})
    assert piece["size"].to_list() == [1.5, 2.5]
    long = "w " * 100_000
    (tmp_path / "long.csv").write_text(f"size,name\n1.5,{long}\n2.5,b\n")
    assert read_table(tmp_path / "long.csv")["name"][0] == long


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("cut.csv.gz", gzip.compress(PLAIN * 99, mtime=0)[:-9], "the packed file 'cut.csv.gz' is cut off or damaged"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n\x8d\x81\x90" + bytes(range(128, 160)) * 9, "it is no text: byte 0x"),
    ],
)
def test_files_that_are_no_tables(name: str, content: bytes, message: str, tmp_path: Path, model: Path) -> None:
    (tmp_path / name).write_bytes(content)
    for call in (("study", tmp_path / name), ("predict", model, tmp_path / name)):
        refused = Run(*call)
        assert refused.code == 2
        assert message in refused.err


def test_a_fold_without_the_only_row_of_a_class(table: Path) -> None:
    rows = people(120, 0).with_columns(rich=pl.Series(["no"] * 119 + ["yes"]))
    result = study(rows, target="rich", families=["bayes"], trials=2, threads=1)
    assert result.verdict == "too-few-rows"
    assert not [trial for trial in result.trials if trial.failure]


def test_a_report_of_a_study_begins_with_the_error_and_ends_with_estimates(table: Path) -> None:
    rng = np.random.default_rng(0)
    noise = pl.DataFrame({"x": rng.normal(size=300), "y": rng.choice(["a", "b"], 300)})
    result = study(noise, target="y", families=["bayes"], trials=1, threads=1)
    kinds = [item.kind for item in result.certificates if not item.vacuous]
    assert kinds == sorted(kinds, key=lambda kind: kind == "estimate")
    assert str(result.certificate).count("confidence 95%") == 1


def test_equal_rows_asked_twice_count_once() -> None:
    rows = people(200, 0).with_columns(age=pl.Series(np.random.default_rng(0).normal(size=200)))
    result = study(rows, target="rich", families=["neighbors"], trials=1, threads=1)
    with pytest.raises(certus.TrainingRowsError, match="got 160 of 200 distinct rows"):
        certus.check(result.model, (rows.drop("rich"), rows["rich"].to_numpy()))


def test_a_study_that_was_killed_before_its_first_evaluation_is_resumed(table: Path) -> None:
    quick = ("study", table, "--target", "rich", "--families", "bayes", "--trials", "1", "--resume")
    assert "there is no study in 'people-study'" in Run(*quick).err
    (table.parent / "people-study").mkdir()
    assert Run(*quick).code == 0
    assert (table.parent / "people-study" / "study.json").is_file()
