"""Date columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base import register_part
from certus.tables.encoding.restored import check_names, check_numbers
from certus.tables.entries import moments_of

_DAY = 86_400.0
# What turns in a circle: its name, how polars calls it, and how many steps a turn has.
_CYCLES = (("month", "month", 12), ("weekday", "weekday", 7), ("hour", "hour", 24))


@register_part("workflow")
class DatePart:
    """Dates: the day as a number, and month, weekday and hour as points on a circle.

    ``scaled`` brings days to mean 0 and variance 1 and fills missing dates with the mean; else they are NaN.
    """

    _state = ("columns", "scaled", "mean", "scale")

    def __init__(self, columns: Sequence[str], scaled: bool) -> None:
        self.columns = list(columns)
        self.scaled = scaled

    def fit(self, frame: pl.DataFrame) -> DatePart:
        """Learn where the days lie."""
        days = [moments_of(frame[name]).dt.epoch("s").drop_nulls().to_numpy() / _DAY for name in self.columns]
        self.mean = np.array([values.mean() if len(values) else 0.0 for values in days])
        self.scale = np.array([values.std() or 1.0 if len(values) else 1.0 for values in days])
        return self

    def _restored(self) -> None:
        check_names(self.columns)
        if hasattr(self, "mean"):
            check_numbers(self.mean, (len(self.columns),), "mean")
            check_numbers(self.scale, (len(self.columns),), "scale", positive=True)

    def transform(self, frame: pl.DataFrame) -> NDArray[np.float64]:
        """The columns as numbers."""
        parts = [np.empty((frame.height, 0))]
        for name, mean, scale in zip(self.columns, self.mean, self.scale, strict=True):
            moments = moments_of(frame[name])
            days = moments.dt.epoch("s").cast(pl.Float64).to_numpy() / _DAY
            turns = [
                2 * np.pi * getattr(moments.dt, call)().cast(pl.Float64).to_numpy() / steps
                for _, call, steps in _CYCLES
            ]
            values = np.column_stack(
                [(days - mean) / scale if self.scaled else days, *(f(turn) for turn in turns for f in (np.sin, np.cos))]
            )
            parts.append(np.nan_to_num(values) if self.scaled else values)
        return np.hstack(parts)

    def names(self) -> list[str]:
        """Names of the columns that `transform` gives."""
        cycles = [f"{cycle} {f}" for cycle, _, _ in _CYCLES for f in ("sine", "cosine")]
        return [f"{name} {what}" for name in self.columns for what in ["day", *cycles]]
