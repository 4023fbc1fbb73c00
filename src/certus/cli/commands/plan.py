"""``certus plan``: how many labelled rows a promise needs."""

from __future__ import annotations

from typing import Annotated

import typer

from certus.cli import options
from certus.cli.output import print_json, print_table, print_text


def command(
    error: Annotated[float, typer.Option(help="The error to be promised.", show_default=False)],
    confidence: options.Confidence = 0.95,
    true_error: Annotated[
        float | None, typer.Option(help="The error that the model is expected to have.", show_default=False)
    ] = None,
    pilot: Annotated[
        tuple[int, int] | None,
        typer.Option(help="Errors and rows of an earlier look at other rows.", show_default=False),
    ] = None,
    errors: Annotated[int, typer.Option(help="Show up to this many errors.", min=0, max=10_000)] = 5,
    json: options.Json = False,
) -> None:
    """Say how many fresh labelled rows certify an error, depending on how many errors will be seen."""
    from certus.verbs import plan

    found = plan(error, confidence, true_error=true_error, pilot=pilot)
    lines = found.table(errors)
    if json:
        print_json({**found.to_dict(errors), "rows": [line["rows"] for line in lines]})
        return
    print_text(found.goal)
    with_chance = found.true_error is not None
    rows = [(line["errors"], line["rows"], *([f"{line['chance']:.1%}"] if with_chance else [])) for line in lines]
    print_table(("errors seen", "rows needed", *(["chance"] if with_chance else [])), rows)
    if with_chance:
        for chance in (0.8, 0.9):
            needed = found.rows_for(chance)
            said = "no number of rows is enough" if needed is None else f"{needed} rows"
            print_text(f"if the true error is {found.true_error:g}, for a {chance:.0%} chance of success: {said}")
