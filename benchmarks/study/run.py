"""The study against other automatic tools: ``python -m benchmarks.study.run --seconds 30``.

Every system gets the same rows to train on (those that our study learns from, after it has set its test and
calibration rows aside), the same time, and is judged on rows that none of them saw. AutoGluon wants older packages than
ours: it takes part if ``--autogluon`` names the interpreter of an environment that has it.
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
from benchmarks.study.tables import TABLES, TARGET, Table
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
    parser.add_argument("--tables", default=",".join(table.name for table in TABLES))
    parser.add_argument("--autogluon", metavar="PYTHON", help="interpreter of an environment with AutoGluon")
    given = parser.parse_args()
    pythons = {system: sys.executable for system in SYSTEMS if system != "AutoGluon"}
    if given.autogluon:
        pythons["AutoGluon"] = given.autogluon
    file = RESULTS / f"study-{given.seconds:g}s.json"
    compare(given.tables.split(","), given.seconds, given.seed, file, pythons)


if __name__ == "__main__":
    main()
