"""``certus predict``: a saved model on a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from certus.cli.output import print_json, print_text, say


def command(
    model: Annotated[Path, typer.Argument(help="A saved model.", show_default=False)],
    table: Annotated[Path, typer.Argument(help="Rows to predict.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File for the predictions; stdout without it.", show_default=False),
    ] = None,
    probabilities: Annotated[bool, typer.Option(help="Add the probability of every label.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Use a saved model on a table: one prediction per row, in the table's order.

    In CSV files, texts that a spreadsheet would run as a formula get an apostrophe in front.
    """
    from certus.base import persistence
    from certus.cli.tables import input_of, read_table, safe_for_spreadsheets, write_table

    loaded = persistence.load(model)
    found = _predictions(loaded, input_of(loaded, read_table(table)), probabilities)
    if output is not None:
        write_table(found, output)
        say(f"{found.height} predictions written to {output}")
    if json:
        told = {} if output is not None else {"predictions": found.to_dicts()}
        print_json({"model": str(model), "rows": found.height, "output": output and str(output), **told})
    elif output is None:
        print_text(safe_for_spreadsheets(found).write_csv().rstrip("\n"))


def _predictions(model: Any, rows: Any, probabilities: bool) -> Any:
    import polars as pl

    columns = {"prediction": pl.Series(model.predict(rows).tolist())}
    if probabilities:
        if not hasattr(model, "predict_proba"):
            raise ValueError(f"--probabilities: a {type(model).__name__} of this kind gives none.")
        shares = model.predict_proba(rows)
        columns |= {f"probability of {label}": shares[:, place] for place, label in enumerate(model.classes_)}
    return pl.DataFrame(columns)
