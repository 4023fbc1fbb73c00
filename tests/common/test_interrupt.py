"""Ctrl-C: the signal ends a long fit or predict promptly, and no half-fitted learner is left."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from certus.base.catalogue import Entry
from tests.common.problems import learners

CHILD = Path(__file__).with_name("interrupt_child.py")
Case = tuple[str, str]


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest) -> dict[Case, dict[str, Any]]:
    """How each chosen case ended; one process for all, since starting one takes longer than the test."""
    chosen = [item.callspec.params for item in request.session.items if item.path == request.path]
    cases = [(params["entry"].path, params["stage"]) for params in chosen]
    limit = 60 + 5 * len(cases)
    command = [sys.executable, str(CHILD), json.dumps(cases)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    found = {(told["path"], told["stage"]): told for told in map(json.loads, run.stdout.splitlines())}
    missing = {"error": f"the process ended before this case (exit {run.returncode}): {run.stderr}"}
    return {case: found.get(case, missing) for case in cases}


@pytest.mark.parametrize("stage", ["fit", "predict"])
@pytest.mark.parametrize("entry", learners())
@pytest.mark.timeout(600)
def test_interrupt(entry: Entry, stage: str, outcomes: dict[Case, dict[str, Any]]) -> None:
    found = outcomes[entry.path, stage]
    assert "error" not in found, found["error"]
    # The promise is 100 ms on an idle machine; a loaded one gets some grace, far below the work's own length.
    assert found["waited"] < 1.0
    if stage == "fit":
        assert found["fitted"] == []
