"""``certus predict``: a saved model on a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from certus.cli import options
from certus.cli.output import print_json, print_text, say


def command(
    model: options.SavedModel,
    table: Annotated[
        Path,
        typer.Argument(help="Rows to predict; - for standard input; or a folder of such files.", show_default=False),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File for the predictions; stdout without it. A folder, for a folder of tables.",
            show_default=False,
        ),
    ] = None,
    key: options.Key = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of a text file.", show_default=False)] = None,
    json: options.Json = False,
) -> None:
    """Use a saved model on a table of any size: one prediction per row, in the table's order.

    Columns: those named by --key; prediction; probability_<label> for every label; set, the labels that cannot be
    ruled out, or lower and upper, the ends of the interval, if the model was calibrated; flag, which numbers of the
    row are absurd (1e9 spreads from what was learned) and were taken as missing. With several targets
    prediction_<target>, probability_<target> (of its second label) and set_<target>; of clusters prediction and
    distance. In CSV files, texts that a spreadsheet would run as a formula get an apostrophe in front.

    Of a folder, every file is predicted into a file of its name below --output. Run again after an interruption, the
    command goes on where it stopped.
    """
    from certus.base import persistence
    from certus.cli.model_tables import check_output, write_pieces

    if table.is_dir():
        _folder(model, table, output, key or [], encoding, json)
        return
    check_output(output, model, table)
    pieces = _pieces(persistence.load(model), table, key or [], encoding)
    if output is not None:
        rows = write_pieces(pieces, output)
        say(f"{rows} predictions written to {output}")
        if json:
            print_json({"model": str(model), "rows": rows, "output": str(output)})
    elif json:
        found = [row for piece in pieces for row in piece.to_dicts()]
        print_json({"model": str(model), "rows": len(found), "output": None, "predictions": found})
    else:
        _print(pieces)


def _folder(model: Path, tables: Path, output: Path | None, keys: list[str], encoding: str | None, json: bool) -> None:
    from certus.base import persistence
    from certus.cli.folders import FolderOfPredictions

    if output is None:
        raise ValueError("--output must name a folder where the table is one.\nHint: -o predictions/")
    loaded = persistence.load(model)
    files, rows = FolderOfPredictions(output, tables, model, keys).fill(
        lambda table: _pieces(loaded, table, keys, encoding)
    )
    say(f"{rows} predictions of {files} files written to {output}")
    if json:
        print_json({"model": str(model), "files": files, "rows": rows, "output": str(output)})


def _pieces(model: Any, table: Path, keys: list[str], encoding: str | None) -> Iterator[Any]:
    from certus.cli.model_tables import beside, column, input_of, read_table
    from certus.tables import read_chunks, without_absurd

    told: list[str] = []
    if not getattr(model, "reads_tables", False):  # it needs the types of the whole table
        frame = read_table(table, told=told, encoding=encoding)
        kept = [column(frame, name, "--key") for name in keys]
        yield beside(kept, _predictions(model, input_of(model, frame)))
        return
    usual = model.usual_numbers
    for number, piece in enumerate(read_chunks(table, model.column_kinds, told, encoding)):
        if number == 0:
            for guess in told:
                say(guess)
        kept = [column(piece, name, "--key") for name in keys]
        cleared, flags = without_absurd(input_of(model, piece), usual)
        yield beside(kept, _predictions(model, cleared).with_columns(flags))


def _print(pieces: Iterator[Any]) -> None:
    from certus.cli.model_tables import safe_for_spreadsheets

    for number, piece in enumerate(pieces):
        print_text(safe_for_spreadsheets(piece).write_csv(include_header=number == 0).rstrip("\n"))


def _predictions(model: Any, rows: Any) -> Any:
    import polars as pl

    if getattr(model, "several", False):
        return _label_sets(model, rows)
    labels = getattr(model, "classes_", None)
    if hasattr(model, "predict_all"):
        predictions, probabilities, sets = model.predict_all(rows)
    else:
        predictions, sets = model.predict(rows), None
        probabilities = model.predict_proba(rows) if labels is not None and hasattr(model, "predict_proba") else None
    columns = {"prediction": pl.Series(predictions.tolist())}
    if hasattr(model, "distances"):
        columns["distance"] = model.distances(rows)
    if probabilities is not None and labels is not None:
        columns |= {f"probability_{label}": probabilities[:, index] for index, label in enumerate(labels)}
    if sets is not None and labels is None:
        columns |= {"lower": sets[:, 0], "upper": sets[:, 1]}
    elif sets is not None and labels is not None:
        columns["set"] = _sets(sets, [str(label) for label in labels])
    return pl.DataFrame(columns)


def _sets(inside: Any, names: list[str]) -> Any:
    """The labels joined by bars: one text for every different set, then one of these for every row."""
    import numpy as np
    import polars as pl

    packed = np.ascontiguousarray(np.packbits(inside, axis=1))
    keys = packed.view(f"V{packed.shape[1]}")[:, 0]
    _, first, set_of_row = np.unique(keys, return_index=True, return_inverse=True)
    texts = [" | ".join(name for name, kept in zip(names, row, strict=True) if kept) for row in inside[first]]
    return pl.Series(texts, dtype=pl.String)[set_of_row]


def _label_sets(model: Any, rows: Any) -> Any:
    """The columns of a model of several targets."""
    import polars as pl

    names, predictions = model.targets_, model.predict(rows)
    columns = {f"prediction_{name}": pl.Series(predictions[:, index].tolist()) for index, name in enumerate(names)}
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(rows)
        columns |= {f"probability_{name}": probabilities[:, index] for index, name in enumerate(names)}
    if model.threshold_ is not None:
        inside = model.predict_set(rows)
        for index, name in enumerate(names):
            first, second = map(str, model.classes_[index])
            texts = {(True, True): f"{first} | {second}", (True, False): first, (False, True): second}
            columns[f"set_{name}"] = pl.Series([texts[tuple(pair)] for pair in inside[:, index].tolist()])
    return pl.DataFrame(columns)
