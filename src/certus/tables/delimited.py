"""Delimited text: separator and decimal mark found out, and every defect named with its line and column."""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

import polars as pl

from certus.tables.column_types import read_with_types
from certus.tables.encodings import in_utf8
from certus.tables.table_error import TableError

SEPARATORS = (",", ";", "\t", "|")
# Entries that mean "missing", besides the empty one.
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "?")
_SNIFFED_LINES = 200
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_MAYBE_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_DECIMAL_POINT = re.compile(r"[+-]?\d+\.\d+")
# A column is a number column with foreign entries if at most this fraction of its entries are not numbers.
_FOREIGN_FRACTION = 0.01


@dataclass(frozen=True)
class Dialect:
    """How the file writes its fields."""

    separator: str
    decimal_comma: bool
    names: list[str]
    thousands: str = ""  # a number that may have been meant with separators of thousands


def read_delimited(
    source: Path | IO[bytes], told: list[str] | None = None, encoding: str | None = None
) -> pl.DataFrame:
    """A table from a CSV, TSV or similar file (gzip too), or from an open binary stream; guesses are told."""
    told = [] if told is None else told
    source = in_utf8(source, encoding, told)
    dialect = find_dialect(source)
    if dialect.thousands:
        told.append(
            f"numbers like {dialect.thousands} are read with a decimal comma, as {dialect.thousands.replace(',', '.')}"
        )
    check_names(dialect.names)
    try:
        frame = read_with_types(
            source,
            separator=dialect.separator,
            decimal_comma=dialect.decimal_comma,
            null_values=list(MISSING),
        )
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        _check_encoding(source)
        check_widths(source, dialect)
        raise TableError(f"{str(error).splitlines()[0]}\nHint: look at that line of the file.") from error
    if frame.height and frame[:, -1].null_count():  # a short row ends in missing values
        check_widths(source, dialect)
    _check_foreign_entries(frame, source, dialect)
    return frame


@contextmanager
def _fields_of_any_length() -> Iterator[None]:
    """Python's own reader refuses fields of more than 131 072 characters; documents may be longer."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@_fields_of_any_length()
def find_dialect(source: Path | IO[bytes]) -> Dialect:
    """Separator, decimal mark and column names, from the first lines."""
    with _opened(source) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
        lines = [line for line in islice(text, _SNIFFED_LINES) if line.strip()]
        text.detach()
    if not lines:
        raise TableError("the file has no content.\nHint: it needs a header line and rows.")
    separator = max(SEPARATORS, key=lambda mark: _consistency(lines, mark))
    rows = list(csv.reader(lines, delimiter=separator))
    fields = [field.strip() for row in rows[1:] for field in row] if separator != "," else []
    commas = sum(bool(_DECIMAL_COMMA.fullmatch(field)) for field in fields)
    points = sum(bool(_DECIMAL_POINT.fullmatch(field)) for field in fields)
    decimal = commas > points
    numbers = [field for field in fields if _DECIMAL_COMMA.fullmatch(field)] if decimal else []
    unclear = bool(numbers) and all(_MAYBE_THOUSANDS.fullmatch(field) for field in numbers)
    return Dialect(separator, decimal, rows[0], numbers[0] if unclear else "")


def _consistency(lines: list[str], separator: str) -> tuple[float, int]:
    """How many lines agree on the number of fields (more than one), then how many fields that is."""
    widths = Counter(len(row) for row in csv.reader(lines, delimiter=separator) if row)
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    header = len(next(csv.reader(lines[:1], delimiter=separator)))
    return (count / sum(widths.values()) if width > 1 else 0.0) + (header == width and width > 1), width


def check_names(names: list[str]) -> None:
    """Refuse columns of the same name."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if name in seen:
            raise TableError(
                f"line 1 names column {number} {name!r}, like column {seen[name]}.\n"
                "Hint: give each column its own name."
            )
        seen[name] = number


def _check_encoding(source: Path | IO[bytes]) -> None:
    """The first line that is not UTF-8."""
    with _opened(source) as stream:
        for number, line in enumerate(stream, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise TableError(
                    f"line {number}, character {error.start + 1}: byte 0x{line[error.start]:02x} is not UTF-8 text.\n"
                    "Hint: save the file as UTF-8."
                ) from error


def check_widths(source: Path | IO[bytes], dialect: Dialect) -> None:
    """The first row whose number of fields is not that of the header."""
    width = len(dialect.names)
    for number, row in _rows(source, dialect.separator):
        if row and len(row) != width:
            where = f"after column {row_name(dialect, len(row))}" if len(row) < width else f"field {width + 1}"
            fields = "1 field" if len(row) == 1 else f"{len(row)} fields"
            raise TableError(
                f"line {number} has {fields}, the header has {width} ({where}).\n"
                f"Hint: look for a missing or superfluous {dialect.separator!r}, or an unquoted text that contains it."
            )


def row_name(dialect: Dialect, fields: int) -> str:
    """The name of the last column that a row of so many fields has."""
    return repr(dialect.names[max(fields, 1) - 1])


def _check_foreign_entries(frame: pl.DataFrame, source: Path | IO[bytes], dialect: Dialect) -> None:
    """A column of numbers in which a few entries are not numbers: named, since guessing would hide an error."""
    for number, name in enumerate(frame.columns, 1):
        column = frame[name]
        if column.dtype != pl.String or column.len() == column.null_count():
            continue
        texts = column.str.strip_chars().str.replace(",", ".") if dialect.decimal_comma else column.str.strip_chars()
        foreign = texts.cast(pl.Float64, strict=False).is_null() & column.is_not_null()
        count, filled = int(foreign.sum()), column.len() - column.null_count()
        if 0 < count <= max(_FOREIGN_FRACTION * filled, 1) and filled >= 20 * count:
            row = int(foreign.arg_max() or 0)
            line = next(
                islice((number for number, fields in _rows(source, dialect.separator) if fields), row, None), row + 2
            )
            others = f" ({count} such entries)" if count > 1 else ""
            raise TableError(
                f"line {line}, column {number} ({name!r}): {column[row]!r} is not a number, the others are{others}.\n"
                "Hint: fix the cell, or leave it empty if the value is missing."
            )


def _rows(source: Path | IO[bytes], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and fields below the header; a quoted field may span lines, then its first line counts."""
    with _opened(source) as stream, _fields_of_any_length():
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
        reader = csv.reader(text, delimiter=separator)
        next(reader, None)
        line = reader.line_num + 1
        for row in reader:
            yield line, row
            line = reader.line_num + 1
        text.detach()


@contextmanager
def _opened(source: Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """The bytes from the start; a stream of the caller's stays open."""
    if not isinstance(source, Path):
        source.seek(0)
        yield source
    elif source.suffix.lower() == ".gz":
        with gzip.open(source, "rb") as stream:
            yield stream  # type: ignore[misc]
    else:
        with source.open("rb") as stream:
            yield stream
