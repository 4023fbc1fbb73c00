"""``certus monitor``: watch a deployed model from a growing table or a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from certus.cli import options
from certus.cli.failures import BROKEN_PROMISE
from certus.cli.output import print_json, print_text, say

if TYPE_CHECKING:
    from certus.cli.streams import Row
    from certus.cli.watch import Watch


def command(
    rows: Annotated[Path, typer.Argument(help="CSV file, or - for standard input.", show_default=False)],
    state: Annotated[Path, typer.Option(help="File that remembers what was counted.", show_default=False)],
    target: options.MaybeTarget = None,
    prediction: options.Prediction = None,
    loss_column: Annotated[
        str | None, typer.Option(help="Instead: column with the losses.", show_default=False)
    ] = None,
    loss: Annotated[
        Literal["error", "absolute", "squared"], typer.Option(help="What is watched for true values and predictions.")
    ] = "error",
    loss_range: options.Range = None,
    reference: Annotated[
        Path | None, typer.Option(help="Table of held-out rows with the same columns.", show_default=False)
    ] = None,
    errors: Annotated[int | None, typer.Option(help="Instead: errors among ...", show_default=False)] = None,
    of_rows: Annotated[int | None, typer.Option(help="... that many held-out rows.", show_default=False)] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Instead: a risk that must not be exceeded.", show_default=False)
    ] = None,
    tolerance: Annotated[float, typer.Option(help="Increase over the reference that is tolerated.")] = 0.0,
    confidence: Annotated[float, typer.Option(help="One minus the chance of a false alarm, ever.")] = 0.95,
    window: Annotated[int, typer.Option(help="What 'recent' means, in rows.")] = 1000,
    coverage: Annotated[
        float | None, typer.Option(help="Also keep adaptive conformal sets of this coverage.", show_default=False)
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="A saved model, whose certificates are watched.", show_default=False)
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="Rows after which the state is written.")] = 1000,
    only_new: Annotated[bool, typer.Option(help="The input has no row that was counted before.")] = False,
    json: options.Json = False,
) -> None:
    """Watch the loss of a deployed model; exit 1 when it has risen.

    The input is the whole stream so far: rows that the state has counted are skipped, after it was checked that they
    are the same ones, so that the command may be killed and run again at any time. The first call needs a
    reference; later ones go on with what the state remembers.
    """
    columns = _columns(target, prediction, loss_column)
    asked: dict[str, Any] = {
        "loss": "given" if loss_column is not None else loss,
        "loss_range": loss_range,
        "tolerance": tolerance,
        "confidence": confidence,
        "window": window,
        "coverage": coverage,
    }
    source = {"reference": reference, "errors": errors, "of_rows": of_rows, "threshold": threshold}
    watch = _watch(state, columns, asked, source, model)
    before = watch.rows
    _count(watch, rows, state, every, only_new)
    say(f"{watch.rows - before} new rows, {watch.rows} in all")
    if json:
        print_json({"rows_new": watch.rows - before, **watch.monitor.summary()})
    else:
        print_text(watch.monitor.text())
    if watch.monitor.alarm is not None:
        raise typer.Exit(BROKEN_PROMISE)


def _columns(target: str | None, prediction: str | None, loss_column: str | None) -> tuple[str, ...]:
    if loss_column is not None and target is None and prediction is None:
        return (loss_column,)
    if loss_column is None and target is not None and prediction is not None:
        return target, prediction
    raise ValueError("--target and --prediction must be given, or --loss-column alone.")


def _watch(
    state: Path, columns: tuple[str, ...], asked: dict[str, Any], source: dict[str, Any], model: Path | None
) -> Watch:
    """The watch of the state, or a new one; options that contradict the state are refused."""
    from certus.cli.watch import Watch, load

    known = load(state) if state.exists() else None
    if known is not None and known.columns != columns:
        raise ValueError(f"{state}: reads the columns {', '.join(known.columns)}, not {', '.join(columns)}.")
    if all(value is None for value in source.values()):
        if known is None:
            raise ValueError(
                f"{state}: there is no such state yet, so a reference is needed.\n"
                "Hint: --reference TABLE, or --errors 50 --of-rows 1000, or --threshold 0.05."
            )
        return known
    fresh = Watch(_monitor(columns, asked, source, model), columns)
    if known is None:
        return fresh
    if known.monitor.setting != fresh.monitor.setting:
        raise ValueError(
            f"{state}: was made with another reference or other settings.\n"
            "Hint: leave the reference out to go on with those of the state, or name another file with --state."
        )
    return known


def _monitor(columns: tuple[str, ...], asked: dict[str, Any], source: dict[str, Any], model: Path | None) -> Any:
    from certus.verbs import monitor

    given = dict(asked)
    if source["reference"] is not None:
        given |= _reference(source["reference"], columns, asked["loss"])
    if source["errors"] is not None or source["of_rows"] is not None:
        given |= {"errors": source["errors"], "rows": source["of_rows"]}
    if source["threshold"] is not None:
        given["threshold"] = source["threshold"]
    if model is not None:
        from certus.base import persistence

        given["model"] = persistence.load(model)
    return monitor(**given)


def _reference(table: Path, columns: tuple[str, ...], loss: str) -> dict[str, Any]:
    """Held-out rows, read like the stream."""
    from certus.cli.streams import opened, rows_of, same_label

    with opened(table) as stream:
        found = list(rows_of(stream, columns))
    if not found:
        raise ValueError(f"--reference: {table} has no rows.")
    if loss == "given":
        return {"losses": [row.numbers(columns)[0] for row in found]}
    if loss == "error":
        return {"losses": [float(not same_label(*row.texts(columns))) for row in found]}
    truth, predicted = zip(*(row.numbers(columns) for row in found), strict=True)
    return {"y_true": truth, "y_pred": predicted}


def _count(watch: Watch, source: Path, state: Path, every: int, only_new: bool) -> None:
    """Count what is new, and write the state after every `every` rows."""
    from certus.cli.streams import opened, rows_of

    with opened(source) as stream:
        found = rows_of(stream, watch.columns)
        if not only_new:
            _skip(found, watch)
        batch: list[Row] = []
        try:
            for row in found:
                batch.append(row)
                if len(batch) == every:
                    _count_batch(watch, batch, state)
                    batch = []
        except KeyboardInterrupt:
            say("interrupted; the rows counted so far are in the state")
            raise
    if batch or not state.exists():
        _count_batch(watch, batch, state)


def _count_batch(watch: Watch, batch: list[Row], state: Path) -> None:
    """Count, write the state, and only then speak: at once, since the stream may go on for long."""
    silent = watch.monitor.alarm is None
    if batch:
        watch.count(batch)
    watch.save(state)
    if silent and watch.monitor.alarm is not None:
        say(f"alarm at row {watch.monitor.alarm_row}")


def _skip(found: Iterator[Row], watch: Watch) -> None:
    """Pass over the rows that are counted already, and make sure that they are the same."""
    from certus.cli.streams import START, extended

    digest = START
    for seen in range(watch.rows):
        row = next(found, None)
        if row is None:
            raise ValueError(
                f"the input has {seen} rows, but {watch.rows} are counted already.\n"
                "Hint: give the whole stream from its first row, or --only-new for rows not counted yet."
            )
        digest = extended(digest, row)
    if digest != watch.digest:
        raise ValueError(
            f"the first {watch.rows} rows of the input are not those that were counted.\n"
            "Hint: give the whole stream from its first row, or --only-new for rows not counted yet."
        )
