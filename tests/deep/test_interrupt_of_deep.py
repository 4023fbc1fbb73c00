"""Ctrl-C ends a long fit or predict of a deep learner promptly; while torch is being imported it waits for the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from certus.base import extras
from tests.common.test_interrupt import CHILD

LEARNERS = [f"certus.neural.deep.{name}" for name in ("TorchClassifier", "TorchRegressor")]


@pytest.mark.slow
def test_interrupt() -> None:
    cases = [[path, stage] for path in LEARNERS for stage in ("fit", "predict")]
    run = subprocess.run(
        [sys.executable, str(CHILD), json.dumps([cases[0], *cases])], capture_output=True, text=True, check=True
    )
    first, *told = map(json.loads, run.stdout.splitlines())
    assert "error" not in first  # it came while torch was being imported: the next fits work all the same
    assert [(found["path"], found["stage"]) for found in told] == [tuple(case) for case in cases]
    for found in told:
        assert found["waited"] < 1.0
        assert found["fitted"] == [] or found["stage"] == "predict"


def test_ctrl_c_waits_for_the_end_of_an_import(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def slow_import(name: str) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        done.append(name)

    monkeypatch.setattr(extras.importlib, "import_module", slow_import)
    monkeypatch.setitem(extras.PACKAGES, "some", "package_that_is_not_there")
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        extras.import_extra("some", "a test")
    assert done == ["package_that_is_not_there"]
    assert signal.getsignal(signal.SIGINT) is handler
