"""Step 2, the data: reading a table, looking it over, and dividing its rows once and for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.workflow.errors import StudyError
from certus.workflow.task import Task

_READERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    ".csv": lambda path: pl.read_csv(path, try_parse_dates=True, infer_schema_length=10_000),
    ".tsv": lambda path: pl.read_csv(path, separator="\t", try_parse_dates=True, infer_schema_length=10_000),
    ".parquet": pl.read_parquet,
    ".arrow": pl.read_ipc,
    ".feather": pl.read_ipc,
    ".jsonl": pl.read_ndjson,
    ".ndjson": pl.read_ndjson,
}


def read_table(source: Any) -> pl.DataFrame:
    """A table from a file or from any data frame that narwhals knows (pandas, polars, pyarrow)."""
    if isinstance(source, pl.DataFrame):
        frame = source
    elif isinstance(source, str | Path):
        frame = _read_file(Path(source))
    elif nw.dependencies.is_into_dataframe(source):
        frame = nw.from_native(source, eager_only=True).to_polars()
    else:
        raise StudyError(
            f"A table must be a file or a data frame. Got {type(source).__name__} instead.\n"
            "Hint: pass a path, or a pandas, polars or pyarrow table."
        )
    if frame.height == 0:
        raise StudyError("The table has no rows.\nHint: a header alone is not enough to learn from.")
    return frame


def _read_file(path: Path) -> pl.DataFrame:
    if not path.is_file():
        raise StudyError(f"There is no file {str(path)!r}.")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise StudyError(f"Cannot read {path.name!r}: unknown ending.\nHint: supported are {sorted(_READERS)}.")
    try:
        return reader(path)
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise StudyError(f"Cannot read {path.name!r}: {reason}\nHint: open it in an editor at that place.") from error


@dataclass(frozen=True)
class Columns:
    """Which columns are used and how, and why the others are not."""

    numbers: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def used(self) -> list[str]:
        """All columns that the model sees, in a fixed order."""
        return [*self.numbers, *self.categories]


def classify_columns(frame: pl.DataFrame, target: str) -> Columns:
    """Sort the columns into numbers, categories, and those that cannot help."""
    columns = Columns()
    for name in frame.columns:
        if name == target:
            continue
        column = frame[name]
        number = column.dtype.is_numeric() or column.dtype == pl.Boolean
        if column.null_count() == frame.height:
            columns.left_out[name] = "all values are missing"
            continue
        if not number and column.dtype not in (pl.String, pl.Categorical, pl.Enum):
            columns.left_out[name] = f"values of type {column.dtype} are not used yet"
            continue
        distinct = column.drop_nulls().n_unique()
        if distinct < 2 and column.null_count() == 0:
            columns.left_out[name] = "constant"
        elif number:
            columns.numbers.append(name)
        elif distinct > 50 and distinct > 0.5 * frame.height:
            columns.left_out[name] = f"{distinct} different texts in {frame.height} rows: an identifier or free text"
        else:
            columns.categories.append(name)
    if not columns.used:
        raise StudyError(f"No column is left to learn from: {columns.left_out}.\nHint: check the table's columns.")
    return columns


def model_input(frame: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    """The used columns in the types that the model expects: numbers as floats, categories as text."""
    missing = [name for name in columns.used if name not in frame.columns]
    if missing:
        raise StudyError(f"The table lacks the columns {missing}.")
    return frame.select(
        *(pl.col(name).cast(pl.Float64) for name in columns.numbers),
        *(pl.col(name).cast(pl.String) for name in columns.categories),
    )


@dataclass(frozen=True)
class Split:
    """Row numbers of the learning part and of the test part, and for each learning row its duplicate group."""

    learn: NDArray[np.intp]
    test: NDArray[np.intp]
    groups: NDArray[np.intp]


def split_rows(frame: pl.DataFrame, task: Task, columns: Columns, *, holdout: float, seed: int) -> Split:
    """Set test rows aside: a share of the rows, at most 10 000, equal rows always on the same side.

    Whole groups of equal rows are drawn in random order until the test part is full, so a test row never
    has a twin among the rows that were learned from.
    """
    keyed = frame.select(columns.used).with_row_index("row number").group_by(columns.used, maintain_order=True)
    group_of = np.empty(frame.height, dtype=np.intp)
    for number, rows in enumerate(keyed.agg(pl.col("row number"))["row number"]):
        group_of[rows.to_numpy()] = number
    sizes = np.bincount(group_of)
    wanted = min(round(holdout * frame.height), 10_000)
    order = np.random.default_rng(seed).permutation(len(sizes))
    filled = np.cumsum(sizes[order])
    chosen = order[: int(np.searchsorted(filled, wanted, side="right"))]
    in_test = np.isin(group_of, chosen)
    learn, test = np.flatnonzero(~in_test), np.flatnonzero(in_test)
    if min(len(learn), len(test)) < 5 or frame[task.target].gather(learn).n_unique() < 2:
        raise StudyError(
            f"{frame.height} rows ({len(sizes)} different ones) are too few to set test rows aside: "
            f"{len(learn)} would be left to learn from and {len(test)} to test on.\nHint: bring more rows."
        )
    return Split(learn, test, group_of[learn])
