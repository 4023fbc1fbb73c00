"""``certus monitor``: counts every row once, survives a kill, and says what it found."""

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
from typer.testing import CliRunner

import certus
from certus.cli.app import app
from tests.cli.conftest import Run

REFERENCE = ("--errors", 50, "--of-rows", 1000)
LABELS = ("--truth", "y", "--prediction", "p")


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    """1500 rows; from row 1001 on the predictions are wrong three times as often as in the reference."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1500)
    wrong = rng.random(1500) < np.where(np.arange(1500) < 1000, 0.05, 0.2)
    loss = rng.beta(1, 9, 1500) + 0.3 * (np.arange(1500) >= 1000)
    pl.DataFrame({"id": np.arange(1500), "y": y, "p": np.where(wrong, 1 - y, y), "loss": loss}).write_csv(
        tmp_path / "stream.csv"
    )
    return tmp_path / "stream.csv"


def first(stream: Path, rows: int) -> Path:
    """The stream as it was when it had so many rows."""
    path = stream.with_name(f"first-{rows}.csv")
    path.write_text("\n".join(stream.read_text().splitlines()[: rows + 1]) + "\n")
    return path


def monitored(stream: Path) -> certus.guarantees.Monitor:
    table = pl.read_csv(stream)
    return certus.monitor(errors=50, rows=1000).update(table["y"].to_numpy(), table["p"].to_numpy())


def test_quiet_then_alarm(stream: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    quiet = Run("monitor", first(stream, 900), *LABELS, "--state", state, *REFERENCE)
    assert quiet.code == 0
    assert "No alarm after 900 rows" in quiet.out
    loud = Run("monitor", stream, *LABELS, "--state", state)
    expected = monitored(stream)
    assert loud.code == 1
    assert loud.out.startswith(f"ALARM at row {expected.alarm_row:,}".replace(",", " "))
    assert "\nvoid: " in loud.out
    assert "\nstands: " in loud.out
    assert "600 new rows, 1500 in all" in loud.err
    again = Run("monitor", stream, *LABELS, "--state", state, "--json")
    assert again.code == 1
    assert again.json["rows_new"] == 0
    assert again.json == {"rows_new": 0, **expected.summary()}


def test_same_command_may_be_repeated_with_its_reference(stream: Path, tmp_path: Path) -> None:
    common = (
        "monitor",
        stream,
        *LABELS,
        "--state",
        tmp_path / "state.json",
        "--reference",
        first(stream, 800),
        "--json",
    )
    once, twice = Run(*common), Run(*common)
    assert (once.json["rows_new"], twice.json["rows_new"]) == (1500, 0)
    assert once.json["certificates"] == twice.json["certificates"]


def test_standard_input_and_only_new_rows(stream: Path, tmp_path: Path) -> None:
    state, lines = tmp_path / "state.json", stream.read_text().splitlines()
    for start in range(0, 1500, 500):
        text = "\n".join([lines[0], *lines[start + 1 : start + 501]]) + "\n"
        arguments = ["monitor", "-", *LABELS, "--state", str(state), "--only-new", "--every", "70"]
        arguments += [str(part) for part in REFERENCE] if start == 0 else []
        result = CliRunner().invoke(app, arguments, input=text, prog_name="certus")
    assert result.exit_code == 1
    record = json.loads(state.read_text())
    assert record["rows"] == 1500
    assert record["monitor"]["alarm"] == monitored(stream).alarm.to_dict()


def test_losses_and_a_loss_outside_the_range(stream: Path, tmp_path: Path) -> None:
    common = ("monitor", stream, "--loss-column", "loss", "--reference", first(stream, 700), "--json")
    fine = Run(*common, "--state", tmp_path / "a.json", "--high", 2, "--coverage", 0.9)
    assert fine.code == 1
    assert 1000 < fine.json["alarm_row"] < 1200
    assert any(item["rule"] == "adaptive-conformal" for item in fine.json["certificates"])
    narrow = Run(*common, "--state", tmp_path / "b.json", "--high", 0.75, "--coverage", 0.9)
    assert "outside the declared range [0, 0.75]" in narrow.json["void"]
    assert narrow.json["rows"] == 1500
    assert any(item["rule"] == "adaptive-conformal" for item in narrow.json["certificates"])
    text = Run("monitor", stream, "--loss-column", "loss", "--state", tmp_path / "b.json")
    assert "VOID: " in text.out


def test_numbers_as_predictions(stream: Path, tmp_path: Path) -> None:
    columns = ("--truth", "y", "--prediction", "loss", "--loss", "absolute", "--high", 2)
    run = Run("monitor", stream, *columns, "--state", tmp_path / "s.json", "--threshold", 0.9, "--json")
    assert run.code == 0
    table = pl.read_csv(stream)
    assert run.json["mean"] == pytest.approx((table["y"] - table["loss"]).abs().mean())


def test_a_model_brings_its_certificates(stream: Path, tmp_path: Path, model: Path) -> None:
    run = Run("monitor", stream, *LABELS, "--state", tmp_path / "s.json", *REFERENCE, "--model", model, "--json")
    promised = [item.to_dict() for item in certus.load(model).report_]
    assert promised
    assert all(item in [entry["certificate"] for entry in run.json["voided"]] for item in promised)


def test_labels_are_compared_as_numbers_or_text(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("y,p\n1,1.0\nyes,yes\nno,yes\n0,1\n\n1,")
    arguments = ("monitor", tmp_path / "rows.csv", *LABELS, "--state", tmp_path / "s.json", *REFERENCE, "--json")
    refused = Run(*arguments)
    assert refused.code == 2
    assert "row 5: column 'p' is empty" in refused.err
    (tmp_path / "rows.csv").write_text("y,p\n1,1.0\nyes,yes\nno,yes\n0,1\n\n1")
    assert Run(*arguments).json["mean"] == 0.5  # the last row is still being written


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--target and --prediction must be given, or --loss-column alone"),
        (LABELS, "a reference is needed"),
        (("--truth", "no", "--prediction", "p", *REFERENCE), "no column 'no'"),
        ((*LABELS, "--errors", 5), "rows must be a whole number"),
        ((*LABELS, "--threshold", 0.1, *REFERENCE), "exactly one of y, y_true, losses, errors and threshold"),
        (("--loss-column", "loss", "--threshold", 0.1), "--range must be a pair"),
        (("--loss-column", "id", "--high", 1, "--reference", "missing.csv"), "missing.csv"),
    ],
)
def test_wrong_use(stream: Path, tmp_path: Path, arguments: tuple, message: str) -> None:
    run = Run("monitor", stream, "--state", tmp_path / "s.json", *arguments)
    assert run.code == 2
    assert message in run.err
    assert not (tmp_path / "s.json").exists()


def test_other_rows_or_settings_than_the_state_are_refused(stream: Path, tmp_path: Path) -> None:
    state = tmp_path / "s.json"
    Run("monitor", stream, *LABELS, "--state", state, *REFERENCE)
    before = state.read_bytes()
    changed = tmp_path / "changed.csv"
    changed.write_text(stream.read_text().replace("\n7,", "\n7,1"))
    for arguments, message in [
        ((changed, *LABELS), "are not those that were counted"),
        ((first(stream, 20), *LABELS), "the input has 20 rows, but 1500 are counted already"),
        ((stream, *LABELS, "--errors", 51, "--of-rows", 1000), "other settings"),
        ((stream, "--loss-column", "loss"), "reads the columns y, p"),
    ]:
        run = Run("monitor", *arguments, "--state", state)
        assert run.code == 2
        assert message in run.err
    assert state.read_bytes() == before
    state.write_bytes(before[:-20])
    assert "not the state of a monitor" in Run("monitor", stream, *LABELS, "--state", state).err


def test_a_bad_row_keeps_what_was_counted_before(stream: Path, tmp_path: Path) -> None:
    broken, state = tmp_path / "broken.csv", tmp_path / "s.json"
    broken.write_text(first(stream, 200).read_text() + "200,,1,0.5\n")
    run = Run("monitor", broken, *LABELS, "--state", state, *REFERENCE, "--every", 50)
    assert run.code == 2
    assert "row 201: column 'y' is empty" in run.err
    assert json.loads(state.read_text())["rows"] == 200
    assert Run("monitor", stream, *LABELS, "--state", state, "--json").json == {
        "rows_new": 1300,
        **monitored(stream).summary(),
    }


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_survives_kill_minus_nine_without_counting_twice(stream: Path, tmp_path: Path) -> None:
    state = tmp_path / "s.json"
    command = [sys.executable, "-m", "certus", "monitor", "-", *LABELS, "--state", str(state), "--every", "40"]
    process = subprocess.Popen(
        [*command, *map(str, REFERENCE)], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    process.stdin.write("\n".join(stream.read_text().splitlines()[:900]) + "\n")
    process.stdin.flush()
    patience = time.monotonic() + 60
    while not state.exists() and time.monotonic() < patience:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)  # it still waits for more rows
    process.wait()
    process.stdin.close()
    counted = json.loads(state.read_text())["rows"]
    assert 0 < counted < 900
    assert counted % 40 == 0
    run = Run("monitor", stream, *LABELS, "--state", state, "--json")
    assert run.json == {"rows_new": 1500 - counted, **monitored(stream).summary()}


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_other_separators_and_decimal_commas(separator: str, tmp_path: Path) -> None:
    lines = [separator.join(("id", "loss")), *(separator.join((str(row), "0,25")) for row in range(50))]
    (tmp_path / "stream.csv").write_text("\n".join(lines) + "\n")
    told = Run(
        *("monitor", tmp_path / "stream.csv", "--state", tmp_path / "state", "--loss-column", "loss"),
        *("--range", 0, 1, "--threshold", 0.5, "--json"),
    )
    assert told.code == 0, told.err
    assert told.json["mean"] == 0.25
