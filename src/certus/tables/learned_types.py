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
    own = set(frame.columns)
    known = {name: kind for name, kind in kinds.items() if name in own}  # the model names all that it misses
    plain = _plain_numbers(frame.select(name for name, kind in known.items() if kind == "number"))
    columns = []
    for name, kind in known.items():
        if kind == "number":
            if name not in plain:
                columns.append(pl.Series(name, as_floats(frame[name], first_row)).fill_nan(None))
        elif kind == "date":
            columns.append(moments_of(frame[name]))
        else:
            columns.append(frame[name] if frame[name].dtype == pl.String else frame[name].cast(pl.String))
    return frame.with_columns([*plain.values(), *columns])


def _plain_numbers(frame: pl.DataFrame) -> dict[str, pl.Series]:
    """The columns whose entries are plain numbers, as floats: all at once, since a table may have thousands."""
    dtypes = frame.schema
    likely = [name for name, kind in dtypes.items() if kind == pl.String or kind.is_numeric() or kind == pl.Boolean]
    read = frame.select(pl.col(likely).cast(pl.Float64, strict=False))
    lost = read.null_count().row(0) if likely else ()
    had = frame.select(likely).null_count().row(0) if likely else ()
    whole = [name for name, after, before in zip(likely, lost, had, strict=True) if after == before]
    kept = read.select(pl.col(whole).fill_nan(None))
    return dict(zip(whole, kept.get_columns(), strict=True))


def without_absurd(frame: pl.DataFrame, usual: Mapping[str, tuple[float, float]]) -> tuple[pl.DataFrame, pl.Series]:
    """The rows with absurd numbers as missing ones, and for every row which columns these were in.

    ``usual`` has the mean and the spread of every column of numbers in training.
    """
    flags: NDArray[np.object_] = np.full(frame.height, "", dtype=object)
    cleared = []
    floats = {name for name, kind in frame.schema.items() if kind.is_float()}
    for name, (mean, spread) in usual.items():
        if name not in floats:
            continue
        values = frame[name].to_numpy()
        with np.errstate(over="ignore", invalid="ignore"):
            far = np.isinf(values) | (np.abs(values - mean) > FARTHEST * max(spread, abs(mean), 1e-300))
        if far.any():
            cleared.append(pl.Series(name, np.where(far, np.nan, values)).fill_nan(None))
            for row in np.flatnonzero(far):
                flags[row] = f"{flags[row]}; {name}" if flags[row] else f"absurd, taken as missing: {name}"
    return frame.with_columns(cleared), pl.Series("flag", [flag or None for flag in flags.tolist()], dtype=pl.String)
