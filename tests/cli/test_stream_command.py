"""``certus stream``: learns every row once, survives a kill to the bit, and says what it promises."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import certus
from tests.cli.conftest import Run


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    """900 rows with numbers, texts, empty cells, and a text where numbers are usual."""
    rng = np.random.default_rng(0)
    X, color = rng.normal(size=(900, 3)) * [1, 100, 0.01], rng.choice(["red", "blue"], 900)
    y = np.where(X[:, 0] + X[:, 1] / 100 + (color == "red") > 0.5, "yes", "no")
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "color": color, "y": y, "z": 3 * X[:, 0] + 1})
    frame = frame.with_columns(pl.col("a", "b", "c", "z").cast(pl.String))
    frame[5, "b"], frame[7, "color"], frame[300, "c"] = None, None, "broken sensor"
    frame.write_csv(tmp_path / "stream.csv")
    return tmp_path / "stream.csv"


def arrays(path: Path) -> tuple[np.ndarray, ...]:
    progress = certus.load(path)
    state = progress.table.model.state_
    return state.vectors, state.numbers, state.matrix, progress.table.moments.sums, np.array([progress.loss])


def same(one: Path, other: Path) -> None:
    for left, right in zip(arrays(one), arrays(other), strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("learner", ["logistic", "perceptron", "pa", "winnow"])
def test_labels_are_learned_and_accounted_for(stream: Path, tmp_path: Path, learner: str) -> None:
    told = tmp_path / "told.csv"
    run = Run("stream", stream, "--target", "y", "--learner", learner, "--predictions", told, "--json")
    assert run.code == 0, run.err
    keys = "rows learned bad_rows bad learner loss mean_loss interval mistakes regret bound seconds certificates"
    assert set(run.json) == set(keys.split())
    assert (run.json["rows"], run.json["learned"], run.json["bad_rows"]) == (900, 900, 0)
    truth, played = pl.read_csv(stream, infer_schema=False)["y"], pl.read_csv(told)["prediction"]
    assert run.json["mistakes"] == run.json["loss"] == (truth != played.fill_null("")).sum()
    assert run.json["interval"][0] <= run.json["mean_loss"] <= run.json["interval"][1]
    assert run.json["mean_loss"] < 0.25
    assert all(certus.Certificate.from_dict(item).check() for item in run.json["certificates"])


@pytest.mark.parametrize("learner", ["square", "vaw"])
def test_numbers_are_learned(stream: Path, learner: str) -> None:
    run = Run("stream", stream, "--target", "z", "--learner", learner, "--json")
    assert run.code == 0
    assert run.json["mean_loss"] < 3.0
    assert run.json["mistakes"] is None
    assert run.json["interval"] is None
    assert run.json["regret"] <= run.json["bound"]
    text = Run("stream", stream, "--target", "z", "--learner", learner)
    assert "mean squared error" in text.out


def test_pieces_a_growing_file_and_new_rows_end_at_the_same_bits(stream: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    assert Run("stream", stream, "--target", "y", "--state", whole, "--every", 900).code == 0
    lines = stream.read_text().splitlines(keepends=True)
    growing, state = tmp_path / "growing.csv", tmp_path / "state"
    for end in (1, 4, 400, 901):
        growing.write_text("".join(lines[:end]))
        assert Run("stream", growing, "--target", "y", "--state", state, "--every", 7).code == 0
    same(whole, state)
    new = tmp_path / "new"
    for start, end in ((1, 100), (100, 901)):
        text = "".join([lines[0], *lines[start:end]])
        run = Run("stream", "-", "--target", "y", "--state", new, "--only-new", stdin=text)
        assert run.code == 0, run.err
    same(whole, new)
    assert Run("stream", stream, "--target", "y", "--state", whole, "--json").json["rows"] == 900


def test_json_lines_learn_what_the_table_teaches(stream: Path, tmp_path: Path) -> None:
    rows = pl.read_csv(stream, infer_schema=False).to_dicts()
    numbers = [
        {k: float(v) if k in "abcz" and v and v != "broken sensor" else v for k, v in row.items()} for row in rows
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, numbers)) + "\n")
    for name, source in (("csv", stream), ("json", tmp_path / "rows.jsonl")):
        assert Run("stream", source, "--target", "y", "--state", tmp_path / name).code == 0
    one, other = certus.load(tmp_path / "csv"), certus.load(tmp_path / "json")
    assert one.table.model.names_ == other.table.model.names_
    assert one.loss == other.loss
    np.testing.assert_allclose(one.table.model.coef_, other.table.model.coef_, rtol=1e-9)


def test_the_model_predicts(stream: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.certus"
    assert Run("stream", stream, "--target", "y", "--model", model).code == 0
    loaded = certus.load(model)
    frame = pl.read_csv(stream, infer_schema=False)
    assert (loaded.predict(frame) == frame["y"].to_numpy()).mean() > 0.9
    stream.write_text(stream.read_text().replace("broken sensor", ""))
    predicted = Run("predict", model, stream)
    assert predicted.code == 0, predicted.err
    assert predicted.out.splitlines()[0] == "prediction"
    assert len(predicted.out.splitlines()) == 901


def broken(stream: Path, row: int, line: str) -> Path:
    lines = stream.read_text().splitlines()
    lines[row] = line
    stream.write_text("\n".join(lines) + "\n")
    return stream


BAD = [
    ("1,2,3", r"row 500: has 3 fields, the first line has 6; the first without a value is 'color'"),
    ("1,2,3,red,,5", r"row 500: column 'y' is empty"),
    ("1,2,3,red,yes,5,6", r"row 500: has 7 fields, the first line has 6"),
]


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_bad_row_stops_or_is_passed_over(stream: Path, tmp_path: Path, line: str, message: str) -> None:
    broken(stream, 500, line)
    state, told = tmp_path / "state", tmp_path / "told.csv"
    run = Run("stream", stream, "--target", "y", "--state", state, "--predictions", told)
    assert run.code == 2
    assert message in run.err
    assert "Hint:" in run.err
    assert certus.load(state).rows == 499
    assert len(pl.read_csv(told)) == 499
    run = Run(
        *("stream", stream, "--target", "y", "--state", state, "--predictions", told, "--on-bad-row", "skip", "--json")
    )
    assert run.code == 0, run.err
    assert (run.json["rows"], run.json["learned"], run.json["bad_rows"]) == (900, 899, 1)
    assert run.json["bad"] == [{"row": 500, "reason": message.removeprefix("row 500: ")}]
    assert pl.read_csv(told)["row"].to_list() == [row for row in range(1, 901) if row != 500]
    straight = tmp_path / "straight"
    Run("stream", stream, "--target", "y", "--state", straight, "--on-bad-row", "skip", "--every", 64)
    same(straight, state)


def test_numbers_that_are_none_and_cut_off_json(stream: Path, tmp_path: Path) -> None:
    broken(stream, 2, "1,2,3,red,yes,many")
    run = Run("stream", stream, "--target", "z", "--learner", "square")
    assert run.code == 2
    assert "row 2: column 'z' must hold a number up to 1e+50, got 'many'" in run.err
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"a": 1, "y": "u"}\n{"a": 2, "y": "v"}\n{"a": [1], "y": "v"}\n{"a": 3, "y')
    run = Run("stream", rows, "--target", "y", "--on-bad-row", "skip", "--json")
    assert run.json["bad"] == [
        {"row": 3, "reason": "field 'a' must hold a number or a text, got [1]"},
        {"row": 4, "reason": "is not complete JSON at character 10"},
    ]
    run = Run("stream", rows, "--target", "y", "--on-bad-row", "skip", "--state", tmp_path / "s", "--json")
    assert run.json["rows"] == 3  # the last one is still being written
    rows.write_text(rows.read_text() + '": "u"}\n')
    assert Run("stream", rows, "--target", "y", "--state", tmp_path / "s", "--json").json["learned"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--target", "missing"), "the input has no column 'missing'"),
        (("--target", "y", "--learner", "pa"), "learns 'y' with --learner logistic, not 'y' with pa"),
    ],
)
def test_wrong_use(stream: Path, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    state = tmp_path / "state"
    Run("stream", stream, "--target", "y", "--state", state)
    extra = ("--state", state) if "--learner" in arguments else ()
    run = Run("stream", stream, *arguments, *extra)
    assert run.code == 2
    assert message in run.err
    assert "Hint:" in run.err
    lines = stream.read_text().splitlines()
    stream.write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
    other = Run("stream", stream, "--target", "y", "--state", state)
    assert other.code == 2
    assert "the first 900 rows of the input are not those that were learned" in other.err
    state.write_text("{}")
    assert Run("stream", stream, "--target", "y", "--state", state).code == 2
    (tmp_path / "empty.csv").write_text("")
    assert "the input is empty" in Run("stream", tmp_path / "empty.csv", "--target", "y").err


def test_no_file_is_written_over_the_input(stream: Path, tmp_path: Path) -> None:
    before = stream.read_bytes()
    for option in ("--predictions", "--state", "--model"):
        run = Run("stream", stream, "--target", "y", option, stream)
        assert run.code == 2
        assert f"{option}: {stream} is given twice" in run.err
    same_file = tmp_path / "new"
    assert Run("stream", stream, "--target", "y", "--state", same_file, "--model", same_file).code == 2
    assert stream.read_bytes() == before


def test_line_ends_quotes_and_marks_of_tables(tmp_path: Path) -> None:
    text = '\ufeffa;note;y\r\n1;"two\r\nlines; and ""quotes""";u\r\n\r\n2;plain;v\r\n3;;u\r\n'
    (tmp_path / "t.csv").write_bytes(text.encode())
    run = Run("stream", tmp_path / "t.csv", "--target", "y", "--state", tmp_path / "s", "--json")
    assert run.code == 0, run.err
    assert (run.json["rows"], run.json["learned"]) == (3, 3)
    names = certus.load(tmp_path / "s").table.model.names_
    assert set(names) == {"a", 'note=two\r\nlines; and "quotes"', "note=plain"}
    (tmp_path / "header.csv").write_text("a,y\n")
    run = Run("stream", tmp_path / "header.csv", "--target", "y", "--json")
    assert (run.code, run.json["rows"], run.json["mean_loss"]) == (0, 0, None)
    (tmp_path / "latin.csv").write_bytes(b"a,y\nM\xfcller,u\n")
    run = Run("stream", tmp_path / "latin.csv", "--target", "y")
    assert (run.code, "row 1: is not UTF-8 at byte 2" in run.err) == (2, True)


def test_a_killed_run_is_continued_to_the_bit(stream: Path, tmp_path: Path) -> None:
    state, told = tmp_path / "state", tmp_path / "told.csv"
    line = [sys.executable, "-m", "certus", "stream", "-", "--target", "y", "--state", str(state), "--every", "40"]
    child = subprocess.Popen([*line, "--predictions", str(told)], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert child.stdin is not None
    lines = stream.read_bytes().splitlines(keepends=True)
    child.stdin.write(b"".join(lines[:500]))
    child.stdin.flush()
    deadline = time.monotonic() + 60
    while not state.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdin.close()
    learned = certus.load(state).rows
    assert 0 < learned < 500
    assert learned % 40 == 0
    with told.open("ab") as half:  # what a kill may leave behind
        half.write(b"9999,y")
    for path, extra in ((state, ("--predictions", told)), (tmp_path / "straight", ())):
        assert Run("stream", stream, "--target", "y", "--state", path, "--every", 40, *extra).code == 0
    same(state, tmp_path / "straight")
    assert certus.load(state).sequence == certus.load(tmp_path / "straight").sequence
    assert pl.read_csv(told)["row"].to_list() == list(range(1, 901))


def test_a_quote_inside_a_cell_is_a_letter(tmp_path: Path) -> None:
    (tmp_path / "inches.csv").write_text('name,v,y\n5" disk,1,a\nx,2,b\ny,3,a\nz,4,b\n')
    assert Run("stream", tmp_path / "inches.csv", "--target", "y", "--json").json["rows"] == 4


ODD_ROWS = [b"1\r2,red,a\n", b"7," + b"z" * 200_000 + b",a\n", b"3,\x1c,a\n", b"3,\x00,a\n", b"Infinity, -nan ,b\n"]


@pytest.mark.parametrize("odd", ODD_ROWS, ids=["return", "huge", "separator", "nul", "infinite"])
def test_what_a_row_teaches_does_not_depend_on_its_neighbors(tmp_path: Path, odd: bytes) -> None:
    """A quote anywhere in a piece makes the whole piece be read by the careful way."""
    body = b"".join(b"%d,%s,%s\n" % (i, b"red" if i % 3 else b"blue", b"a" if i % 2 else b"b") for i in range(30))
    for name, every in (("together", 100), ("alone", 1)):
        (tmp_path / name).write_bytes(b"n,c,y\n" + odd + body + b'3,"red",a\n')
        run = Run("stream", tmp_path / name, "--target", "y", "--state", tmp_path / f"{name}.s", "--every", every)
        assert run.code == 0, run.err
    same(tmp_path / "together.s", tmp_path / "alone.s")
    known = certus.load(tmp_path / "alone.s").table.model.names_
    assert not any("nan" in name or "Infinity" in name for name in known)


def test_marks_halves_and_numbers_that_nobody_can_read(tmp_path: Path) -> None:
    rows = [
        b'\xef\xbb\xbf{"n": 1, "y": "a"}',
        b'{"n": "\\ud800", "y": "b"}',
        b'{"n": 1' + b"0" * 5000 + b', "y": "b"}',
        b'{"n": ' + b"[" * 100_000 + b', "y": "b"}',
        b'{"n": Infinity, "y": "b"}',
        b'{"n": 2, "y": "a"',
    ]
    (tmp_path / "odd.jsonl").write_bytes(b"\n".join(rows))
    run = Run("stream", tmp_path / "odd.jsonl", "--target", "y", "--on-bad-row", "skip", "--json")
    assert (run.code, run.json["learned"]) == (0, 2), run.err
    assert [bad["row"] for bad in run.json["bad"]] == [2, 3, 4, 6]
    (tmp_path / "wide.csv").write_bytes("n,y\n1,a\n".encode("utf-16"))
    run = Run("stream", tmp_path / "wide.csv", "--target", "y")
    assert (run.code, "the first line is not UTF-8 at byte 1" in run.err) == (2, True)
    (tmp_path / "large.csv").write_text("n,y\n1,2\n2,1e60\n3,4\n")
    run = Run("stream", tmp_path / "large.csv", "--target", "y", "--learner", "square")
    assert (run.code, "row 2: column 'y' must hold a number up to 1e+50, got '1e60'" in run.err) == (2, True)
    run = Run("stream", tmp_path / "large.csv", "--target", "y", "--learner", "vaw", "--on-bad-row", "skip", "--json")
    assert (run.code, run.json["learned"], run.json["bad_rows"]) == (0, 2, 1)
