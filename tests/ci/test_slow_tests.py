"""Which slow tests are run, in which order, and what happens when the time is over."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import ModuleType

import extra_tests
import passed
import pytest
import slow_tests
from passed import Pass
from slow_tests import Outcome

PASSES = {"svm": Pass("s", 100.0), "trees": Pass("t", 300.0), "linear": Pass("l", 50.0), "gone": Pass("g", 1.0)}


def test_changed_and_unknown_folders_are_unproven_and_the_longest_come_first() -> None:
    hashes = {"linear": "l", "svm": "changed", "trees": "changed", "new": "n"}
    assert slow_tests.unproven(hashes, PASSES) == ["new", "trees", "svm"]
    assert slow_tests.unproven(hashes, {}) == ["linear", "new", "svm", "trees"]


class Clock:
    """Time that passes only while folders are run."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.now = 1000.0
        self._seconds = seconds

    def run(self, folder: str, limit: float) -> str:
        self.now += min(self._seconds[folder], limit)
        return "passed" if self._seconds[folder] <= limit else "stopped"


def _run(limit: float, folders: list[str], seconds: dict[str, float]) -> list[Outcome]:
    clock = Clock(seconds)
    return list(slow_tests.run_within(limit, folders, PASSES, clock.run, lambda: clock.now))


def test_all_are_run_when_there_is_time() -> None:
    found = _run(450.0, ["trees", "svm", "linear"], {"trees": 300.0, "svm": 100.0, "linear": 50.0})
    assert [outcome.ending for outcome in found] == ["passed"] * 3
    assert [outcome.seconds for outcome in found] == [300.0, 100.0, 50.0]


def test_what_does_not_fit_is_left_out_for_shorter_ones() -> None:
    found = _run(360.0, ["trees", "svm", "linear"], {"trees": 300.0, "linear": 50.0})
    assert found == [
        Outcome("trees", "passed", 300.0),
        Outcome("svm", "left out", 100.0),
        Outcome("linear", "passed", 50.0),
    ]


def test_a_folder_that_takes_longer_than_it_did_is_stopped_and_nothing_follows() -> None:
    found = _run(350.0, ["trees", "linear"], {"trees": 900.0})
    assert found == [Outcome("trees", "stopped", 350.0), Outcome("linear", "left out", 50.0)]


def test_a_folder_longer_than_the_limit_is_tried_when_it_comes_first_and_an_unknown_one_always() -> None:
    found = _run(200.0, ["new", "trees", "other", "svm"], {"new": 20.0, "other": 60.0, "svm": 100.0})
    assert [outcome.ending for outcome in found] == ["passed", "left out", "passed", "passed"]
    assert _run(200.0, ["trees"], {"trees": 190.0}) == [Outcome("trees", "passed", 190.0)]


def test_summary_names_what_was_left_out() -> None:
    lines = slow_tests.summary(
        [Outcome("trees", "passed", 90.0), Outcome("svm", "left out", 30.0), Outcome("new", "left out", float("inf"))]
    ).splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["tests/trees", "1.5", "passed"],
        ["tests/svm", "0.5", "left", "out"],
        ["tests/new", "?", "left", "out"],
    ]
    assert "nothing changed" in slow_tests.summary([])


PYPROJECT = """
[project]
dependencies = []
[project.optional-dependencies]
[tool.pytest.ini_options]
addopts = ["-m", "not slow", "-p", "xdist", "-n0"]
markers = ["slow"]
[[tool.importlinter.contracts]]
type = "layers"
layers = ["good | bad | quick"]
"""
SLOW = "import pytest\n@pytest.mark.slow\ndef test_it(): assert {}\n"
TESTS = {"good": SLOW.format("True"), "bad": SLOW.format("False"), "quick": "def test_it(): ..."}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with three folders: a slow test that passes, one that fails, and none."""
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    for folder, content in TESTS.items():
        (tmp_path / "tests" / folder).mkdir(parents=True)
        (tmp_path / "tests" / folder / f"test_{folder}.py").write_text(content)
    monkeypatch.setattr(slow_tests, "ROOT", tmp_path)
    monkeypatch.setattr(extra_tests, "ROOT", tmp_path)
    monkeypatch.setattr(passed, "FILE", tmp_path / "passed.json")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    return tmp_path


def _main(script: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", [script.__name__, *arguments])
    try:
        script.main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_slow_tests_are_found_and_run(tree: Path) -> None:
    assert slow_tests.folders_with_slow_tests(["bad", "good", "quick"]) == ["bad", "good"]
    assert slow_tests.run_slow_tests("good", 60.0) == "passed"
    assert slow_tests.run_slow_tests("bad", 60.0) == "failed"


def test_passes_are_recorded_and_not_run_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(slow_tests, "folders_with_slow_tests", lambda folders: [f for f in folders if f != "quick"])
    monkeypatch.setattr(slow_tests, "run_slow_tests", lambda folder, limit: {"good": "passed", "bad": "failed"}[folder])

    def ran(*arguments: str, code: int = 1) -> list[list[str]]:
        assert _main(slow_tests, monkeypatch, *arguments) == code
        return [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("tests/")]

    both = [["tests/bad", "0.0", "failed"], ["tests/good", "0.0", "passed"]]
    assert ran() == both
    assert ran("--record") == both
    assert list(passed.read(passed.FILE)) == ["good"]
    assert ran() == both[:1]
    assert ran("--all") == both
    assert ran("--minutes", "0", code=0) == [["tests/bad", "?", "left", "out"]]


def test_an_extra_is_run_when_it_changed(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs: list[list[str]] = []
    monkeypatch.setattr(extra_tests, "run_pytest", lambda line: runs.append(line) or int("tests/bad" in line))
    line = ("docs", "good", "README.md", "--record")
    assert _main(extra_tests, monkeypatch, *line) == 0
    assert _main(extra_tests, monkeypatch, *line) == 0
    assert len(runs) == 1
    (tree / "README.md").write_text("changed")
    assert _main(extra_tests, monkeypatch, *line) == 0
    assert _main(extra_tests, monkeypatch, *line, "--all") == 0
    assert len(runs) == 3
    assert _main(extra_tests, monkeypatch, "other", "bad", "--record") == 1
    assert list(passed.read(passed.FILE)) == ["extra docs"]


def test_all_processes_of_a_run_end_when_the_time_is_over(tree: Path) -> None:
    beats = tree / "beats"
    loop = f"    with open({str(beats)!r}, 'a', 1) as file:\n        while True: print(file=file); time.sleep(0.01)\n"
    (tree / "tests/quick/test_quick.py").write_text(f"import time\ndef test_it():\n{loop}")
    limit = 1.0
    while not beats.exists():  # a busy machine needs longer until the test runs
        limit *= 2
        assert slow_tests.run_pytest(["-q", "-n1", "tests/quick"], limit) is None
    size = beats.stat().st_size
    time.sleep(0.3)
    assert beats.stat().st_size == size
