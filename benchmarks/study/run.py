"""The study against other automatic tools: ``python -m benchmarks.study.run --seconds 30``.

Every system gets the same rows to train on (those that our study learns from, after it has set its test and
calibration rows aside), the same time, and is judged on rows that none of them saw.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.study.systems import SYSTEMS
from benchmarks.study.tables import TABLES
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"


def outcome(system: str, table: str, seconds: float, seed: int, rows: list[int] | None) -> dict[str, Any]:
    """One system on one table, in a fresh process."""
    asked = json.dumps({"system": system, "table": table, "seconds": seconds, "seed": seed, "rows": rows})
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.study.one", asked],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        timeout=10 * seconds + 600,
    )
    if run.returncode:
        return {"failure": run.stderr.strip().splitlines()[-1] if run.stderr.strip() else f"exit {run.returncode}"}
    return dict(json.loads(run.stdout.strip().splitlines()[-1]))


def compare(names: list[str], seconds: float, seed: int, file: Path) -> dict[str, Any]:
    """All systems on all tables; written after each table, and continued if the file is there."""
    found: dict[str, Any] = {"seconds": seconds, "seed": seed, "tables": {}}
    if file.exists():
        found = json.loads(file.read_text())
    for table in (table for table in TABLES if table.name in names and table.name not in found["tables"]):
        rows: list[int] | None = None
        values: dict[str, Any] = {}
        for system in SYSTEMS:  # ours first: it says which rows are learned from
            values[system] = outcome(system, table.name, seconds, seed, rows)
            if system == "Certus":
                rows = values[system].pop("learned", None)
        found["tables"][table.name] = {"task": table.task, "systems": values}
        file.write_text(json.dumps(found, indent=1) + "\n")
        print(line(table.name, found["tables"][table.name]), flush=True)
    return found


def line(name: str, table: dict[str, Any]) -> str:
    """A table's results in one line."""
    cells = (f"{values.get('value', float('nan')):12.5g}" for values in table["systems"].values())
    return f"{name:20}" + "".join(cells)


def summary(found: dict[str, Any]) -> str:
    """Mean ranks, the largest distance behind the best, and how often promises were broken."""
    systems = list(SYSTEMS)
    ranks, behind, broken, promises = [], [], 0, 0
    for name, table in found["tables"].items():
        values = np.array([table["systems"][system].get("value", np.inf) for system in systems])
        ranks.append(stats.rankdata(values))
        best, ours = values.min(), values[0]
        points = 100 * (ours - best) if table["task"] == "classification" else 100 * (ours / best - 1)
        behind.append((points, name, "points of error" if table["task"] == "classification" else "% of RMSE"))
        told = table["systems"]["Certus"]
        if "hidden_rate" in told:
            promises += 1
            broken += told["hidden_rate"] > told["promised"]
    lines = [f"{system:32} mean rank {rank:.2f}" for system, rank in zip(systems, np.mean(ranks, axis=0), strict=True)]
    lines += [f"{points:.2f} {unit} behind the best on {name}" for points, name, unit in sorted(behind)[::-1][:5]]
    lines.append(f"{broken} of {promises} promises exceeded on the hidden rows")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tables", default=",".join(table.name for table in TABLES))
    given = parser.parse_args()
    file = RESULTS / f"study-{given.seconds:g}s.json"
    found = compare(given.tables.split(","), given.seconds, given.seed, file)
    print(summary(found))


if __name__ == "__main__":
    main()
