"""Forged fitted state of every learner of the catalogue never reaches compiled code unchecked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from certus.base import catalogue

ROOT = Path(__file__).parents[2]


def test_forged_state_does_not_crash() -> None:
    line = [sys.executable, "-X", "faulthandler", "-m", "tests.persistence.hostile_child"]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-2000:]}"
    counts = dict(row.split(" ", 1) for row in done.stdout.splitlines())
    asked = [entry for entry in catalogue.entries() if entry.takes != "process" and entry.needs is None]
    assert list(counts) == [entry.path for entry in asked]
    least = {entry.path: 6 if entry.takes == "tables" else 3 for entry in asked}
    assert all(sum(json.loads(count).values()) >= least[path] for path, count in counts.items())
