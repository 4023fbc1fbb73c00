"""Tables of labels as learners of structure read them: the states of every column, and codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.graphical.networks.tables.coded_columns import coded_column, columns_of

Codes = NDArray[np.int32]
MOST_NUMBERS = 30  # distinct numbers of a column beyond which they are measurements rather than labels
HINT = "Hint: Discretizer(method='mdl' or 'quantile') cuts numeric columns into intervals."


@dataclass(frozen=True)
class StateColumns:
    """The columns of a table by the places of their labels.

    Parameters
    ----------
    names : tuple of str
        The columns.
    labels : tuple of tuples
        The states of each, in ascending order where they have one.
    codes : ndarray of shape (columns, rows)
        Places of labels; -1 where a cell is missing.
    """

    names: tuple[str, ...]
    labels: tuple[tuple[Any, ...], ...]
    codes: Codes

    @property
    def arities(self) -> list[int]:
        return [len(found) for found in self.labels]

    @property
    def rows(self) -> int:
        return self.codes.shape[1]

    def places(self, names: Sequence[str], what: str) -> list[int]:
        """Places of columns by name."""
        for name in names:
            if name not in self.names:
                raise ValueError(f"{what} must name columns of the table, got {name!r}.\nHint: {_listed(self.names)}.")
        return [self.names.index(name) for name in names]


def state_columns(table: Any, *, complete: bool = True) -> StateColumns:
    """Read a table; with ``complete`` a missing cell is an error, and so are columns of measurements anyway."""
    columns = columns_of(table)
    if not columns or not len(next(iter(columns.values()))):
        raise ValueError(f"The table must have at least one column and one row, got {_shape(columns)}.")
    labels = {name: _labels(name, cells) for name, cells in columns.items()}
    codes = np.stack([_codes(cells, name, labels[name]) for name, cells in columns.items()])
    if complete and (codes < 0).any():
        column, row = np.argwhere(codes < 0)[0]
        raise ValueError(
            f"Rows must be complete to learn a structure, got a missing cell in column {list(columns)[column]!r}, row "
            f"{row}.\nHint: leave such rows out, or make 'missing' a state; learn_tables takes missing cells."
        )
    return StateColumns(tuple(columns), tuple(labels.values()), np.ascontiguousarray(codes, dtype=np.int32))


def _labels(name: str, cells: pl.Series) -> tuple[Any, ...]:
    if isinstance(cells.dtype, pl.Enum):
        return tuple(cells.dtype.categories)
    if cells.dtype == pl.Object:
        found = _distinct(name, [cell for cell in cells.to_list() if cell is not None])
        numbers = [cell for cell in found if isinstance(cell, float) and not cell.is_integer()]
        if numbers:
            raise ValueError(_measured(name, numbers[0]))
        return _ordered(name, found)
    present = cells.drop_nulls()
    if present.dtype.is_float():
        present = present.drop_nans()
        if present.is_infinite().any():
            raise ValueError(f"Column {name!r} must hold labels, got infinity.\n{HINT}")
        parts = present.filter(present != present.floor())
        if len(parts):
            raise ValueError(_measured(name, parts[0]))
        present = present.cast(pl.Int64)
    if present.dtype == pl.Categorical:
        present = present.cast(pl.String)
    if present.dtype.is_nested():
        return _ordered(name, _distinct(name, present.to_list()))
    distinct = present.unique()
    if distinct.dtype.is_numeric() and len(distinct) > MOST_NUMBERS:
        raise ValueError(_measured(name, distinct[0], len(distinct)))
    return _ordered(name, distinct.to_list())


def _distinct(name: str, cells: list[Any]) -> list[Any]:
    """Labels that differ, as they come; a cell that does not equal itself is missing."""
    try:
        return list(dict.fromkeys(cell for cell in cells if cell == cell))
    except TypeError:
        raise ValueError(
            f"Column {name!r} must hold labels that can be told apart, got a {type(cells[0]).__name__}.\n"
            "Hint: numbers, texts, dates and tuples can."
        ) from None


def _ordered(name: str, labels: list[Any]) -> tuple[Any, ...]:
    if not labels:
        raise ValueError(f"Column {name!r} must have at least one cell that is not missing, got none.")
    try:
        return tuple(sorted(labels))
    except TypeError:
        return tuple(labels)


def _codes(cells: pl.Series, name: str, labels: tuple[Any, ...]) -> Codes:
    if cells.dtype.is_integer() and not cells.null_count():
        return np.searchsorted(np.array(labels), cells.to_numpy()).astype(np.int32)
    return coded_column(cells, name, labels)


def _measured(name: str, cell: Any, distinct: int = 0) -> str:
    what = f"{distinct} distinct numbers" if distinct else f"the number {cell!r}"
    return f"Column {name!r} must hold labels or at most {MOST_NUMBERS} whole numbers, got {what}.\n{HINT}"


def _shape(columns: dict[str, pl.Series]) -> str:
    return f"{len(columns)} columns and {len(next(iter(columns.values()))) if columns else 0} rows"


def _listed(names: Sequence[str]) -> str:
    return f"its columns are {', '.join(map(repr, names[:8]))}{', ...' if len(names) > 8 else ''}"
