"""New rows in the types that a model learned: each column read once, by the kind that it had in training."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.tables.entries import as_floats, moments_of

# Numbers further from the mean of training than so many spreads are typing errors, not observations.
FARTHEST = 1e9


def as_learned(frame: pl.DataFrame, kinds: Mapping[str, str], first_row: int = 0) -> pl.DataFrame:
    """The columns that a model knows: numbers as floats, dates as moments, everything else as text."""
    columns = []
    for name, kind in kinds.items():
        if name not in frame.columns:
            continue  # the model names all that it misses
        column = frame[name]
        if kind == "number":
            columns.append(pl.Series(name, as_floats(column, first_row)).fill_nan(None))
        elif kind == "date":
            columns.append(moments_of(column))
        else:
            columns.append(column if column.dtype == pl.String else column.cast(pl.String))
    return frame.with_columns(columns)


def without_absurd(frame: pl.DataFrame, usual: Mapping[str, tuple[float, float]]) -> tuple[pl.DataFrame, pl.Series]:
    """The rows with absurd numbers as missing ones, and for every row which columns these were in.

    ``usual`` has the mean and the spread of every column of numbers in training.
    """
    flags: NDArray[np.object_] = np.full(frame.height, "", dtype=object)
    cleared = []
    for name, (mean, spread) in usual.items():
        column = frame[name] if name in frame.columns else None
        if column is None or not column.dtype.is_float():
            continue
        values = column.to_numpy()
        with np.errstate(over="ignore", invalid="ignore"):
            far = np.isinf(values) | (np.abs(values - mean) > FARTHEST * max(spread, abs(mean), 1e-300))
        if far.any():
            cleared.append(pl.Series(name, np.where(far, np.nan, values)).fill_nan(None))
            for row in np.flatnonzero(far):
                flags[row] = f"{flags[row]}; {name}" if flags[row] else f"absurd, taken as missing: {name}"
    return frame.with_columns(cleared), pl.Series("flag", [flag or None for flag in flags.tolist()], dtype=pl.String)
