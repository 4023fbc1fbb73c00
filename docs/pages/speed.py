"""Write docs/speed.md from benchmarks/results/*.json: python -m docs.pages.speed."""

import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
PAGE = DOCS / "speed.md"
RESULTS = DOCS.parent / "benchmarks" / "results"
OURS = "certus"
HEAD = """# Speed

Generated from `benchmarks/results/` by `python -m docs.pages.speed`; how the numbers are made is in
[benchmarks/README.md](../benchmarks/README.md). Times are medians of warm calls. The ratio is the time of the fastest
peer over ours, above 1 we are the faster one; only peers of equal quality count. Memory is the growth during the
first call. The results files hold every competitor, first calls, parameters, machine and versions.
"""
TABLE = """| line | what | shape | ours | fastest peer | ratio | memory, ours / peer | quality, ours / peer |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def page() -> str:
    """The page as text."""
    return "\n".join([HEAD, *(family(results) for results in measured_families())])


def measured_families() -> list[dict[str, Any]]:
    """What the results files hold; files of another kind, such as the study's, are left out."""
    contents = [(path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(RESULTS.glob("*.json"))]
    return [{**content, "file": name} for name, content in contents if "family" in content and content.get("tasks")]


def family(results: dict[str, Any]) -> str:
    """One section: the command, where it ran, the table and what did not take part."""
    tasks = results["tasks"]
    lines = "\n".join(line(name, task) for name, task in tasks.items())
    parts = [
        f"## {results['file']}",
        f"`python -m benchmarks.run --family {results['family']}{threads(list(tasks.values()))}`",
        summary(list(tasks.values())),
        TABLE + lines,
    ]
    absent = [note for name, task in tasks.items() for note in without_answer(name, task)]
    if absent:
        parts.append("Without an answer:\n\n" + "\n".join(absent))
    return "\n\n".join(parts) + "\n"


def threads(tasks: list[dict[str, Any]]) -> str:
    """The option, where it is not the default."""
    numbers = {task["threads"] for task in tasks}
    return "" if numbers == {2} else f" --threads {max(numbers)}"


def summary(tasks: list[dict[str, Any]]) -> str:
    """Ratios in one sentence, then the machines."""
    known = (task["ratio_fastest_peer_to_ours"] for task in tasks if row(task, OURS) is not None)
    ratios = [ratio for ratio in known if ratio is not None]
    sentence = f"{len(tasks)} lines"
    if ratios:
        below = sum(ratio < 1.0 for ratio in ratios)
        sentence += f", {len(ratios)} with a ratio: median {statistics.median(ratios):.2f}, {below} below 1"
    days = sorted(task["date"][:10] for task in tasks)
    period = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    machines = sorted({f"{task['machine']['cpu']}, {task['threads']} threads" for task in tasks})
    return f"{sentence}. {period}, {'; '.join(machines)}."


def line(name: str, task: dict[str, Any]) -> str:
    """One row of the table; a dash where there is no number."""
    ours = row(task, OURS)
    if ours is None:
        return settings_line(name, task)
    peer = row(task, task["fastest_peer"])
    peer_time = f"{task['fastest_peer']}, {seconds(peer['warm_seconds'])}" if peer else "-"
    ratio = task["ratio_fastest_peer_to_ours"]
    cells = (
        f"`{name}`",
        task["about"].replace("|", "\\|"),
        f"{task['shape']['rows']:,} x {task['shape']['columns']:,}",
        seconds(ours["warm_seconds"]),
        peer_time,
        factor(ratio) if ratio is not None else at_least(ours, task),
        pair(ours, peer, lambda entry: f"{entry['memory_bytes'] / 2**20:.0f} MB"),
        f"{task['quality']['name']} {pair(ours, peer, quality)}",
    )
    return f"| {' | '.join(cells)} |"


def settings_line(name: str, task: dict[str, Any]) -> str:
    """One learner or several of ours at different settings, without a peer."""
    measured = [entry for entry in task["rows"] if "skipped" not in entry]
    times = "; ".join(f"{entry['competitor']} {seconds(entry['warm_seconds'])}" for entry in measured)
    memory = "; ".join(f"{entry['memory_bytes'] / 2**20:.0f} MB" for entry in measured)
    qualities = "; ".join(quality(entry) for entry in measured)
    shape = f"{task['shape']['rows']:,} x {task['shape']['columns']:,}"
    cells = (f"`{name}`", task["about"], shape, times, "-", "-", memory, f"{task['quality']['name']} {qualities}")
    return f"| {' | '.join(cells)} |"


def row(task: dict[str, Any], competitor: str | None) -> dict[str, Any] | None:
    """What was measured for a competitor, if anything."""
    rows = (entry for entry in task["rows"] if entry["competitor"] == competitor and "skipped" not in entry)
    return next(rows, None)


def factor(ratio: float | None) -> str:
    """Two decimals, more where these would be zeros."""
    if ratio is None:
        return "-"
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def at_least(ours: dict[str, Any], task: dict[str, Any]) -> str:
    """Where every peer was given up: how many times our time the fastest of them had used by then."""
    used = [entry["stopped_after_seconds"] for entry in task["rows"] if entry.get("stopped_after_seconds")]
    return f"> {min(used) / ours['warm_seconds']:.2g}" if used else "-"


def pair(ours: dict[str, Any] | None, peer: dict[str, Any] | None, text: Callable[[dict[str, Any]], str]) -> str:
    """The same about both, a dash for who is missing."""
    return " / ".join(text(entry) if entry else "-" for entry in (ours, peer))


def quality(entry: dict[str, Any]) -> str:
    """The value, marked where it is too bad to count."""
    worse = "" if entry["equal_quality"] else " (worse)"
    return (f"{entry['quality']:.3g}" if entry["quality"] is not None else "none") + worse


def without_answer(name: str, task: dict[str, Any]) -> list[str]:
    """Who has no time in this line, and why."""
    return [f"- `{name}`, {entry['competitor']}: {entry['skipped']}" for entry in task["rows"] if "skipped" in entry]


def seconds(value: float) -> str:
    """Three digits with the unit that suits."""
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if value * scale >= 1:
            return f"{value * scale:#.3g}".rstrip(".") + f" {unit}"
    return f"{value * 1e6:.0f} µs"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
