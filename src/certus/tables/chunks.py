"""Tables of any size, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from certus.tables.delimited import MISSING, find_dialect
from certus.tables.read import read_table
from certus.tables.table_error import TableError

ROWS_AT_ONCE = 100_000


def read_chunks(path: Path | str) -> Iterator[pl.DataFrame]:
    """The rows of a file in order, at most so many at once.

    Columns of text files are read as text: a model knows which of them are numbers, a piece does not.
    """
    lazy = _scan(Path(path)) if str(path) != "-" else None
    if lazy is None:
        frame = read_table(path)
        for first in range(0, frame.height, ROWS_AT_ONCE):
            yield frame[first : first + ROWS_AT_ONCE]
        return
    rows = 0
    try:
        for piece in lazy.collect_batches(chunk_size=ROWS_AT_ONCE, maintain_order=True):
            rows += piece.height
            yield piece
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise TableError(
            f"Cannot read {Path(path).name!r} after row {rows}: {reason}\nHint: look at the next row of the file."
        ) from error
    if rows == 0:
        raise TableError("The table has no rows.\nHint: a header alone is not enough.")


def _scan(path: Path) -> pl.LazyFrame | None:
    """A lazy table for the kinds that can be read in pieces, else None."""
    if not path.is_file():
        raise TableError(f"There is no file {str(path)!r}.\nHint: check the path.")
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv", ".txt") and path.stat().st_size:
        dialect = find_dialect(path)
        scanned = pl.scan_csv(path, separator=dialect.separator, null_values=list(MISSING), infer_schema=False)
        return _with_points(scanned, dialect.names) if dialect.decimal_comma else scanned
    if kind == ".parquet":
        return pl.scan_parquet(path)
    return pl.scan_ipc(path) if kind in (".arrow", ".feather") else None


def _with_points(scanned: pl.LazyFrame, names: list[str]) -> pl.LazyFrame:
    """Decimal commas as decimal points, in entries that are numbers."""
    return scanned.with_columns(pl.col(name).str.replace(r"^([+-]?\d+),(\d+)$", "$1.$2") for name in names)
