"""What holds for every command: exit codes, streams, no tracebacks, no colors where they are not wanted."""

from __future__ import annotations

import importlib
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import certus
from certus.cli.app import COMMANDS
from certus.cli.failures import describe
from tests.cli.conftest import Run

MAIN = "from certus.cli.app import main; main()"


def process(*arguments: object, code: str = MAIN, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]


def test_help_and_version() -> None:
    run = Run("--help")
    assert run.code == 0
    for name in COMMANDS:
        assert f"  {name} " in run.out
    assert "Exit codes" in run.out
    assert Run("--version").out == f"certus {certus.__version__}\n"


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"study", "network"}))
def test_every_command_has_a_module_and_help(name: str) -> None:
    assert callable(importlib.import_module(f"certus.cli.commands.{name}").command)
    run = Run(name, "--help")
    assert run.code == 0
    assert "--json" in run.out


def test_wrong_use_is_exit_2_on_stderr() -> None:
    for arguments in (
        ["lerners"],
        ["info"],
        ["plan"],
        ["plan", "--error", "much"],
        ["learners", "--task", "cooking"],
    ):
        run = Run(*arguments)
        assert run.code == 2, arguments
        assert run.out == ""
        assert "Usage: certus" in run.err
    assert "Did you mean 'learners'?" in Run("lerners").err


def test_bad_input_is_one_message_and_exit_2(tmp_path: Path, predictions: Path) -> None:
    run = Run("info", tmp_path / "nowhere.certus")
    assert run.code == 2
    assert run.err == f"certus: {tmp_path / 'nowhere.certus'}: No such file or directory\n"
    (tmp_path / "broken.certus").write_bytes(b"PK\x03\x04 not really")
    run = Run("check", tmp_path / "broken.certus", "--json")
    assert (run.code, run.out) == (2, "")
    assert "the file is damaged or incomplete" in run.err
    run = Run("certify", predictions, "--truth", "why", "--prediction", "a")
    assert run.code == 2
    assert "--target: the table has no column 'why'.\nHint: it has 'y', 'a'" in run.err


def test_surprises_are_named_and_debug_shows_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    code = f"""
import certus.cli.commands.info as info
def command() -> None:
    raise ZeroDivisionError("in the middle\\nof nowhere")
info.command = command
{MAIN}
"""
    done = process("info", code=code)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(
        "certus: something went wrong that should not have (ZeroDivisionError: in the middle)"
    )
    assert "Traceback" not in done.stderr
    debug = process("info", code=code, env={**os.environ, "CERTUS_DEBUG": "1"})
    assert debug.returncode == 2
    assert "Traceback" in debug.stderr


def test_commands_that_cannot_be_imported_give_no_traceback() -> None:
    done = process("later", code=f"import certus.cli.app as app\napp.COMMANDS['later'] = 'Not there yet.'\n{MAIN}")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "certus.cli.commands.later" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_interrupt_is_quiet_and_exits_130() -> None:
    code = f"""
import time
import certus.cli.commands.info as info
def command() -> None:
    print("started", flush=True)
    time.sleep(60)
info.command = command
{MAIN}
"""
    child = subprocess.Popen(
        [sys.executable, "-c", code, "info"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "started\n"
    begin = time.monotonic()
    child.send_signal(signal.SIGINT)
    _out, err = child.communicate(timeout=20)
    assert child.returncode == 130
    assert err == ""
    assert time.monotonic() - begin < 5


def test_a_reader_that_has_gone_is_no_error(predictions: Path) -> None:
    code = f"""
import certus.cli.commands.info as info
def command() -> None:
    for _ in range(100_000):
        print("a line")
info.command = command
{MAIN}
"""
    child = subprocess.Popen([sys.executable, "-c", code, "info"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.readline()
    child.stdout.close()
    assert child.wait(timeout=20) == 141
    assert child.stderr.read() == b""
    child.stderr.close()


@pytest.mark.skipif(sys.platform == "win32", reason="terminals")
@pytest.mark.parametrize("no_color", [False, True])
def test_no_color_is_obeyed_on_a_terminal(no_color: bool) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"TERM": "xterm-256color"}
    if no_color:
        environment["NO_COLOR"] = "1"
    code = (
        "from certus.cli.output import print_table\n"
        "from rich.text import Text\n"
        "print_table(('name',), [('[red]text[/red]',)], title='title')"
    )
    parent, terminal = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", code], stdout=terminal, env=environment) as child:
        child.wait(timeout=30)
    os.close(terminal)
    shown = os.read(parent, 100_000)
    os.close(parent)
    assert b"[red]text[/red]" in shown  # what users wrote is not taken for markup
    assert b"\x1b[1m" in shown  # bold: it was taken for a terminal
    if no_color:
        assert not re.search(rb"\x1b\[(?:\d+;)*(?:3\d|4\d|9\d)[;m]", shown)


def test_descriptions_of_errors() -> None:
    assert describe(ValueError("one.\nHint: two.")) == "one.\nHint: two."
    assert describe(FileNotFoundError(2, "No such file or directory", "x.csv")) == "x.csv: No such file or directory"
    assert "RuntimeError).\nHint: CERTUS_DEBUG=1" in describe(RuntimeError())


def test_closed_streams_and_full_disks(tmp_path: Path) -> None:
    closed = subprocess.run(
        f"{sys.executable} -m certus plan --error 0.1 >&-", shell=True, capture_output=True, text=True, check=False
    )
    assert (closed.returncode, closed.stderr) == (0, "")
    told = describe(sqlite3.OperationalError("database or disk is full"))
    assert told == "cannot write a file of the study: database or disk is full."


def test_interrupted_while_importing() -> None:
    code = """
import sys, types
module = types.ModuleType("certus.cli.app")
def stop(name):
    raise KeyboardInterrupt
module.__getattr__ = stop
sys.modules["certus.cli.app"] = module
from certus.__main__ import main
main()
"""
    run = process(code=code)
    assert (run.returncode, run.stderr) == (130, "")
