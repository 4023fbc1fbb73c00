"""Number columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base import register_part
from certus.tables.encoding.restored import check_names, check_numbers
from certus.tables.entries import as_floats

Matrix = NDArray[np.float64]


@register_part("workflow")
class NumberPart:
    """Numbers: as they are with NaN for missing, or filled with the median and brought to mean 0, variance 1.

    A filled column that had missing values in training gets a second, 0/1 column that says where.
    """

    _state = ("columns", "scaled", "fill", "mean", "scale", "indicated")

    def __init__(self, columns: Sequence[str], scaled: bool) -> None:
        self.columns = list(columns)
        self.scaled = scaled

    def fit(self, frame: pl.DataFrame) -> NumberPart:
        """Learn medians, means and spreads."""
        values = _matrix(frame, self.columns)
        missing = np.isnan(values)
        self.fill = np.array(
            [np.median(v[~m]) if not m.all() else 0.0 for v, m in zip(values.T, missing.T, strict=True)]
        )
        filled = np.where(missing, self.fill, values)
        self.mean, spread = _mean_and_spread(filled)
        self.scale = np.where(spread > 0, spread, 1.0)
        self.indicated = missing.any(axis=0)
        return self

    def _restored(self) -> None:
        check_names(self.columns)
        if hasattr(self, "fill"):
            shape = (len(self.columns),)
            for name in ("fill", "mean"):
                check_numbers(getattr(self, name), shape, name)
            check_numbers(self.scale, shape, "scale", positive=True)
            where = self.indicated
            if not isinstance(where, np.ndarray) or where.dtype != np.bool_ or where.shape != shape:
                raise ValueError(f"indicated must be truth values of the shape {shape}")

    def transform(self, frame: pl.DataFrame) -> Matrix:
        """The columns as numbers."""
        values = _matrix(frame, self.columns)
        if not self.scaled:
            return values
        missing = np.isnan(values)
        scaled = (np.where(missing, self.fill, values) - self.mean) / self.scale
        return np.hstack([scaled, missing[:, self.indicated]])

    def names(self) -> list[str]:
        """Names of the columns that `transform` gives."""
        if not self.scaled:
            return self.columns
        return [*self.columns, *(f"{self.columns[i]} missing" for i in np.flatnonzero(self.indicated))]


def _mean_and_spread(values: Matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of every column; numbers so large that sums of their squares would overflow are measured in units of 2^600."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean, spread = values.mean(axis=0), values.std(axis=0)
    for column in np.flatnonzero(~np.isfinite(mean) | ~np.isfinite(spread)):
        small = values[:, column] * 2.0**-600
        mean[column], spread[column] = small.mean() * 2.0**600, small.std() * 2.0**600
    return mean, spread


def _matrix(frame: pl.DataFrame, columns: list[str]) -> Matrix:
    """The columns as floats; missing and infinite values are NaN."""
    if not columns:
        return np.empty((frame.height, 0))
    chosen = frame if frame.columns == columns else frame.select(columns)  # choosing thousands of columns takes long
    kinds = set(chosen.dtypes)
    if all(kind.is_numeric() or kind == pl.Boolean for kind in kinds):
        values = (chosen if kinds == {pl.Float64} else chosen.cast(pl.Float64)).to_numpy(writable=True)
    else:
        values = np.empty((frame.height, len(columns)))
        for index, name in enumerate(columns):
            values[:, index] = as_floats(frame[name])
    values[np.isinf(values)] = np.nan
    return values
