"""``certus plan``: how many labeled rows a promise needs."""

from __future__ import annotations

from typing import Annotated, Literal

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
    hypotheses: Annotated[
        int | None,
        typer.Option(help="Plan training rows for a class of that many hypotheses.", min=1, show_default=False),
    ] = None,
    vc_dimension: Annotated[
        int | None, typer.Option(help="Plan training rows for a class of that VC dimension.", min=0, show_default=False)
    ] = None,
    setting: Annotated[
        Literal["realizable", "uniform", "agnostic"], typer.Option(help="What is promised about a finite class.")
    ] = "realizable",
    errors: Annotated[int, typer.Option(help="Show up to this many errors.", min=0, max=10_000)] = 5,
    json: options.Json = False,
) -> None:
    """Say how many fresh labeled rows certify an error, depending on how many errors will be seen.

    With --hypotheses or --vc-dimension: how many training rows a class of hypotheses needs, without held-out rows.
    """
    from certus.verbs import plan

    if hypotheses is not None or vc_dimension is not None:
        capacity = {"hypotheses": hypotheses, "vc_dimension": vc_dimension, "setting": setting}
        learned = plan(error, confidence, true_error=true_error, pilot=pilot, **capacity)
        print_json(learned.to_dict()) if json else print_text(str(learned))
        return
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
            answer = "no number of rows is enough" if needed is None else f"{needed} rows"
            print_text(
                f"if the true error is {found.true_error:g}, for success with probability {chance:.0%}: {answer}"
            )
