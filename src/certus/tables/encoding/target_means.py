"""Categories with many levels, by what the target was there.

With targets brought to mean 0 and variance 1, level l of a column becomes ``sum of targets / (rows + m)``, m = 10: its
mean target, drawn towards that of all rows as long as few are known. A row must not see its own target, or rare levels
would give it away: training rows get the means of the other four of five parts, new rows those of all. Of classes
every one but the first has a column, of numbers there is one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base import register_part
from certus.tables.encoding.restored import check_lengths, check_names, check_numbers

FEWEST_LEVELS = 50  # with fewer, 0/1 columns say all
MOST_CLASSES = 10
DRAWN = 10.0  # rows that the mean of all counts for
_PARTS = 5

Matrix = NDArray[np.float64]


@register_part("workflow")
class TargetPart:
    """The smoothed mean target of every level of columns with many of them."""

    _state = ("columns", "levels", "means", "width")

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = list(columns)

    def fit(self, frame: pl.DataFrame, y: NDArray[np.generic] | None = None) -> TargetPart:
        """Learn the mean target of every level; without a target, or with few levels, there is nothing to learn."""
        targets = None if y is None else _numeric(np.asarray(y))
        if targets is None:
            self.columns = []
            targets = np.zeros((frame.height, 0))
        self.columns = [name for name in self.columns if frame[name].n_unique() > FEWEST_LEVELS]
        self.width = targets.shape[1]
        learned = [_means(frame[name].cast(pl.String), targets) for name in self.columns]
        self.levels: list[list[str]] = [levels for levels, _ in learned]
        self.means: list[Matrix] = [means for _, means in learned]
        return self

    def _restored(self) -> None:
        check_names(self.columns)
        if hasattr(self, "levels"):
            check_lengths(self.columns, levels=self.levels, means=self.means)
            if isinstance(self.width, bool) or not isinstance(self.width, int) or self.width < 0:
                raise ValueError("width must be a whole number")
            for levels, means in zip(self.levels, self.means, strict=True):
                check_names(levels, "levels")
                check_numbers(means, (len(levels), self.width), "means")

    def transform(self, frame: pl.DataFrame) -> Matrix:
        """The means of the levels of new rows; 0, that of all rows, where a level is not known."""
        found = [
            _looked_up(frame[name].cast(pl.String), levels, means)
            for name, levels, means in zip(self.columns, self.levels, self.means, strict=True)
        ]
        return np.hstack([np.empty((frame.height, 0)), *found])

    def out_of_fold(self, frame: pl.DataFrame, y: NDArray[np.generic] | None) -> Matrix:
        """The means of training rows, each from rows of other parts."""
        targets = None if y is None else _numeric(np.asarray(y))
        if targets is None or not self.columns:
            return np.empty((frame.height, 0))
        part_of = np.random.default_rng(0).permutation(frame.height) % _PARTS
        values = np.empty((frame.height, len(self.columns) * targets.shape[1]))
        for part in range(_PARTS):
            seen, unseen = part_of != part, part_of == part
            blocks = []
            for name in self.columns:
                texts = frame[name].cast(pl.String)
                levels, means = _means(texts.filter(pl.Series(seen)), targets[seen])
                blocks.append(_looked_up(texts.filter(pl.Series(unseen)), levels, means))
            values[unseen] = np.hstack(blocks)
        return values

    def names(self) -> list[str]:
        """Names of the columns that `transform` gives."""
        ends = [""] if self.width == 1 else [f" {index}" for index in range(self.width)]
        return [f"{name}: mean target{end}" for name in self.columns for end in ends]


def _numeric(y: NDArray[np.generic]) -> Matrix | None:
    """One column per number or class but the first, of mean 0 and variance 1; None for targets that have no mean."""
    if y.ndim != 1 or not len(y):
        return None
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) <= MOST_CLASSES:
        values = np.eye(len(classes))[codes][:, 1:]
    elif y.dtype.kind == "f":
        values = np.asarray(y, dtype=np.float64)[:, None]
    else:
        return None
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)


def _means(texts: pl.Series, targets: Matrix) -> tuple[list[str], Matrix]:
    """The levels in order, and their smoothed mean targets."""
    levels, codes = np.unique(np.asarray(texts.drop_nulls().to_list(), dtype=object).astype(str), return_inverse=True)
    known = targets[~texts.is_null().to_numpy()]
    counts = np.bincount(codes, minlength=len(levels))[:, None]
    sums = np.zeros((len(levels), known.shape[1]))
    np.add.at(sums, codes, known)
    return levels.tolist(), sums / (counts + DRAWN)


def _looked_up(texts: pl.Series, levels: list[str], means: Matrix) -> Matrix:
    places = texts.replace_strict(levels, range(len(levels)), default=None, return_dtype=pl.Int64)
    known = places.is_not_null().to_numpy()
    values = np.zeros((texts.len(), means.shape[1]))
    values[known] = means[places.drop_nulls().to_numpy()]
    return values
