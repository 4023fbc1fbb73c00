"""Texts that are numbers, truth values or dates in disguise: found alike in tables of every kind."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from certus.tables.entries import moments_of, numbers_of
from certus.tables.table_error import TableError

SAMPLE = 1_000
_DATE_LIKE = r"^\s*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}"


def type_texts(frame: pl.DataFrame, told: list[str], spare: Collection[str] = ()) -> pl.DataFrame:
    """The table with every column of texts that are all numbers, truth values or dates as what they are.

    What is not plain is told, since it is a guess. Columns named in ``spare`` stay as they are.
    """
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String and name not in spare]
    found = [typed for typed in (_typed(frame[name], told) for name in texts) if typed is not None]
    return frame.with_columns(found) if found else frame


def _typed(column: pl.Series, told: list[str]) -> pl.Series | None:
    """The column in its own type, or None if it holds texts."""
    sample = column.drop_nulls().head(SAMPLE)
    if not sample.len():
        return None
    if sample.str.strip_chars().str.to_lowercase().is_in(["true", "false"]).all():
        words = column.str.strip_chars().str.to_lowercase()
        return words == "true" if words.drop_nulls().is_in(["true", "false"]).all() else None
    if not numbers_of(sample).null_count():
        return _as_numbers(column, told)
    if sample.str.contains(_DATE_LIKE).all():
        try:
            return moments_of(column)
        except TableError:
            return None
    return None


def _as_numbers(column: pl.Series, told: list[str]) -> pl.Series | None:
    for integers in (pl.Int64, pl.Int128):  # as text files have them
        whole = column.cast(integers, strict=False)
        if whole.null_count() == column.null_count():
            return whole
    numbers = numbers_of(column)
    if numbers.null_count() > column.null_count():
        return None
    plain = column.cast(pl.Float64, strict=False)
    odd = plain.is_null() & column.is_not_null()
    if odd.any():
        row = int(odd.arg_max() or 0)
        told.append(f"column {column.name!r}: entries like {column[row]!r} are read as numbers ({numbers[row]:g})")
    return numbers
