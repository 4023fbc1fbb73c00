"""``certus study``: a table in, a certified model and a report out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from certus.cli.output import print_json, print_table, print_text, say


def command(
    table: Annotated[
        Path | None, typer.Argument(help="CSV, Parquet, Arrow or JSON lines; a built-in table if left out.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="The column to predict.")] = None,
    task: Annotated[str | None, typer.Option(help="classification or regression; inferred if left out.")] = None,
    confidence: Annotated[float, typer.Option(help="Probability with which the certificate holds.")] = 0.95,
    holdout: Annotated[float, typer.Option(help="Share of the rows kept untouched for the certificate.")] = 0.2,
    seed: Annotated[int, typer.Option(help="Decides every random choice.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for report.html, model.certus and study.json.")] = Path(
        "certus-study"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace the folder of an earlier study.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no messages.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Take a table through all six steps: task, data, features, learners, training, evaluation."""
    from certus.workflow import study
    from certus.workflow.result import refuse_to_overwrite

    refuse_to_overwrite(out, force=force)
    with _progress(quiet) as progress:
        result = study(
            table,
            target=target,
            task=task,
            confidence=confidence,
            holdout=holdout,
            seed=seed,
            progress=progress,
        )
    folder = result.save(out, force=force)
    if not quiet:
        for note in result.notes:
            say(note)
    if json:
        print_json(result.to_dict())
        return
    rows = [
        (row["rank"], row["learner"], row["failure"] or f"{row['validation_value']:.4f}", f"{row['seconds']:.2f}")
        for row in result.leaderboard
    ]
    measure = f"{result.task.measure} (validation)"
    print_table(["", "learner", measure, "seconds"], rows, title="Leaderboard")
    print_text(f"\n{result}\n\nWrote {folder / 'report.html'}, {folder / 'model.certus'}, {folder / 'study.json'}.")


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar on the error stream of a terminal; nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        work = bar.add_task("reading", total=None)
        yield lambda name, done, total: bar.update(work, completed=done, total=total, description=name)
