"""What commands print: one JSON document for machines, tables for people; both on stdout, messages on stderr."""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import typer

_WIDTH_OF_FILES = 160  # where there is no terminal whose width could be asked
_FOLDED = 100
WAYS_OUT = (
    "Hint: test on fresh rows; or --not-adapted if nothing was chosen after an earlier result on these rows; or "
    "--sealed from the first look on, which shows nothing but the bound. --looks none does not count looks."
)


def print_json(value: Any) -> None:
    """Print exactly one JSON document."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


def print_text(text: str) -> None:
    """Print a result in words."""
    typer.echo(text)


def print_headline(text: str, *, good: bool) -> None:
    """Print what comes first: in green or in red, where colors are shown."""
    typer.secho(text, fg="green" if good else "red", bold=True)


def print_folded(lines: Sequence[str]) -> None:
    """Print lines after an empty one, each folded so that it can be read without scrolling to the right."""
    typer.echo()
    for line in lines:
        typer.echo(folded(line))


def folded(line: str) -> str:
    """A line in several of at most 100 characters; what is in brackets stays together."""
    kept = re.sub(r"\([^()]{1,60}\)", lambda match: match[0].replace(" ", "\0"), line)
    whole = textwrap.fill(kept, _FOLDED, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return whole.replace("\0", " ")


def say(message: str) -> None:
    """Tell the user something that is not the result."""
    typer.echo(message, err=True)


def print_report(report: Any) -> None:
    """Print certificates as a table; vacuous ones follow with the reason."""
    shown = [item for item in report if not item.vacuous]
    if shown:
        _print_claims(shown)
    for item in report.vacuous:
        print_text(f"(vacuous) {item.why_vacuous()}")
    for fact in (report.training_overlap, report.look):
        if fact is not None:
            print_text(str(fact))
    if report.look is not None and not report.look.promised:
        say(WAYS_OUT)


def _print_claims(shown: Sequence[Any]) -> None:
    """Claims with their standing and theorem; what is the same for all of them is said once, below.

    Claims that hold with a probability state it themselves.
    """
    names = ("theorem",) if all(item.kind == "probable" for item in shown) else ("standing", "theorem")
    told = {name: {getattr(item, name) for item in shown} for name in names}
    common = [name for name in names if len(shown) > 1 and len(told[name]) == 1]
    own = [name for name in names if name not in common]
    print_table(("claim", *own), [(item.claim, *(getattr(item, name) for name in own)) for item in shown])
    for name in common:
        print_text(f"{name}: {told[name].pop()}")


def certificates_of(report: Any) -> list[dict[str, Any]]:
    """The certificates of a report as plain values."""
    return [item.to_dict() for item in report]


def facts_of_rows(report: Any) -> dict[str, Any]:
    """What rows have in common with training rows, and which look at them it is; None for what nobody knows."""
    facts = {"training_overlap": report.training_overlap, "look": report.look}
    return {name: None if fact is None else fact.to_dict() for name, fact in facts.items()}


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str | None = None) -> None:
    """Print a table, wrapped to the terminal's width."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))  # Text: brackets in a cell are not markup
    asked = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()  # rich obeys both
    width = None if asked else _WIDTH_OF_FILES
    Console(width=width).print(table)
