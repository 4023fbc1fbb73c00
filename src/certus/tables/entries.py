"""Entries of columns as numbers and as dates, whatever form they come in: the one place that decides what a text means.

A study and a saved model read the same entry as the same value, whether it comes from text, from a typed file or
from a data frame.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.tables.table_error import TableError
from certus.tables.type_names import type_in_words

_TRUTHS = {"true": "1", "false": "0"}
_PLAIN = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$"
_COMMA = r"^[+-]?\d*,\d+(?:[eE][+-]?\d+)?$"
_ENGLISH_THOUSANDS = r"^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$"
_CONTINENTAL_THOUSANDS = r"^[+-]?\d{1,3}(?:\.\d{3})+,\d+$"
_SIGNS = r"^([+-]?)\s*[$€£¥]\s*|\s*[$€£¥%]$"
_DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%Y%m%d")
_TIMES = ("", "T%H:%M:%S%.f", " %H:%M:%S%.f", "T%H:%M", " %H:%M")
_ZONES = ("", "%#z")


def numbers_of(column: pl.Series) -> pl.Series:
    """A column as floats; entries that are not numbers are null.

    Truth values are 0 and 1, durations microseconds, times of day nanoseconds. Of texts, blanks, a currency, a percent
    sign and separators of thousands are passed over; a single comma is a decimal comma.
    """
    if column.dtype == pl.Duration:
        column = column.cast(pl.Duration("us")).cast(pl.Int64)
    elif column.dtype == pl.Time:
        column = column.cast(pl.Int64)
    elif column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype == pl.String:
        column = _read_numbers(column)
    return column.cast(pl.Float64, strict=False)


def _read_numbers(texts: pl.Series) -> pl.Series:
    read = texts.cast(pl.Float64, strict=False)
    left = read.is_null() & texts.is_not_null()
    if not left.any():
        return read
    texts = texts.str.strip_chars()
    times = texts.str.to_time("%H:%M:%S%.f", strict=False).cast(pl.Int64)
    bare = texts.str.to_lowercase().replace(_TRUTHS).str.replace_all(_SIGNS, "${1}")
    frame = pl.DataFrame({"text": bare, "read": read, "time": times})
    text = pl.col("text")
    meant = (
        pl.when(text.str.contains(_PLAIN))
        .then(text)
        .when(text.str.contains(_ENGLISH_THOUSANDS) & ~text.str.contains(r"^[+-]?\d{1,3},\d{3}$"))
        .then(text.str.replace_all(",", ""))
        .when(text.str.contains(_COMMA))
        .then(text.str.replace(",", "."))
        .when(text.str.contains(_CONTINENTAL_THOUSANDS))
        .then(text.str.replace_all(".", "", literal=True).str.replace(",", "."))
    )
    found = frame.select(pl.coalesce("read", meant.cast(pl.Float64, strict=False), pl.col("time").cast(pl.Float64)))
    return found.to_series().alias(texts.name)


def as_floats(column: pl.Series, first_row: int = 0) -> NDArray[np.float64]:
    """A column of numbers as floats, or one clear error that names the first entry that is none.

    ``first_row`` is how many rows of the table come before these.
    """
    numbers = numbers_of(column)
    foreign = numbers.is_null() & column.is_not_null()
    if foreign.any():
        row = int(foreign.arg_max() or 0)
        raise TableError(
            f"column {column.name!r}, row {first_row + row + 1}: {column[row]!r} is not a number, but numbers were "
            "learned there.\nHint: fix the cell, or leave it empty if the value is missing."
        )
    return numbers.to_numpy()


def moments_of(column: pl.Series) -> pl.Series:
    """A column of dates or times as moments; texts in one form that all of them have, or one clear error."""
    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype == pl.String:
        return _read_moments(column)
    if column.dtype not in (pl.Date, pl.Datetime) and column.null_count() < column.len():
        raise TableError(
            f"column {column.name!r} holds {type_in_words(column.dtype)}, but the model learned dates there.\n"
            "Hint: write dates as 2024-12-31."
        )
    if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None:
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return column.cast(pl.Datetime("us"))


def _read_moments(texts: pl.Series) -> pl.Series:
    texts = texts.str.strip_chars()
    filled = texts.is_not_null()
    fewest, kept = texts.len() + 1, None
    for form in (f"{date}{time}{zone}" for date in _DATES for time in _TIMES for zone in (_ZONES if time else ("",))):
        if fewest == 0:
            break
        sample = texts.filter(filled).head(1)
        if sample.len() and _in_form(sample, form).null_count():
            continue
        read = _in_form(texts, form)
        misfits = int((read.is_null() & filled).sum())
        if misfits < fewest:
            fewest, kept = misfits, read
    if not filled.any():
        return texts.cast(pl.Datetime("us"), strict=False)
    foreign = filled if kept is None else kept.is_null() & filled
    if foreign.any() or kept is None:
        row = int(foreign.arg_max() or 0)
        raise TableError(
            f"column {texts.name!r}, row {row + 1}: {texts[row]!r} is not a date in the form of the others, but dates "
            "were learned there.\nHint: write dates as 2024-12-31."
        )
    return kept


def _in_form(texts: pl.Series, form: str) -> pl.Series:
    if "%H" not in form:
        return texts.str.to_date(form, strict=False).cast(pl.Datetime("us"))
    read = texts.str.to_datetime(form, strict=False, time_unit="us")
    if isinstance(read.dtype, pl.Datetime) and read.dtype.time_zone is not None:
        read = read.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return read
