"""The study against other automatic tools: ``python -m benchmarks.study.run --seconds 30``.

Every system gets the same rows to train on (those that our study learns from, after it has set its test and
calibration rows aside), the same time, and is judged on rows that none of them saw. AutoGluon wants older packages than
ours: it takes part, with its default preset and with ``best_quality``, if ``--autogluon`` names the interpreter of an
environment that has it. What the file of results has already is not measured again. The plan:

    for seed in 0 1 2; do python -m benchmarks.study.run --seconds 30 --seed $seed --tables twelve; done
    python -m benchmarks.study.run --seconds 30
    python -m benchmarks.study.run --seconds 120 --tables twelve
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.measure.plain_json import to_json
from benchmarks.study.one import split
from benchmarks.study.systems import SYSTEMS
from benchmarks.study.tables import TABLES, TARGET, TWELVE, Table
from certus.workflow.columns import classify_columns
from certus.workflow.split import split_rows

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"


def outcome(python: str, system: str, table: str, seconds: float, seed: int, rows: list[int]) -> dict[str, Any]:
    """One system on one table, in a fresh process."""
    asked = json.dumps({"system": system, "table": table, "seconds": seconds, "seed": seed, "rows": rows})
    run = subprocess.run(
        [python, "-m", "benchmarks.study.one"],
        input=asked,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        timeout=10 * seconds + 600,
    )
    if run.returncode:
        return {"failure": run.stderr.strip().splitlines()[-1] if run.stderr.strip() else f"exit {run.returncode}"}
    return dict(json.loads(run.stdout.strip().splitlines()[-1]))


def learned_rows(table: Table, seed: int) -> list[int]:
    """Which of the given rows our study learns from, after it has set its test and calibration rows aside."""
    given = pl.from_pandas(split(table.load(), seed)[0])
    columns = classify_columns(given, {TARGET: "target"})
    return split_rows(given, columns.used, [TARGET], holdout=0.2, seed=seed).learn.tolist()


def compare(names: list[str], seconds: float, seed: int, file: Path, pythons: dict[str, str]) -> None:
    """All systems on all tables, each by its interpreter; what the file has already is not measured again."""
    found: dict[str, Any] = {"seconds": seconds, "seed": seed, "tables": {}}
    if file.exists():
        found = json.loads(file.read_text())
    for table in (table for table in TABLES if table.name in names):
        known = found["tables"].setdefault(table.name, {"task": table.task, "systems": {}})["systems"]
        if missing := [system for system in pythons if system not in known]:
            rows = learned_rows(table, seed)
            for system in missing:
                known[system] = outcome(pythons[system], system, table.name, seconds, seed, rows)
            found["tables"][table.name]["systems"] = {system: known[system] for system in SYSTEMS if system in known}
            file.write_text(to_json(found) + "\n")
            print(line(table.name, found["tables"][table.name]), flush=True)


def line(name: str, table: dict[str, Any]) -> str:
    """A table's results in one line."""
    cells = (f"{values.get('value', float('nan')):12.5g}" for values in table["systems"].values())
    return f"{name:20}" + "".join(cells)


def main() -> None:
    """Run what is missing; docs/pages/quality.py then writes the page with ranks and losses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tables", default=",".join(table.name for table in TABLES), help="names, or twelve")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--autogluon", metavar="PYTHON", help="interpreter of an environment with AutoGluon")
    given = parser.parse_args()
    interpreters = {system: given.autogluon if "AutoGluon" in system else sys.executable for system in SYSTEMS}
    asked = given.systems.split(",")
    pythons = {system: python for system, python in interpreters.items() if python and system in asked}
    names = list(TWELVE) if given.tables == "twelve" else given.tables.split(",")
    compare(names, given.seconds, given.seed, file_of(given.seconds, given.seed), pythons)


def file_of(seconds: float, seed: int) -> Path:
    """Where results are kept: a file per budget and, but for the first, per seed."""
    return RESULTS / f"study-{seconds:g}s{f'-seed{seed}' if seed else ''}.json"


if __name__ == "__main__":
    main()
