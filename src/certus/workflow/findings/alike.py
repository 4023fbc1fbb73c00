"""Which columns of numbers tell the same: a tree of mergers by rank correlation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from certus.evaluation import merge_columns
from certus.tables import as_floats

FEWEST_COLUMNS = 3
LARGEST_COLUMN_COUNT = 200  # wider tables: their first columns
LARGEST_SAMPLE = 2_000


@dataclass(frozen=True)
class AlikeColumns:
    """Mergers of columns in scipy's form: the two groups, 1 - |rank correlation|, the size of the new group."""

    columns: list[str]
    merges: list[list[float]]


def alike_columns(frame: pl.DataFrame, numbers: list[str]) -> AlikeColumns | None:
    """The tree of a table's first rows, a missing value as the median; None for fewer than three columns."""
    names = numbers[:LARGEST_COLUMN_COUNT]
    if len(names) < FEWEST_COLUMNS:
        return None
    values = np.column_stack([as_floats(frame[name][:LARGEST_SAMPLE]) for name in names])
    values[~np.isfinite(values)] = np.nan
    empty = np.isnan(values).all(axis=0)
    middles = np.zeros(len(names))
    middles[~empty] = np.nanmedian(values[:, ~empty], axis=0)
    filled = np.where(np.isnan(values), middles, values)
    return AlikeColumns(names, merge_columns(filled).tolist())
