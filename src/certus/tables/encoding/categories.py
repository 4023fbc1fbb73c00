"""Category columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base import register_part
from certus.tables.encoding.restored import check_lengths, check_names

# Levels beyond these, by frequency, share one place: one 0/1 column, or one code.
LARGEST_ONE_HOT = 50
LARGEST_CODE = 250


@register_part("workflow")
class CategoryPart:
    """Categories: as 0/1 columns, or as whole-number codes with NaN for missing.

    Levels are ordered by frequency in training. Rare ones and those never seen share the place "other"; a
    missing entry is a level of its own if training had some.
    """

    _state = ("columns", "one_hot", "levels", "other")

    def __init__(self, columns: Sequence[str], one_hot: bool) -> None:
        self.columns = list(columns)
        self.one_hot = one_hot

    def fit(self, frame: pl.DataFrame) -> CategoryPart:
        """Learn the levels of every column."""
        largest = LARGEST_ONE_HOT if self.one_hot else LARGEST_CODE
        self.levels: list[list[str | None]] = []
        self.other: list[bool] = []
        for name in self.columns:
            counts = frame[name].cast(pl.String).alias("level").value_counts()
            if not self.one_hot:
                counts = counts.drop_nulls("level")
            ordered = counts.sort(["count", "level"], descending=[True, False])["level"].to_list()
            self.levels.append(ordered[:largest])
            self.other.append(len(ordered) > largest)
        return self

    def _restored(self) -> None:
        check_names(self.columns)
        if hasattr(self, "levels"):
            check_lengths(self.columns, levels=self.levels, other=self.other)
            for levels in self.levels:
                if not isinstance(levels, list):
                    raise ValueError("levels must be lists of texts")
                check_names([level for level in levels if level is not None], "levels")
                if levels.count(None) > 1:
                    raise ValueError("levels must be different")
            if not all(isinstance(one, bool) for one in [*self.other, self.one_hot]):
                raise ValueError("one_hot and other must be truth values")

    def transform(self, frame: pl.DataFrame) -> NDArray[np.float64]:
        """The columns as numbers."""
        parts = [
            self._one_hot(codes, len(levels), other) if self.one_hot else codes[:, None]
            for codes, levels, other in (
                (self._codes(frame[name], levels, other), levels, other)
                for name, levels, other in zip(self.columns, self.levels, self.other, strict=True)
            )
        ]
        return np.hstack([np.empty((frame.height, 0)), *parts])

    def _codes(self, column: pl.Series, levels: list[str | None], other: bool) -> NDArray[np.float64]:
        """Indices of the entries among the levels; beyond the last for "other", NaN for none."""
        texts = column.cast(pl.String)
        filled = [level for level in levels if level is not None]
        indices = [index for index, level in enumerate(levels) if level is not None]
        unseen = float(len(levels)) if other else None
        codes = texts.replace_strict(filled, indices, default=unseen, return_dtype=pl.Float64)
        missing = float(levels.index(None)) if None in levels else None
        codes = pl.select(pl.when(texts.is_null()).then(pl.lit(missing, dtype=pl.Float64)).otherwise(codes)).to_series()
        return codes.to_numpy()

    @staticmethod
    def _one_hot(codes: NDArray[np.float64], levels: int, other: bool) -> NDArray[np.float64]:
        columns = np.zeros((len(codes), levels + other))
        known = np.flatnonzero(~np.isnan(codes))
        columns[known, codes[known].astype(np.intp)] = 1.0
        return columns

    def names(self) -> list[str]:
        """Names of the columns that `transform` gives."""
        if not self.one_hot:
            return self.columns
        return [
            f"{name} = {'missing' if level is None else level}"
            for name, levels, other in zip(self.columns, self.levels, self.other, strict=True)
            for level in [*levels, *(["other"] if other else [])]
        ]
