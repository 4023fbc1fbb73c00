"""A look over the table before anything is learned: what is odd, and what it may mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import chi2_contingency, ks_2samp

from certus.tables.encoding import as_floats
from certus.workflow.columns import Columns

# Share of a column's missing values, of one class, of equal rows from which it is worth a word.
MANY_MISSING = 0.3
RARE_CLASS = 0.05
MANY_DUPLICATES = 0.01
# Drift: first against last third, significant after correction and of a size that matters.
DRIFT_LEVEL = 1e-3
DRIFT_SIZE = 0.1
LARGEST_DRIFT_SAMPLE = 20_000
LARGEST_COLUMN_COUNT = 1_000


@dataclass(frozen=True)
class ColumnProfile:
    """Facts about one column."""

    name: str
    use: str  # number, category, date, text, target, or "not used: why"
    type: str
    missing: int
    distinct: int


@dataclass(frozen=True)
class Profile:
    """Facts about a table, and sentences about what is odd in it."""

    rows: int
    columns: list[ColumnProfile]
    duplicates: int
    classes: dict[str, int] = field(default_factory=dict)
    drifting: dict[str, float] = field(default_factory=dict)

    def remarks(self) -> Iterator[str]:
        """What a careful reader of the table would say."""
        for column in self.columns:
            if column.missing > MANY_MISSING * self.rows and not column.use.startswith("not used"):
                yield f"column {column.name!r}: {column.missing} of {self.rows} values are missing"
        if self.duplicates > MANY_DUPLICATES * self.rows:
            yield f"{self.duplicates} of {self.rows} rows repeat an earlier one"
        total = sum(self.classes.values())
        for label, count in self.classes.items():
            if count < RARE_CLASS * total:
                yield f"class {label!r} is rare: {count} of {total} rows (--measure balanced_error looks at each class)"
        for name, distance in self.drifting.items():
            yield f"column {name!r} drifts: first and last rows differ by {distance:.2f} (--order splits by time)"

    def to_dict(self) -> dict[str, Any]:
        """The profile as plain values."""
        return {
            "rows": self.rows,
            "duplicates": self.duplicates,
            "classes": self.classes,
            "drifting": self.drifting,
            "columns": [vars(column) for column in self.columns],
            "remarks": list(self.remarks()),
        }


def profile_table(frame: pl.DataFrame, columns: Columns, targets: Sequence[str], *, classification: bool) -> Profile:
    """Types, missing values, duplicates, class sizes and drift of a table."""
    facts = [
        ColumnProfile(
            name, _use(name, columns, targets), str(frame[name].dtype), frame[name].null_count(), _distinct(frame[name])
        )
        for name in frame.columns
    ]
    keys = [*columns.used, *targets]
    duplicates = frame.height - frame.select(keys).n_unique() if keys else 0
    classes = {}
    if classification and len(targets) == 1:
        counts = (
            frame[targets[0]]
            .cast(pl.String)
            .alias("label")
            .value_counts()
            .sort(["count", "label"], descending=[True, False])
        )
        classes = dict(zip(counts["label"].to_list(), counts["count"].to_list(), strict=True))
    return Profile(frame.height, facts, duplicates, classes, _drifting(frame, columns))


def _use(name: str, columns: Columns, targets: Sequence[str]) -> str:
    if name in targets:
        return "target"
    return columns.kind(name) or f"not used: {columns.left_out.get(name, 'set aside')}"


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
    """Total variation distance, and the chi-square test of equal shares."""
    levels = pl.concat([first, last]).cast(pl.String).fill_null("").unique().sort()
    counts = np.array([_counts(part, levels) for part in (first, last)], dtype=float)
    kept: NDArray[Any] = counts[:, counts.sum(axis=0) >= 5]
    if kept.shape[1] < 2:
        return 0.0, 1.0
    shares = counts / counts.sum(axis=1, keepdims=True)
    return float(np.abs(shares[0] - shares[1]).sum() / 2), float(chi2_contingency(kept).pvalue)


def _counts(part: pl.Series, levels: pl.Series) -> NDArray[Any]:
    places = part.cast(pl.String).fill_null("").replace_strict(levels, range(levels.len()), return_dtype=pl.Int64)
    return np.bincount(places.to_numpy(), minlength=levels.len())
