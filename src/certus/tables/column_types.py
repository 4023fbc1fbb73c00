"""Types of the columns of delimited text, found out without reading a large file slowly from end to end.

Looking at every entry before reading takes one core many times as long as reading. Large files are read with the
types that their first rows suggest. If a later entry does not fit, the columns are surveyed in one pass on all cores,
and the file is read with the types that fit everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import polars as pl

# Bytes from which a file counts as large, and rows that suggest its types.
LARGE_FILE = 5_000_000
SUGGESTING_ROWS = 10_000


def read_with_types(source: Path | IO[bytes], **options: Any) -> pl.DataFrame:
    """The table of ``polars.read_csv`` with the types that all its entries have.

    Parameters
    ----------
    source : Path or open binary stream
        The file.
    **options
        Separator, decimal comma and null values, as ``polars.read_csv`` takes them.
    """
    if _size(source) < LARGE_FILE:
        return _read(source, options, infer_schema_length=None)
    first = _texts(source, options).head(SUGGESTING_ROWS).collect()
    empty = {name: pl.Null() for name in first.columns if first[name].null_count() == first.height}
    try:
        known = _survey(source, options, empty)
        return _read(source, options, infer_schema_length=SUGGESTING_ROWS, schema_overrides=known)
    except pl.exceptions.PolarsError:
        return _read_surveyed(source, options, empty)


def _read_surveyed(source: Path | IO[bytes], options: dict[str, Any], empty: Mapping[str, pl.DataType]) -> pl.DataFrame:
    try:
        scanned = pl.scan_csv(_rewound(source), try_parse_dates=True, infer_schema_length=SUGGESTING_ROWS, **options)
        known = _survey(source, options, {**scanned.collect_schema(), **empty})
        return _read(source, options, schema_overrides=known)
    except pl.exceptions.PolarsError:
        return _read(source, options, infer_schema_length=None)


def _size(source: Path | IO[bytes]) -> int:
    if isinstance(source, Path):
        return source.stat().st_size
    return source.seek(0, os.SEEK_END)


def _read(source: Path | IO[bytes], options: dict[str, Any], **more: Any) -> pl.DataFrame:
    return pl.read_csv(_rewound(source), try_parse_dates=True, **options, **more)


def _texts(source: Path | IO[bytes], options: dict[str, Any]) -> pl.LazyFrame:
    """All columns as text, which every entry is."""
    plain = {key: value for key, value in options.items() if key != "decimal_comma"}
    return pl.scan_csv(_rewound(source), infer_schema=False, **plain)


def _rewound(source: Path | IO[bytes]) -> Path | IO[bytes]:
    if not isinstance(source, Path):
        source.seek(0)
    return source


def _survey(
    source: Path | IO[bytes], options: dict[str, Any], suggested: Mapping[str, pl.DataType]
) -> dict[str, pl.DataType]:
    """For each column the first type that all its entries have: the suggested one, a wider one, or text."""
    if not suggested:
        return {}
    tried = {name: _types_to_try(dtype) for name, dtype in suggested.items()}
    counted = _texts(source, options).select(
        _misfits(name, dtype, options["decimal_comma"]).alias(f"{index} {name}")
        for name, dtypes in tried.items()
        for index, dtype in enumerate(dtypes)
    )
    misfits = counted.collect(engine="streaming").row(0, named=True) if counted.collect_schema() else {}
    return {
        name: next((dtype for index, dtype in enumerate(dtypes) if misfits[f"{index} {name}"] == 0), pl.String())
        for name, dtypes in tried.items()
    }


def _types_to_try(suggested: pl.DataType) -> list[pl.DataType]:
    """The suggested type and wider ones; for a column without any entry (`Null`) all that are usual."""
    if suggested == pl.Null:
        return [pl.Int64(), pl.Float64(), pl.Boolean(), pl.Date(), pl.Datetime()]
    if suggested.is_integer():
        return [suggested, pl.Float64()]
    return [] if suggested == pl.String else [suggested]


def _misfits(name: str, dtype: pl.DataType, decimal_comma: bool) -> pl.Expr:
    """How many entries of a column of text are not of a type."""
    text = pl.col(name)
    if dtype.is_numeric():
        read = (text.str.replace(",", ".") if decimal_comma else text).cast(dtype, strict=False)
    elif dtype == pl.Boolean:
        read = pl.when(text.is_in(["true", "false"])).then(text)
    elif dtype == pl.Date:
        read = text.str.to_date(strict=False)
    elif dtype == pl.Time:
        read = text.str.to_time(strict=False)
    else:
        read = text.str.to_datetime(strict=False)
    return (read.is_null() & text.is_not_null()).sum()
