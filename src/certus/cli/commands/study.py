"""``certus study``: a table in, a certified model and a report out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from certus.cli.output import print_json, print_table, print_text, say


def command(
    table: Annotated[
        Path | None,
        typer.Argument(help="CSV, Parquet, Arrow, JSON lines, Excel, - for standard input; built-in if left out."),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            help="The column to predict; several columns of two values with commas, or given several times; "
            "without one, groups of rows are looked for."
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(help="classification, ordinal, multi-label, regression or clustering; inferred if left out."),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            help="error, balanced_error, log_loss, auc, f1, macro_f1; hamming; rmse, mae; silhouette_loss; or an "
            "expression of truth and prediction with its --range. Lower is better for all."
        ),
    ] = None,
    time: Annotated[float | None, typer.Option(help="Seconds that the study may take.")] = None,
    trials: Annotated[int | None, typer.Option(help="How many candidates to try (24 without --time).")] = None,
    confidence: Annotated[float, typer.Option(help="Probability with which the certificate holds.")] = 0.95,
    holdout: Annotated[float, typer.Option(help="Share of the rows kept untouched for the certificate.")] = 0.2,
    group: Annotated[str | None, typer.Option(help="Column whose equal values stay on one side.")] = None,
    order: Annotated[str | None, typer.Option(help="Column of time: the last rows are the test rows.")] = None,
    positive: Annotated[str | None, typer.Option(help="Which of two labels is the positive one.")] = None,
    levels: Annotated[
        str | None, typer.Option(help="Labels with an order, from the least to the greatest, with commas.")
    ] = None,
    families: Annotated[str | None, typer.Option(help="Families of learners to try, with commas.")] = None,
    loss_range: Annotated[
        tuple[float, float] | None,
        typer.Option("--range", help="Declared range of the squared (rmse) or absolute (mae) error, or of the loss."),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(help="What a mistake costs, as 'sick as healthy=10'; others cost 1. May be given several times."),
    ] = None,
    sql: Annotated[str | None, typer.Option(help="A query instead of a table; needs --database.")] = None,
    database: Annotated[str | None, typer.Option(help="A SQLite file, or the address of a database.")] = None,
    seed: Annotated[int, typer.Option(help="Decides every random choice.")] = 0,
    threads: Annotated[int | None, typer.Option(help="Cores to use; all if left out.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for report.html, model.certus and study.json.")] = Path(
        "certus-study"
    ),
    resume: Annotated[bool, typer.Option("--resume", help="Continue the study in the folder.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder of an earlier study.")] = False,
    refit_all: Annotated[
        bool,
        typer.Option("--refit-all", help="Also write model-all-rows.certus: trained on all rows, nothing guaranteed."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no messages.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Take a table through all six steps: task, data, features, learners, training, evaluation."""
    from certus.workflow.declared_costs import parse_costs
    from certus.workflow.study_folder import study_in_folder

    with _progress(quiet, time) as progress:
        result = study_in_folder(
            out,
            table if table is None or str(table) != "-" else "-",
            resume=resume,
            force=force,
            target=target or None,
            task=task,
            measure=measure,
            time=time,
            trials=trials,
            confidence=confidence,
            holdout=holdout,
            group=group,
            order=order,
            positive=positive,
            levels=_listed(levels),
            families=_listed(families),
            loss_range=loss_range,
            costs=parse_costs(cost or []),
            refit_all=refit_all,
            sql=sql,
            database=database,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    if not quiet:
        for note in result.notes:
            say(note)
    if json:
        print_json(result.to_dict())
        return
    stayed = [row for row in result.leaderboard if row["dropped"] is None]
    rows = [(row["rank"], row["learner"], f"{row['validation_value']:.4g}", f"{row['seconds']:.2f}") for row in stayed]
    measured = f"{result.task.measure.name} (validation)"
    print_table(["", "learner", measured, "seconds"], rows, title="Leaderboard")
    if left := len(result.leaderboard) - len(stayed):
        print_text(f"{left} more candidates left the race early; the report says why.")
    written = ", ".join(str(out / name) for name in result.files)
    print_text(f"\n{result}\n\nWrote {written}.")


def _listed(names: str | None) -> list[str]:
    return [name.strip() for name in names.split(",")] if names else []


@contextmanager
def _progress(quiet: bool, seconds: float | None) -> Iterator[Callable[[str, int, int | None], None] | None]:
    """A bar on the error stream of a terminal, of the evaluations or of the time; nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    begin = monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        work = bar.add_task("reading", total=None)

        def tell(name: str, done: int, total: int | None) -> None:
            if seconds is not None:
                done, total = min(round(monotonic() - begin), round(seconds)), round(seconds)
            bar.update(work, completed=done, total=total, description=name)

        yield tell
