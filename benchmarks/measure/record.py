"""The JSON file of a family: per task the machine, versions, command and every measured number."""

import json
import math
import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.measure.plain_json import to_json
from benchmarks.measure.rounds import Outcome, Row, Settings

_DISTRIBUTIONS = {"sklearn": "scikit-learn", "sklearnex": "scikit-learn-intelex"}


def write(path: Path, family: str, outcomes: list[Outcome], settings: Settings, command: str) -> None:
    """Write the outcomes; tasks that were measured earlier and not now stay in the file."""
    earlier = json.loads(path.read_text())["tasks"] if path.exists() else {}
    new = {outcome.task.name: _task(outcome, settings, command) for outcome in outcomes}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_json({"family": family, "tasks": {**earlier, **new}}) + "\n")


def _task(outcome: Outcome, settings: Settings, command: str) -> dict[str, Any]:
    task, peer = outcome.task, outcome.fastest_peer
    return {
        "about": task.about,
        "shape": outcome.shape,
        "action": task.action,
        "quality": {
            "name": task.quality.name,
            "lower_is_better": task.quality.lower_is_better,
            "wanted": task.quality.wanted,
            "slack": task.quality.slack,
        },
        "fastest_peer": peer.competitor.name if peer is not None else None,
        "ratio_fastest_peer_to_ours": outcome.ratio,
        "rows": [_row(row, outcome) for row in outcome.rows],
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "quick": settings.quick,
        "threads": settings.threads,
        "rounds": settings.rounds,
        "machine": {"cpu": cpu_name(), "cores": os.cpu_count(), "system": platform.system()},
        "versions": versions({row.competitor.package for row in outcome.measured}),
    }


def _row(row: Row, outcome: Outcome) -> dict[str, Any]:
    entry: dict[str, Any] = {"competitor": row.competitor.name, "class": row.competitor.path}
    if row.skipped:
        return {**entry, "skipped": row.skipped, "stopped_after_seconds": row.stopped_after}
    return {
        **entry,
        "parameters": {**row.competitor.parameters, **row.competitor.ladder[row.rung]},
        "first_call_seconds": row.first,
        "warm_seconds": row.warm,
        "memory_bytes": row.memory,
        "quality": row.quality if math.isfinite(row.quality) else None,  # None: no usable answer
        "equal_quality": outcome.equal_quality(row),
        "warnings": sorted({name for answer in row.answers for name in answer["warnings"]}),
        "all_warm_seconds": [_thinned(answer["warm"]) for answer in row.answers],
    }


def _thinned(times: list[float], keep: int = 20) -> list[float]:
    """At most ``keep`` of the times, evenly taken from the sorted ones, so that the file stays small."""
    ordered = sorted(times)
    if len(ordered) <= keep:
        return ordered
    return [ordered[round(i * (len(ordered) - 1) / (keep - 1))] for i in range(keep)]


def versions(packages: set[str]) -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in sorted(packages | {"numpy", "scipy"}):
        distribution = _DISTRIBUTIONS.get(package, package)
        try:
            found[distribution] = metadata.version(distribution)
        except metadata.PackageNotFoundError:
            found[distribution] = getattr(__import__(package), "__version__", "unknown")
    return found


def cpu_name() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
