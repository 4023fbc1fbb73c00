"""One door for every kind of table."""

from __future__ import annotations

import datetime
import io
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl
from narwhals.stable.v2.typing import IntoDataFrame

from certus.base import TableLike
from certus.tables.database import read_query
from certus.tables.delimited import read_delimited
from certus.tables.disguised_texts import type_texts
from certus.tables.table_error import TableError

__all__ = ["STANDARD_INPUT", "check_file", "read_query", "read_table", "readable_twice"]

STANDARD_INPUT = "-"
_SECOND_DAY = datetime.datetime(1900, 1, 1)  # of a spreadsheet

# First bytes of the kinds that can be told by them; everything else from standard input is text.
_PARQUET, _ARROW = b"PAR1", b"ARROW1"
_NOTHING = "Standard input is empty.\nHint: pipe a table into it, or name a file."


def _read_excel(source: Any) -> pl.DataFrame:
    try:
        return _with_times(pl.read_excel(source, infer_schema_length=None))
    except Exception as error:  # the reader has errors of its own, of no common kind
        raise TableError(
            "it is not a spreadsheet.\nHint: open it in a spreadsheet program and save it again."
        ) from error


def _with_times(frame: pl.DataFrame) -> pl.DataFrame:
    """Times of day are parts of a spreadsheet's first day, and are read as moments of it: times again."""
    moments = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Datetime)]
    last = frame.select(pl.col(moments).max()).row(0, named=True) if moments and frame.height else {}
    times = [name for name, moment in last.items() if moment is not None and moment < _SECOND_DAY]
    return frame.with_columns(pl.col(times).cast(pl.Time)) if times else frame


def _read_json_lines(source: Any) -> pl.DataFrame:
    return pl.read_ndjson(source, infer_schema_length=None)


_READERS: dict[str, Callable[[Any], pl.DataFrame]] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".txt": read_delimited,
    ".parquet": pl.read_parquet,
    ".arrow": pl.read_ipc,
    ".feather": pl.read_ipc,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".xlsx": _read_excel,
    ".xls": _read_excel,
    ".ods": _read_excel,
}
READABLE = frozenset(_READERS)  # extensions of the files that are tables


def read_table(
    source: str | Path | TableLike,
    *,
    told: list[str] | None = None,
    encoding: str | None = None,
    spare: Collection[str] = (),
    texts: bool = False,
) -> pl.DataFrame:
    """A table from a file, from standard input (``"-"``), or from a pandas, polars or pyarrow table.

    A table that cannot be read gets one `TableError` that names the line and the column where that is known.

    Parameters
    ----------
    source : path or data frame
        The table.
    told : list of str, optional
        Guesses are added to it.
    encoding : str, optional
        Of text files; guessed where it is not UTF-8.
    spare : collection of str
        Columns of a data frame whose texts stay texts.
    texts : bool, default=False
        Leave texts of typed files and data frames as they are.
    """
    told = [] if told is None else told
    if isinstance(source, pl.DataFrame):
        frame = source
    elif isinstance(source, str | Path) and str(source) == STANDARD_INPUT:
        frame = _read_bytes(sys.stdin.buffer.read(), told, encoding)
    elif isinstance(source, str | Path):
        frame = _read_file(Path(source), told, encoding)
    elif nw.dependencies.is_into_dataframe(source):
        frame = _from_data_frame(source)
    else:
        raise TableError(
            f"A table must be a file or a data frame, got {type(source).__name__}.\n"
            "Hint: pass a path, or a pandas, polars or pyarrow table."
        )
    if frame.width == 0 or frame.height == 0:
        raise TableError("The table has no rows.\nHint: a header alone is not enough to learn from.")
    frame = _nan_as_missing(frame)
    return frame if texts else type_texts(frame, told, spare)


def _from_data_frame(source: IntoDataFrame) -> pl.DataFrame:
    try:
        return nw.from_native(_in_plain_types(source), eager_only=True).to_polars()
    except nw.exceptions.NarwhalsError as error:
        reason = " ".join(str(error).split())
        raise TableError(f"The data frame cannot be read: {reason}.\nHint: give each column its own name.") from error
    except Exception as error:  # pandas, pyarrow and polars have errors of their own for columns that have no one type
        raise TableError(_unreadable_column(source)) from error


def _in_plain_types(source: Any) -> Any:
    """A pandas table whose periods are moments, whose intervals are texts, and whose sparse columns are dense."""
    if not nw.dependencies.is_pandas_dataframe(source):
        return source
    plain = {}
    for name, dtype in source.dtypes.items():
        inner = getattr(getattr(dtype, "categories", None), "dtype", dtype)
        kind = type(inner).__name__
        if kind == "PeriodDtype":
            plain[name] = source[name].astype(inner).dt.to_timestamp()
        elif kind == "IntervalDtype":
            plain[name] = source[name].astype("string")
        elif kind == "SparseDtype":
            plain[name] = source[name].sparse.to_dense()
    return source.assign(**plain) if plain and all(isinstance(name, str) for name in plain) else source


def _unreadable_column(source: Any) -> str:
    """Which column of a data frame cannot be read, and why."""
    whole = nw.from_native(source, eager_only=True)
    for name in whole.columns:
        try:
            whole.select(name).to_polars()
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            return (
                f"column {name!r} of the data frame cannot be read: {reason}.\n"
                "Hint: give it one type, as text or numbers, or leave it out."
            )
    return "The data frame cannot be read.\nHint: write it to a Parquet file first."


def _nan_as_missing(frame: pl.DataFrame) -> pl.DataFrame:
    """Not-a-number means missing, as it does in text files."""
    floats = [name for name, kind in frame.schema.items() if kind.is_float()]
    found = frame.select(pl.col(floats).is_nan().any()).row(0, named=True) if floats else {}
    holding = [name for name, holds in found.items() if holds]
    return frame.with_columns(pl.col(holding).fill_nan(None)) if holding else frame


def check_file(path: Path) -> None:
    """Refuse what is no file with content."""
    if path.is_dir():
        raise TableError(f"{str(path)!r} is a folder.\nHint: name a file in it.")
    if not path.is_file():
        raise TableError(f"There is no file {str(path)!r}.\nHint: check the path.")
    if path.stat().st_size == 0:
        raise TableError(f"The file {path.name!r} is empty.\nHint: it needs a header line and rows.")


def _read_file(path: Path, told: list[str], encoding: str | None) -> pl.DataFrame:
    check_file(path)
    extensions = [extension.lower() for extension in path.suffixes[-2:]]
    packed = extensions[-1:] == [".gz"] and len(extensions) == 2
    kind = extensions[-2] if packed else extensions[-1] if extensions else ""
    reader = _READERS.get(kind)
    if reader is None:
        raise TableError(
            f"Cannot read {path.name!r}: unknown file extension.\nHint: use one of {', '.join(sorted(_READERS))}."
        )
    return _guarded(_with_guesses(reader, told, encoding), path, path.name)


def _with_guesses(
    reader: Callable[[Any], pl.DataFrame], told: list[str], encoding: str | None
) -> Callable[[Any], pl.DataFrame]:
    """Only delimited text leaves something to guess."""
    return partial(read_delimited, told=told, encoding=encoding) if reader is read_delimited else reader


def _read_bytes(content: bytes, told: list[str], encoding: str | None) -> pl.DataFrame:
    if not content.strip():
        raise TableError(_NOTHING)
    reader = _READERS[_extension(content)]
    return _guarded(_with_guesses(reader, told, encoding), io.BytesIO(content), "standard input")


def _extension(content: bytes) -> str:
    """What a file of this content would be called."""
    if content.startswith(_PARQUET):
        return ".parquet"
    if content.startswith(_ARROW):
        return ".arrow"
    return ".jsonl" if content.lstrip()[:1] == b"{" else ".csv"


@contextmanager
def readable_twice(source: Path | str) -> Iterator[Path]:
    """The file itself; standard input as a file that is gone afterwards."""
    if str(source) != STANDARD_INPUT:
        yield Path(source)
        return
    content = sys.stdin.buffer.read()
    if not content.strip():
        raise TableError(_NOTHING)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"standard input{_extension(content)}"
        path.write_bytes(content)
        yield path


def _guarded(reader: Callable[[Any], pl.DataFrame], source: Any, name: str) -> pl.DataFrame:
    try:
        return reader(source)
    except TableError as error:
        raise TableError(f"Cannot read {name!r}: {error}", error.options) from error
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise TableError(
            f"Cannot read {name!r}: {reason}\nHint: check that it is complete and that its extension is right."
        ) from error
