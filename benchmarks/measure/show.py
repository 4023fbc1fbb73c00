"""The table that a person reads."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.measure.rounds import Outcome


def show(outcome: Outcome, console: Console) -> None:
    task = outcome.task
    shape = f"{outcome.shape['rows']:,} x {outcome.shape['columns']:,}"
    table = Table(title=f"{task.name}: {task.about} ({shape}, {task.action})", title_justify="left")
    table.add_column("competitor")
    for heading in ("first call", "median", "memory", task.quality.name, "time / ours"):
        table.add_column(heading, justify="right")
    for row in outcome.rows:
        name = escape(row.competitor.name)
        if row.skipped:
            table.add_row(name, f"[dim]skipped: {escape(row.skipped)}[/dim]")
            continue
        mark = "" if outcome.equal_quality(row) else " [red]worse[/red]"
        relative = f"{row.warm / outcome.ours.warm:.2f}" if outcome.ours is not None else "-"
        times = (seconds(row.first), seconds(row.warm), f"{row.memory / 2**20:.0f} MB")
        table.add_row(name, *times, f"{row.quality:.4g}{mark}", relative)
    console.print(table)
    console.print(verdict(outcome) + "\n")


def verdict(outcome: Outcome) -> str:
    peer = outcome.fastest_peer
    if outcome.ours is None:
        return "Our learner was not measured."
    if not outcome.equal_quality(outcome.ours):
        return "Ours does not reach the wanted quality; no ratio."
    if peer is None or outcome.ratio is None:
        return "No peer of equal quality."
    return f"Fastest peer of equal quality: {peer.competitor.name}, {outcome.ratio:.2f} times our time."


def seconds(value: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e6:.3g} µs"
