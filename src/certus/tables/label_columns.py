"""Columns of labels as arrays: of one target, or of several targets with two values each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray


def labels_of(column: pl.Series) -> NDArray[Any]:
    """Labels as an array: whole numbers and truth values as they are, everything else as text."""
    return _values(column, numbers=_holds_numbers(column))


def two_values(columns: Sequence[pl.Series]) -> NDArray[Any]:
    """The two values of every column, smaller first, as one array: numbers if all columns hold them, else texts."""
    numbers = all(_holds_numbers(column) for column in columns)
    return np.stack([np.unique(_values(column, numbers=numbers)) for column in columns])


def label_matrix(frame: pl.DataFrame, targets: Sequence[str], values: NDArray[Any]) -> NDArray[Any]:
    """The targets of all rows in the type of their ``two_values``, one column each."""
    return np.stack([_values(frame[name], numbers=values.dtype.kind in "biu") for name in targets], axis=1)


def _holds_numbers(column: pl.Series) -> bool:
    return column.dtype.is_integer() or column.dtype == pl.Boolean


def _values(column: pl.Series, *, numbers: bool) -> NDArray[Any]:
    return column.to_numpy() if numbers else np.asarray(column.cast(pl.String).to_list())
