"""Rows of a CSV or JSON-lines stream in pieces, each row with its number and, if it is bad, the reason."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO

import polars as pl

from certus.base.inputs import LARGEST
from certus.cli.streams import SEPARATORS

Fields = dict[str, str]
# What `str.strip` strips.
WHITE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
WHITE += "\u2028\u2029\u202f\u205f\u3000"


@dataclass
class Batch:
    """Some rows that follow each other.

    Parameters
    ----------
    first : int
        Number of the first row, from 1.
    raw : list of bytes
        The rows as they came.
    cells : dict of Series
        Text cells of the good rows by column, without the target.
    target : Series
        Their targets.
    good : list of int
        Their numbers.
    bad : list of (int, str)
        Numbers and reasons of the others.
    """

    first: int
    raw: list[bytes]
    cells: dict[str, pl.Series] = field(default_factory=dict)
    target: pl.Series = field(default_factory=lambda: pl.Series([], dtype=pl.String))
    good: list[int] = field(default_factory=list)
    bad: list[tuple[int, str]] = field(default_factory=list)


class RowReader:
    """Reads a stream in pieces.

    Parameters
    ----------
    stream : binary file
        CSV with a line of names, or a JSON object per line.
    target : str
        Column of the target.
    numeric : bool
        Whether targets are numbers.
    may_grow : bool
        Whether a last row that is not complete is left for the next time.
    """

    def __init__(self, stream: BinaryIO, target: str, *, numeric: bool, may_grow: bool) -> None:
        self._stream, self._target, self._numeric, self._may_grow = stream, target, numeric, may_grow
        first = stream.readline().removeprefix(codecs.BOM_UTF8)
        if not first.strip():
            raise ValueError("the input is empty.\nHint: it must begin with a line of column names, or be JSON lines.")
        self._ahead: list[bytes] = []
        self._header: list[str] | None = None
        self._separator = ","
        if first.lstrip().startswith(b"{"):
            self._ahead = [first]
        else:
            self._read_header(first)

    def _read_header(self, first: bytes) -> None:
        try:
            line = first.decode("utf-8").strip("\r\n")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"the first line is not UTF-8 at byte {error.start + 1}.\nHint: convert the input to UTF-8."
            ) from None
        self._separator = max(SEPARATORS, key=lambda mark: len(_split(line, mark)))
        self._header = [name.strip() for name in _split(line, self._separator)]
        if self._target not in self._header:
            raise ValueError(
                f"the input has no column {self._target!r}.\nHint: it has {', '.join(map(repr, self._header))}."
            )
        if len(set(self._header)) < len(self._header):
            twice = next(name for name in self._header if self._header.count(name) > 1)
            raise ValueError(f"the input has two columns {twice!r}.\nHint: give every column a name of its own.")

    def raw_rows(self) -> Iterator[bytes]:
        """The rows as they are, quoted line ends joined, empty lines left out."""
        while True:
            line = self._ahead.pop() if self._ahead else self._stream.readline()
            if not line:
                return
            while self._header is not None and _is_open(line, self._separator):
                more = self._stream.readline()
                if not more:
                    break
                line += more
            if line.strip():
                yield line

    def batches(self, size: int, first: int) -> Iterator[Batch]:
        """Pieces of so many rows; the first row has this number."""
        rows = self.raw_rows()
        while raw := list(islice(rows, size)):
            batch = self._batch(raw, first)
            first += len(batch.raw)
            if batch.raw:
                yield batch

    def _batch(self, raw: list[bytes], first: int) -> Batch:
        fast = self._fast(raw, first)
        if fast is not None:
            return fast
        rows: list[Fields] = []
        batch = Batch(first, raw)
        for number, line in enumerate(raw, start=first):
            try:
                rows.append(self._checked(self._fields(line)))
                batch.good.append(number)
            except ValueError as error:
                batch.bad.append((number, str(error)))
        last = first + len(raw) - 1
        if self._may_grow and batch.bad and batch.bad[-1][0] == last and not raw[-1].endswith(b"\n"):
            batch.bad.pop()
            batch.raw = raw[:-1]
        names = dict.fromkeys(name for row in rows for name in row) if self._header is None else self._header
        for name in names:
            series = pl.Series([row.get(name) for row in rows], dtype=pl.String)
            if name == self._target:
                batch.target = series
            else:
                batch.cells[name] = series
        return batch

    def _fast(self, raw: list[bytes], first: int) -> Batch | None:
        """The same for plain CSV rows without a defect, much sooner; None if there is anything to look at."""
        header, mark = self._header, self._separator.encode()
        if header is None or any(line.count(mark) != len(header) - 1 for line in raw):
            return None
        text = b"".join(raw)
        if b'"' in text or not _is_utf8(text):
            return None
        frame = pl.read_csv(
            io.BytesIO(text if text.endswith(b"\n") else text + b"\n"),
            has_header=False,
            new_columns=header,
            separator=self._separator,
            quote_char=None,
            infer_schema=False,
        ).with_columns(pl.all().fill_null("").str.strip_chars(WHITE))
        target = frame[self._target]
        if len(frame) != len(raw) or (target == "").any():
            return None
        if self._numeric and not _are_numbers(target):
            return None
        cells = {name: frame[name] for name in header if name != self._target}
        return Batch(first, raw, cells, target, list(range(first, first + len(raw))))

    def _fields(self, line: bytes) -> Fields:
        try:
            text = line.decode("utf-8").strip("\r\n")
        except UnicodeDecodeError as error:
            raise ValueError(f"is not UTF-8 at byte {error.start + 1}") from None
        if self._header is None:
            return _json_fields(text)
        try:
            # Without a quote as the fast way does it, so that what a row is does not depend on its neighbors.
            plain = '"' not in text
            fields = (
                text.split(self._separator)
                if plain
                else next(csv.reader([text], delimiter=self._separator, strict=True))
            )
        except (csv.Error, StopIteration) as error:
            raise ValueError(f"is not CSV: {error}") from None
        if len(fields) != len(self._header):
            without = self._header[len(fields) : len(fields) + 1]
            missing = f"; the first without a value is {without[0]!r}" if without else ""
            raise ValueError(f"has {len(fields)} fields, the first line has {len(self._header)}{missing}")
        return {name: cell.strip() for name, cell in zip(self._header, fields, strict=True)}

    def _checked(self, fields: Fields) -> Fields:
        target = fields.get(self._target, "")
        if not target:
            raise ValueError(f"column {self._target!r} is empty")
        if self._numeric and not _are_numbers(pl.Series([target])):
            raise ValueError(f"column {self._target!r} must hold a number up to {LARGEST:g}, got {target[:40]!r}")
        return fields


def _json_fields(text: str) -> Fields:
    try:
        record: Any = json.loads(text)
        if "\\u" in text:
            json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("holds half of a pair of surrogates, which is no character") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, ValueError) and not isinstance(error, json.JSONDecodeError):
            raise ValueError("holds a whole number with too many digits") from None
        place = f" at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"is not complete JSON{place}") from None
    if not isinstance(record, dict):
        raise ValueError("is not a JSON object")
    fields = {}
    for name, value in record.items():
        if isinstance(value, list | dict):
            raise ValueError(f"field {name!r} must hold a number or a text, got {json.dumps(value)[:40]}")
        if value is not None:
            fields[name] = value.strip() if isinstance(value, str) else json.dumps(value)
    return fields


def _are_numbers(cells: pl.Series) -> bool:
    """Whether all cells are numbers that can be learned."""
    values = cells.cast(pl.Float64, strict=False)
    return bool((values.abs() <= LARGEST).fill_null(False).all())


def _split(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator), [])


def _is_open(line: bytes, separator: str) -> bool:
    """Whether a quoted field goes on after this line; a quote inside a plain field (5" disk) opens none."""
    if b'"' not in line:
        return False
    try:
        next(csv.reader([line.decode("utf-8", "replace").rstrip("\r\n")], delimiter=separator, strict=True), None)
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
