"""``certus study``: a table in, a certified model and a report out."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from certus.cli import options
from certus.cli.output import WAYS_OUT, folded, print_folded, print_headline, print_json, print_table, print_text, say
from certus.cli.spelling import as_typed, flag
from certus.workflow.described_option import Described
from certus.workflow.option_parameters import parameters
from certus.workflow.options import described

Table = Annotated[Path | None, typer.Argument(help=f"{options.TABLES}; a built-in table if left out.")]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder for report.html, model.certus and study.json; that of sales.csv is sales-study."),
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the study in the folder.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the folder of an earlier study.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no messages.")]


def command(
    table: Table = None,
    out: Out = None,
    resume: Resume = False,
    force: Force = False,
    quiet: Quiet = False,
    json: options.Json = False,
    **typed: Any,
) -> None:
    """Take a table through all six steps: task, data, features, learners, training, evaluation."""
    from certus.cli.look_stores import store_of_looks
    from certus.workflow.study_folder import folder_of, study_in_folder

    out = Path(folder_of(None if table is None else str(table))) if out is None else out
    given = {name: _read(described()[name], value) for name, value in typed.items() if value is not None}
    source = "-" if str(table) == "-" else table
    store = store_of_looks(given.get("looks"))
    given["looks"] = None if store is None else str(store.path)
    with _told_how_to_continue(out), _progress(quiet, given.get("time")) as progress:
        result = study_in_folder(out, source, resume=resume, force=force, progress=progress, **given)
    if not quiet:
        for note in result.notes:
            say(folded(as_typed(note, note.options)))
    if json:
        print_json(result.to_dict())
    else:
        _print(result, out)


@contextmanager
def _told_how_to_continue(out: Path) -> Iterator[None]:
    """Whoever stops a study is told that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        if out.exists():
            say(f"stopped; the same command with --resume continues the study in {out}")
        raise


def _print(result: Any, out: Path) -> None:
    """The leaderboard, the winner and what is promised about it."""
    from certus.workflow.leaderboard import shown_rows

    headline, asked, *found = str(result).splitlines()
    print_headline(folded(headline), good=result.verdict == "better")
    measured = f"{result.task.measure.title} (validation)"
    stayed = shown_rows(result.leaderboard, result.winner)
    print_table(["", "learner", measured, "rows", "seconds"], stayed, title="Leaderboard")
    if left := len(result.leaderboard) - len(stayed):
        noun = "candidate" if left == 1 else "candidates"
        print_text(f"{left} more {noun}: behind these, the same again, or out of the race early; the report tells.")
    print_folded([as_typed(asked, result.task.guess.options), *found])
    if len(result.winner.trials) > 1:
        print_folded([f"The blend: {result.winner.name.removeprefix('blend of ')}"])
    if result.look is not None and not result.look.promised:
        say(folded(WAYS_OUT))
    print_folded([f"Wrote {', '.join(str(out / name) for name in result.files)}."])


def _read(about: Described, typed: Any) -> Any:
    return typed if about.read is None else about.read(typed)


def _option(parameter: inspect.Parameter) -> inspect.Parameter:
    """An option of the study as an option of the command."""
    about = described()[parameter.name]
    text = re.sub(r"``(\w+)``", lambda match: flag(match[1]), about.help)
    text += f" One of {', '.join(about.choices)}." if about.choices else ""
    text += f" {about.typing}" if about.typing else ""
    kind: Any = about.typed if parameter.default not in ((), None) else about.typed | None
    name = flag(parameter.name)
    named = f"{name}/{name.replace('--', '--no-', 1)}" if about.typed is bool and parameter.default is None else name
    annotation = Annotated[kind, typer.Option(named, help=text)]
    default = None if parameter.default == () else parameter.default
    return parameter.replace(annotation=annotation, default=default, kind=inspect.Parameter.KEYWORD_ONLY)


def _with_options(function: Callable[..., None]) -> None:
    """Write the options of the study into the signature of the command, after the table."""
    hints = inspect.get_annotations(function, eval_str=True)
    kinds = inspect.Parameter
    own = [
        p.replace(annotation=hints[p.name], kind=kinds.KEYWORD_ONLY if p.name != "table" else p.kind)
        for p in inspect.signature(function).parameters.values()
        if p.kind is not kinds.VAR_KEYWORD
    ]
    whole = inspect.Signature([own[0], *map(_option, parameters()), *own[1:]])
    function.__signature__ = whole  # type: ignore[attr-defined]
    function.__annotations__ = {name: p.annotation for name, p in whole.parameters.items()}


_with_options(command)


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
