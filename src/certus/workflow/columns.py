"""What each column is: a number, a category, a date, a text, or of no use, with the reason."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from certus.tables import as_floats, moments_of
from certus.workflow.study_error import StudyError

Kind = Literal["number", "category", "date", "text"]

# A text column with more different values than this, and than half the rows, is no category.
LARGEST_CATEGORY_COUNT = 50
_COUNTER = r"^(\D*)\d+$"
_HASH = r"^(?:[0-9a-fA-F]{8,}|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})$"
ASKED = "left out as asked"
_UNREADABLE = (pl.List, pl.Struct, pl.Binary, pl.Object, pl.Array)


@dataclass(frozen=True)
class Columns:
    """Which columns are used and how, and why the others are not."""

    numbers: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def used(self) -> list[str]:
        """All columns that the model sees, in a fixed order."""
        return [*self.numbers, *self.categories, *self.dates, *self.texts]

    @property
    def by_kind(self) -> dict[Kind, list[str]]:
        """The used columns of every kind."""
        return {"number": self.numbers, "category": self.categories, "date": self.dates, "text": self.texts}

    def kind(self, name: str) -> Kind | None:
        """How a column is used, or None."""
        return next((kind for kind, names in self.by_kind.items() if name in names), None)

    def only(self, name: str) -> Columns:
        """One of the columns alone."""
        alone = Columns()
        kind = self.kind(name)
        if kind is not None:
            alone.by_kind[kind].append(name)
        return alone


def classify_columns(
    frame: pl.DataFrame,
    set_aside: Collection[str],
    *,
    drop: Collection[str] = (),
    keep: Collection[str] = (),
    types: Mapping[str, str] | None = None,
) -> Columns:
    """Sort the columns by kind; ``set_aside`` names those that are not for learning (the target, the group).

    The user may leave columns out (``drop``), have them used although they look useless (``keep``), or say what they
    are (``types``).
    """
    columns, types = Columns(), types or {}
    for name in frame.columns:
        if name in set_aside:
            continue
        kind, reason = _asked(frame[name], name in drop, name in keep, types.get(name))
        if kind is None:
            columns.left_out[name] = reason
        else:
            columns.by_kind[kind].append(name)
    if not columns.used:
        why = "; ".join(f"{name!r}: {reason}" for name, reason in columns.left_out.items()) or "the table has no other"
        raise StudyError(f"No column is left to learn from ({why}).\nHint: check the table's columns.")
    return columns


def _asked(column: pl.Series, drop: bool, keep: bool, named: str | None) -> tuple[Kind | None, str]:
    """The kind that the user names, or that the column suggests."""
    if drop or named == "id":
        return None, ASKED
    if named in ("category", "number", "date", "text"):
        return named, ""  # type: ignore[return-value]
    kind, reason = _kind_of(column)
    if kind is None and keep and can_be_kept(column):
        numeric = column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Duration, pl.Time)
        return ("number" if numeric else "category"), ""
    return kind, reason


def can_be_kept(column: pl.Series) -> bool:
    """Whether there is a way to use a column at all: lists, structures and bytes have none."""
    return column.dtype not in _UNREADABLE


def as_named(frame: pl.DataFrame, types: Mapping[str, str]) -> pl.DataFrame:
    """The table with the columns whose kind the user names in a type that fits it."""
    columns = []
    for name, kind in types.items():
        if kind == "number":
            columns.append(pl.Series(name, as_floats(frame[name])))
        elif kind == "date":
            columns.append(moments_of(frame[name]))
        elif kind in ("category", "text"):
            columns.append(frame[name].cast(pl.String))
    return frame.with_columns(columns)


def _kind_of(column: pl.Series) -> tuple[Kind | None, str]:
    """The kind of a column, or None and the reason why it is of no use."""
    filled = column.drop_nulls()
    if filled.len() == 0:
        return None, "all values are missing"
    if column.dtype in _UNREADABLE:
        return None, f"values of type {column.dtype} are not used"
    distinct = filled.n_unique()
    if distinct < 2 and filled.len() == column.len():
        return None, "constant"
    if column.dtype in (pl.Date, pl.Datetime):
        return "date", ""
    if column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Duration, pl.Time):
        return (None, "it counts the rows") if _counts_rows(column) else ("number", "")
    return _kind_of_text(filled.cast(pl.String), distinct, column.len())


def _counts_rows(column: pl.Series) -> bool:
    """Whether a whole-number column only numbers the rows: constant steps from row to row."""
    if not column.dtype.is_integer() or column.len() < 20 or column.null_count():
        return False
    small = column.cast(pl.Int64, strict=False)
    if small.null_count():  # beyond 64 bits: no counter
        return False
    steps = small.diff().drop_nulls()
    return bool(steps.n_unique() == 1 and steps[0] != 0)


def _kind_of_text(filled: pl.Series, distinct: int, rows: int) -> tuple[Kind | None, str]:
    if distinct <= LARGEST_CATEGORY_COUNT or distinct <= 0.5 * filled.len():
        return "category", ""
    if distinct == filled.len() and _identifies(filled.head(1000)):
        return None, f"{distinct} different texts in {rows} rows that count or hash: an identifier"
    return "text", ""


def _identifies(texts: pl.Series) -> bool:
    """Whether texts are counters with a common beginning, or hashes."""
    if texts.str.contains(_HASH).all():
        return True
    beginnings = texts.str.extract(_COUNTER)
    return not beginnings.null_count() and beginnings.n_unique() == 1
