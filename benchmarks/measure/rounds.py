"""Runs a task: data once, then rounds in which every competitor gets a fresh process, in rotating order."""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.measure.task import FOLDER, OURS, Competitor, Task

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
_SHORT = 5.0  # seconds that anybody may take


@dataclass(frozen=True)
class Settings:
    """How often and under which conditions a competitor is called."""

    threads: int = 2
    rounds: int = 3
    repeats: int = 2  # warm calls in one process, at least
    seconds: float = 0.5  # and at least this long
    quick: bool = False
    patience: float = 150.0  # seconds that a process may take
    far_behind: float = 3.0  # whoever is slower than ours or the fastest by this factor is not measured to the end


@dataclass
class Row:
    """What is known about one competitor; ``skipped`` says why nothing was measured."""

    competitor: Competitor
    rung: int = 0
    skipped: str = ""
    stopped_after: float | None = None  # seconds of a call that was not good enough and already too slow
    answers: list[dict[str, Any]] = field(default_factory=list)

    @property
    def first(self) -> float:
        return statistics.median(answer["first"] for answer in self.answers)

    @property
    def warm(self) -> float:
        return statistics.median(time for answer in self.answers for time in answer["warm"])

    @property
    def memory(self) -> int:
        return max(answer["memory"] for answer in self.answers)

    @property
    def quality(self) -> float:
        return statistics.median(answer["quality"] for answer in self.answers)


@dataclass
class Outcome:
    """All rows of a task; peers of equal quality are those that may be called the fastest."""

    task: Task
    shape: dict[str, int]
    rows: list[Row]

    @property
    def measured(self) -> list[Row]:
        return [row for row in self.rows if not row.skipped]

    def equal_quality(self, row: Row) -> bool:
        best = self.task.quality.best([other.quality for other in self.measured])
        return self.task.quality.suffices(row.quality, best)

    @property
    def ours(self) -> Row | None:
        return next((row for row in self.measured if row.competitor.name == OURS), None)

    @property
    def fastest_peer(self) -> Row | None:
        peers = [row for row in self.measured if row is not self.ours and self.equal_quality(row)]
        return min(peers, key=lambda row: row.warm, default=None)

    @property
    def ratio(self) -> float | None:
        """Time of the fastest peer of equal quality over our time; None unless both took part."""
        ours, peer = self.ours, self.fastest_peer
        if ours is None or peer is None or not self.equal_quality(ours):
            return None
        return peer.warm / ours.warm


def limit_cores(threads: int) -> None:
    """Keep this process and its children on as many cores as threads; some libraries obey nothing else."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def run_task(family: str, task: Task, settings: Settings, progress: Callable[[str], None]) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="certus-benchmark-") as folder:
        request = {"family": family, "task": task.name, "folder": folder, "quick": settings.quick}
        progress(f"{task.name}: data")
        shape = _ask({**request, "step": "prepare"}, settings)
        rows = [Row(competitor, skipped=_missing(competitor)) for competitor in task.competitors]
        request["threads"] = settings.threads
        outcome = Outcome(task, shape, rows)
        request["limit"] = _pace(rows, request, settings)
        for row in rows:
            if not row.skipped and len(row.competitor.ladder) > 1:
                progress(f"{task.name}: {row.competitor.name} at equal quality")
                _climb(row, request, settings)
        for turn in range(settings.rounds):
            running = outcome.measured if turn == 0 else _contenders(outcome, settings)
            for row in running[turn % len(running) :] + running[: turn % len(running)]:
                progress(f"{task.name}: round {turn + 1}/{settings.rounds}, {row.competitor.name}")
                _measure(row, request, settings)
    return outcome


def _pace(rows: list[Row], request: dict[str, Any], settings: Settings) -> float:
    """Seconds after which a peer cannot be the fastest any more: ours, measured once, times a factor."""
    ours = next((row for row in rows if row.competitor.name == OURS and not row.skipped), None)
    if ours is None:
        return settings.patience
    if len(ours.competitor.ladder) > 1:
        _climb(ours, {**request, "limit": settings.patience}, settings)
    trial = Row(ours.competitor, rung=ours.rung)
    _measure(trial, {**request, "limit": settings.patience}, replace(settings, repeats=1, seconds=0.0))
    return settings.patience if trial.skipped else max(_SHORT, settings.far_behind * trial.warm)


def _contenders(outcome: Outcome, settings: Settings) -> list[Row]:
    """Ours, and the peers whose place is not clear after one round: near ours or before it, near the fastest."""
    fastest = min((row.warm for row in (outcome.ours, outcome.fastest_peer) if row is not None), default=float("inf"))
    return [row for row in outcome.measured if row is outcome.ours or row.warm <= settings.far_behind * fastest]


def _climb(row: Row, request: dict[str, Any], settings: Settings) -> None:
    try:
        answer = _ask({**request, "step": "climb", "competitor": row.competitor.name}, settings)
        row.rung, row.skipped, row.stopped_after = answer["rung"], answer["skipped"], answer.get("stopped_after")
    except RuntimeError as error:
        row.skipped = str(error)


def _measure(row: Row, request: dict[str, Any], settings: Settings) -> None:
    details = {"step": "measure", "competitor": row.competitor.name, "rung": row.rung}
    repeats = {"repeats": settings.repeats, "seconds": settings.seconds}
    try:
        row.answers.append(_ask({**request, **details, **repeats}, settings))
    except RuntimeError as error:
        row.skipped = str(error)


def _missing(competitor: Competitor) -> str:
    if importlib.util.find_spec(competitor.package) is None:
        return f"{competitor.package} is not installed"
    return ""


def _ask(request: dict[str, Any], settings: Settings) -> dict[str, Any]:
    paths = [str(FOLDER.parent), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    limits = dict.fromkeys(_THREAD_VARIABLES, str(settings.threads))
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.measure.child"],
            input=json.dumps(request),
            env={**os.environ, **limits, "PYTHONPATH": os.pathsep.join(paths)},
            capture_output=True,
            text=True,
            timeout=settings.patience,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"not finished in {settings.patience:g} s") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise RuntimeError(lines[-1])
    return json.loads(done.stdout.strip().splitlines()[-1])
