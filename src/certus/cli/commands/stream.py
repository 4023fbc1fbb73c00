"""``certus stream``: learn from a growing table or a pipe, row by row."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Literal

import typer

from certus.cli import options
from certus.cli.output import certificates_of, print_json, print_text, say

if TYPE_CHECKING:
    from certus.cli.row_batches import Batch, RowReader
    from certus.online import StreamProgress

STATE_NAME = "the state of a stream"


def command(
    rows: Annotated[Path, typer.Argument(help="CSV or JSON lines; - for standard input.", show_default=False)],
    target: options.Target,
    learner: Annotated[
        Literal["logistic", "perceptron", "pa", "winnow", "square", "vaw"],
        typer.Option(help="What learns; square and vaw predict numbers."),
    ] = "logistic",
    state: Annotated[
        Path | None, typer.Option(help="File that remembers what was learned.", show_default=False)
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="Rows after which the state is written.")] = 1000,
    only_new: Annotated[bool, typer.Option(help="The input has no row that was learned before.")] = False,
    on_bad_row: Annotated[
        Literal["stop", "skip"], typer.Option(help="What to do with a row that cannot be read.")
    ] = "stop",
    predictions: Annotated[
        Path | None, typer.Option(help="CSV file for predictions, made before each label.", show_default=False)
    ] = None,
    model: Annotated[Path | None, typer.Option(help="File for the model, at the end.", show_default=False)] = None,
    json: options.Json = False,
) -> None:
    """Learn from a stream: predict every row, then learn it.

    The input is the whole stream so far: rows that the state has learned are skipped, after it was checked that they
    are the same ones, so that the command may be killed and run again at any time; the end is the same to the bit.
    Numbers are centered and scaled as they come, texts become indicators, empty cells say nothing.
    """
    started = time.perf_counter()
    _keep_apart(rows, state=state, predictions=predictions, model=model)
    progress = _progress(state, target, learner)
    with _opened(rows) as stream, _predictions(predictions, progress) as told:
        from certus.cli.row_batches import RowReader

        may_grow = state is not None
        reader = RowReader(stream, target, numeric=not progress.table.classifies, may_grow=may_grow)
        if not only_new:
            _skip(reader, progress)
        _learn(reader, progress, state, every, on_bad_row == "stop", told)
    if model is not None:
        from certus.base import persistence

        persistence.save(progress.table, model)
    _show(progress, time.perf_counter() - started, json=json)


def _keep_apart(rows: Path, **outputs: Path | None) -> None:
    """No file may be written over the input or over another one."""
    from certus.base.persistence import is_one_of

    before: list[Path] = [rows]
    for name, path in outputs.items():
        if path is None:
            continue
        if is_one_of(path, before) or path in before:
            raise ValueError(f"--{name}: {path} is given twice.\nHint: name another file.")
        before.append(path)


def _progress(state: Path | None, target: str, learner: str) -> StreamProgress:
    """What the state remembers, or a new start; options that contradict the state are refused."""
    from certus.online import StreamProgress

    if state is None or not state.exists():
        return StreamProgress(target, learner)
    from certus.base import persistence

    known = persistence.load(state)
    if not isinstance(known, StreamProgress):
        raise ValueError(f"{state}: not {STATE_NAME}.\nHint: name another file with --state.")
    if (known.target, known.table.learner) != (target, learner):
        raise ValueError(
            f"{state}: learns {known.target!r} with --learner {known.table.learner}, not {target!r} with {learner}.\n"
            "Hint: name another file with --state."
        )
    return known


@contextlib.contextmanager
def _opened(source: Path) -> Iterator[BinaryIO]:
    if str(source) == "-":
        yield sys.stdin.buffer
        return
    with source.open("rb") as stream:
        yield stream


@contextlib.contextmanager
def _predictions(path: Path | None, progress: StreamProgress) -> Iterator[BinaryIO | None]:
    """The file of predictions, cut back to what the state knows of it."""
    if path is None:
        yield None
        return
    if progress.predicted == 0:
        with path.open("wb") as stream:
            stream.write(b"row,prediction\n")
            yield stream
        return
    with path.open("r+b") as stream:
        if stream.seek(0, 2) < progress.predicted:
            raise ValueError(
                f"{path}: shorter than what was written to it.\nHint: give the file of the earlier run, or leave "
                "--predictions out."
            )
        stream.truncate(progress.predicted)
        stream.seek(progress.predicted)
        yield stream


def _skip(reader: RowReader, progress: StreamProgress) -> None:
    """Pass over the rows that are learned already, and make sure that they are the same."""
    import zlib
    from itertools import islice

    checksum = count = 0
    for raw in islice(reader.raw_rows(), progress.rows):
        checksum, count = zlib.crc32(raw, checksum), count + 1
    if (checksum, count) != (progress.checksum, progress.rows):
        raise ValueError(
            f"the first {progress.rows} rows of the input are not those that were learned.\n"
            "Hint: give the whole stream from its first row, or --only-new for rows not learned yet."
        )


def _learn(
    reader: RowReader, progress: StreamProgress, state: Path | None, every: int, stops: bool, told: BinaryIO | None
) -> None:
    """Learn what is new, piece by piece; the state is written after every piece."""
    announced = max(progress.rows, every)
    for batch in reader.batches(every, progress.rows + 1):
        stopped_by = batch.bad[0] if stops and batch.bad else None
        _learn_batch(batch, progress, told, until=stopped_by[0] if stopped_by else None)
        if told is not None:
            told.flush()
            progress.predicted = told.tell()
        if state is not None:
            from certus.base import persistence

            persistence.save(progress, state)
        if stopped_by is not None:
            raise ValueError(
                f"row {stopped_by[0]}: {stopped_by[1]}.\nHint: mend it, or pass over such rows with --on-bad-row skip."
            )
        if progress.rows >= 2 * announced:
            announced = max(progress.rows, every)
            say(_line(progress))
    if state is not None and not state.exists():
        from certus.base import persistence

        persistence.save(progress, state)


def _learn_batch(batch: Batch, progress: StreamProgress, told: BinaryIO | None, until: int | None) -> None:
    """Learn the good rows of a piece, up to the row before the one at which to stop."""
    good = batch.good if until is None else [number for number in batch.good if number < until]
    played = progress.learn(
        {name: series.head(len(good)) for name, series in batch.cells.items()}, batch.target.head(len(good))
    )
    for row, reason in batch.bad if until is None else ():
        progress.passed_over(row, reason)
    kept = len(batch.raw) if until is None else until - batch.first
    progress.read(b"".join(batch.raw[:kept]), kept)
    if told is not None and len(good):
        import polars as pl

        values = pl.Series([None if label is None else str(label) for label in played.tolist()], dtype=pl.String)
        told.write(pl.DataFrame({"row": good, "prediction": values}).write_csv(include_header=False).encode())


def _line(progress: StreamProgress) -> str:
    """The account in one line."""
    found: dict[str, Any] = progress.summary()
    if not found["learned"]:
        return f"{found['rows']} rows, none learned"
    what = "mean squared error" if found["interval"] is None else "error"
    line = f"{found['rows']} rows: {what} {found['mean_loss']:.4g}"
    if found["interval"] is not None:
        low, high = found["interval"]
        line += f", at every look between {low:.4g} and {high:.4g}"
    if found["regret"] is not None:
        line += f"; regret {found['regret']:.4g}, at most {found['bound']:.4g}"
    return line + (f"; {found['bad_rows']} bad rows" if found["bad_rows"] else "")


def _show(progress: StreamProgress, seconds: float, *, json: bool) -> None:
    found = progress.summary()
    if json:
        certificates = certificates_of(progress.certificates())
        print_json({**found, "seconds": round(seconds, 3), "certificates": certificates})
        return
    print_text(_line(progress))
    for item in progress.certificates():
        print_text(item.claim)
    for bad in found["bad"][:5]:
        say(f"row {bad['row']}: {bad['reason']}")
