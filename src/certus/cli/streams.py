"""Rows of a CSV stream, from a file or standard input, one at a time and with a running digest."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

SEPARATORS = (",", ";", "\t", "|")
START = hashlib.sha256(b"certus monitor").hexdigest()


@dataclass(frozen=True)
class Row:
    """The asked columns of one row.

    Parameters
    ----------
    number : int
        Number of the row in the input, from 1.
    cells : tuple of str
        What is in the columns.
    """

    number: int
    cells: tuple[str, ...]

    def numbers(self, names: Sequence[str]) -> list[float]:
        """The cells as numbers."""
        found = []
        for name, cell in zip(names, self.cells, strict=True):
            try:
                value = float(cell.replace(",", ".") if cell.count(",") == 1 and "." not in cell else cell)
            except ValueError:
                value = math.nan
            if math.isnan(value):
                raise ValueError(f"row {self.number}: column {name!r} must hold a number, got {cell!r}.")
            found.append(value)
        return found

    def texts(self, names: Sequence[str]) -> tuple[str, ...]:
        """The cells as labels; an empty one is refused."""
        for name, cell in zip(names, self.cells, strict=True):
            if not cell:
                raise ValueError(
                    f"row {self.number}: column {name!r} is empty.\nHint: leave rows out until their label is known."
                )
        return self.cells


def extended(digest: str, row: Row) -> str:
    """The digest of all rows so far, with this one added."""
    return hashlib.sha256("\x1f".join((digest, *row.cells)).encode()).hexdigest()


def same_label(one: str, other: str) -> bool:
    """Whether two labels are equal, as text or as numbers."""
    if one == other or one.lower() == other.lower() in ("true", "false"):
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        return False


@contextlib.contextmanager
def opened(source: Path) -> Iterator[TextIO]:
    """The stream behind a path; ``-`` is standard input."""
    if str(source) == "-":
        yield sys.stdin
        return
    with source.open(encoding="utf-8-sig", newline="") as stream:
        yield stream


def _fields(line: str, separator: str) -> list[str]:
    """The names in the first line of the input."""
    return [name.strip() for name in next(csv.reader([line], delimiter=separator), [])]


def rows_of(stream: TextIO, names: Sequence[str]) -> Iterator[Row]:
    """The asked columns, row by row. A last row that is still being written is left for the next time."""
    first = stream.readline()
    if not first:
        raise ValueError("the input is empty.\nHint: it must begin with a line of column names.")
    separator = max(SEPARATORS, key=lambda mark: len(set(names) & set(_fields(first, mark))))
    reader = csv.reader(stream, delimiter=separator)
    header = _fields(first, separator)
    for name in names:
        if name not in header:
            raise ValueError(f"the input has no column {name!r}.\nHint: it has {', '.join(map(repr, header))}.")
    indices = [header.index(name) for name in names]
    number, short = 0, None
    for fields in reader:
        if not fields:
            continue
        if short is not None:
            raise ValueError(f"row {short} has fewer fields than the first line.")
        number += 1
        if len(fields) < len(header):
            short = number
            continue
        yield Row(number, tuple(fields[index].strip() for index in indices))
