"""Tables of any size, a piece at a time, in the types that a model learned."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import polars as pl

from certus.tables.delimited import MISSING, check_names, check_widths, find_dialect
from certus.tables.encodings import in_utf8, unpacked
from certus.tables.learned_types import as_learned
from certus.tables.read import read_table, readable_twice
from certus.tables.table_error import TableError

ROWS_AT_ONCE = 100_000
_TEXTS = (".csv", ".tsv", ".txt")


def read_chunks(
    path: Path | str, kinds: Mapping[str, str], told: list[str] | None = None, encoding: str | None = None
) -> Iterator[pl.DataFrame]:
    """The rows of a file in order, at most so many at once, with the columns that a model knows in its own types.

    Parameters
    ----------
    path : path or "-"
        The table.
    kinds : dict of str to str
        How the model learned each column: "number", "category", "date" or "text".
    told : list of str, optional
        Guesses are added to it.
    encoding : str, optional
        Of text files.
    """
    told = [] if told is None else told
    rows = 0
    with readable_twice(path) as file:  # texts of standard input are not typed by its rows either
        for piece in _pieces(file, told, encoding):
            yield as_learned(piece, kinds, rows)
            rows += piece.height
    if rows == 0:
        raise TableError("The table has no rows.\nHint: a header alone is not enough.")


def _pieces(path: Path, told: list[str], encoding: str | None) -> Iterator[pl.DataFrame]:
    kinds = [suffix.lower() for suffix in path.suffixes[-2:]]
    text = bool(kinds) and (kinds[-1] in _TEXTS or (kinds[-1] == ".gz" and kinds[0] in _TEXTS))
    if text:
        if not path.is_file():
            raise TableError(f"There is no file {str(path)!r}.\nHint: check the path.")
        yield from _text_pieces(in_utf8(path, encoding, told), path.name)
        return
    if path.is_file() and kinds and kinds[-1] in (".parquet", ".arrow", ".feather"):
        yield from _batches(pl.scan_parquet(path) if kinds[-1] == ".parquet" else pl.scan_ipc(path), path.name)
        return
    frame = read_table(path, told=told, encoding=encoding, texts=True)
    for first in range(0, frame.height, ROWS_AT_ONCE):
        yield frame[first : first + ROWS_AT_ONCE]


def _text_pieces(source: Path | IO[bytes], name: str) -> Iterator[pl.DataFrame]:
    """Pieces of delimited text, all columns as text; defects are refused as a study refuses them."""
    if isinstance(source, Path) and source.suffix.lower() == ".gz":
        source = io.BytesIO(unpacked(source))
    dialect = find_dialect(source)
    check_names(dialect.names)
    if not isinstance(source, Path):
        source.seek(0)
    scanned = pl.scan_csv(source, separator=dialect.separator, null_values=list(MISSING), infer_schema=False)
    checked = False
    for piece in _batches(scanned, name):
        if not checked and piece[:, -1].null_count():  # a short row ends in missing values
            check_widths(source, dialect)
            checked = True
        yield piece


def _batches(lazy: pl.LazyFrame, name: str) -> Iterator[pl.DataFrame]:
    rows = 0
    try:
        for piece in lazy.collect_batches(chunk_size=ROWS_AT_ONCE, maintain_order=True):
            rows += piece.height
            yield piece
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise TableError(
            f"Cannot read {name!r} after row {rows}: {reason}\nHint: look at the next row of the file."
        ) from error
