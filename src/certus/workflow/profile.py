"""A look over the table before anything is learned: what is odd, and what it may mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import chi2_contingency, ks_2samp

from certus.tables.encoding import as_floats
from certus.workflow.columns import Columns
from certus.workflow.notes import Note

# Fraction of a column's missing values, of one class, of equal rows from which it is worth a word.
MANY_MISSING = 0.3
RARE_CLASS = 0.05
MANY_DUPLICATES = 0.01
# Drift: first against last third, significant after correction and of a size that matters.
DRIFT_LEVEL = 1e-3
FEWEST_SORTED = 20
DRIFT_SIZE = 0.1
MANY_DRIFTING = 3  # columns, of which one sentence is enough
LARGEST_DRIFT_SAMPLE = 20_000
LARGEST_COLUMN_COUNT = 1_000


class Use(Enum):
    """What a column is used for."""

    NUMBER = "number"
    CATEGORY = "category"
    DATE = "date"
    TEXT = "text"
    TARGET = "target"
    NONE = "not used"


@dataclass(frozen=True)
class ColumnProfile:
    """Facts about one column; ``why`` says why it is not used."""

    name: str
    use: Use
    why: str
    type: str
    missing: int
    distinct: int

    @property
    def described(self) -> str:
        """Its use in words."""
        return f"{self.use.value}: {self.why}" if self.why else self.use.value

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        facts = {"name": self.name, "use": self.described, "type": self.type}
        return {**facts, "missing": self.missing, "distinct": self.distinct}


@dataclass(frozen=True)
class Profile:
    """Facts about a table, and sentences about what is odd in it."""

    rows: int
    columns: list[ColumnProfile]
    duplicates: int
    classes: dict[str, int] = field(default_factory=dict)
    drifting: dict[str, float] = field(default_factory=dict)
    ordered: bool = False
    sorted_by_target: bool = False

    def remarks(self) -> Iterator[Note]:
        """What a careful reader of the table would say."""
        for column in self.columns:
            if column.missing > MANY_MISSING * self.rows and column.use is not Use.NONE:
                yield Note(f"column {column.name!r}: {column.missing} of {self.rows} values are missing")
        if self.duplicates > MANY_DUPLICATES * self.rows:
            yield Note(f"{self.duplicates} of {self.rows} rows repeat an earlier one")
        total = sum(self.classes.values())
        for label, count in self.classes.items():
            if count < RARE_CLASS * total:
                yield Note(
                    f"class {label!r} is rare: {count} of {total} rows (measure=balanced_error weighs classes equally)",
                    ["measure"],
                )
        if self.sorted_by_target:
            yield Note("the table is sorted by the target: first and last rows differ by that, not by time")
        else:
            yield from self._drift()

    def _drift(self) -> Iterator[Note]:
        """Columns that drift: one by one, or many in one sentence with the worst."""
        way, options = ("", []) if self.ordered else (" (order splits by time)", ["order"])
        worst = sorted(self.drifting.items(), key=lambda item: -item[1])
        if len(worst) > MANY_DRIFTING:
            name, distance = worst[0]
            told = f"{len(worst)} columns drift, most of all {name!r}: the distributions of its first and last rows are"
            yield Note(f"{told} {distance:.2f} apart{way}", options)
            return
        for name, distance in self.drifting.items():
            apart = f"column {name!r} drifts: the distributions of its first and last rows are {distance:.2f} apart"
            yield Note(f"{apart}{way}", options)

    def to_dict(self) -> dict[str, Any]:
        """The profile as plain values."""
        return {
            "rows": self.rows,
            "duplicates": self.duplicates,
            "classes": self.classes,
            "drifting": self.drifting,
            "columns": [column.to_dict() for column in self.columns],
            "remarks": list(self.remarks()),
        }


def profile_table(
    frame: pl.DataFrame,
    columns: Columns,
    targets: Sequence[str],
    class_sizes: Mapping[str, int],
    *,
    ordered: bool = False,
) -> Profile:
    """Types, missing values, duplicates, class sizes and drift of a table."""
    facts = [_column_profile(frame[name], columns, targets) for name in frame.columns]
    keys = [*columns.used, *targets]
    duplicates = frame.height - frame.select(keys).n_unique() if keys else 0
    drifting = _drifting(frame, columns)
    by_target = len(targets) == 1 and _is_sorted(frame[targets[0]])
    return Profile(frame.height, facts, duplicates, dict(class_sizes), drifting, ordered, by_target)


def _is_sorted(target: pl.Series) -> bool:
    """Whether equal targets stand together: as many runs as different values."""
    runs = target.rle_id().n_unique()
    return runs == target.n_unique() < target.len() and target.len() >= FEWEST_SORTED


def _column_profile(column: pl.Series, columns: Columns, targets: Sequence[str]) -> ColumnProfile:
    kind = columns.kind(column.name)
    use = Use.TARGET if column.name in targets else Use(kind) if kind is not None else Use.NONE
    why = columns.left_out.get(column.name, "set aside") if use is Use.NONE else ""
    return ColumnProfile(column.name, use, why, str(column.dtype), column.null_count(), _distinct(column))


def _distinct(column: pl.Series) -> int:
    return column.drop_nulls().n_unique() if column.dtype not in (pl.List, pl.Struct, pl.Object) else column.len()


def _drifting(frame: pl.DataFrame, columns: Columns) -> dict[str, float]:
    """Columns whose first and last third of rows differ, with the distance between the two distributions."""
    third = min(frame.height // 3, LARGEST_DRIFT_SAMPLE)
    names = [*columns.numbers[:LARGEST_COLUMN_COUNT], *columns.categories[:LARGEST_COLUMN_COUNT]]
    found, numbers = {}, set(columns.numbers)
    for name in names if third >= 30 else []:
        first, last = frame[name].head(third), frame[name].tail(third)
        distance, p = _number_drift(first, last) if name in numbers else _category_drift(first, last)
        if p * len(names) < DRIFT_LEVEL and distance > DRIFT_SIZE:
            found[name] = round(distance, 4)
    return found


def _number_drift(first: pl.Series, last: pl.Series) -> tuple[float, float]:
    a, b = (as_floats(part.drop_nulls()) for part in (first, last))
    if min(len(a), len(b)) == 0:
        return 0.0, 1.0
    result = ks_2samp(a, b, method="asymp")
    return float(result.statistic), float(result.pvalue)


def _category_drift(first: pl.Series, last: pl.Series) -> tuple[float, float]:
    """Total variation distance, and the chi-square test of equal frequencies."""
    levels = pl.concat([first, last]).cast(pl.String).fill_null("").unique().sort()
    counts = np.array([_counts(part, levels) for part in (first, last)], dtype=float)
    kept: NDArray[Any] = counts[:, counts.sum(axis=0) >= 5]
    if kept.shape[1] < 2:
        return 0.0, 1.0
    frequencies = counts / counts.sum(axis=1, keepdims=True)
    return float(np.abs(frequencies[0] - frequencies[1]).sum() / 2), float(chi2_contingency(kept).pvalue)


def _counts(part: pl.Series, levels: pl.Series) -> NDArray[Any]:
    indices = part.cast(pl.String).fill_null("").replace_strict(levels, range(levels.len()), return_dtype=pl.Int64)
    return np.bincount(indices.to_numpy(), minlength=levels.len())
