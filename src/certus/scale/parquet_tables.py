"""`read`: Parquet files as a table in blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any

from certus.base.blocks import BlockTable
from certus.scale.sources.parquet_source import ParquetSource, files_at


def read(
    path_or_paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    columns: Sequence[str] | None = None,
    *,
    storage_options: dict[str, Any] | None = None,
) -> BlockTable:
    """A table in blocks from Parquet files: one block per row group, read by whoever computes on it.

    Only footers are read now; a fit reads the columns it needs, as often as it has passes.

    Parameters
    ----------
    path_or_paths : path, address or list of them
        Files, a folder (all ``*.parquet`` in it, in order of their names), a pattern with ``*``, or an address of an
        object store that fsspec knows, such as ``s3://bucket/table/``.
    columns : list of str, optional
        The columns to keep, in this order; all columns of the first file by default.
    storage_options : dict, optional
        For fsspec, such as credentials.

    Returns
    -------
    BlockTable
        Numbers of several types become the type that holds all of them; a column missing in a file, or a column of
        words in one file and numbers in another, is an error that names the file.

    Examples
    --------
    >>> import tempfile, polars as pl, certus
    >>> from certus.linear import Ridge
    >>> folder = tempfile.mkdtemp()
    >>> frame = pl.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": [0.0, 1.0, 2.0, 3.0]})
    >>> for k in range(2):
    ...     frame[2 * k : 2 * k + 2].write_parquet(f"{folder}/{k}.parquet")
    >>> model = Ridge(alpha=5.0).fit(*certus.scale.read(folder).xy("y"))
    >>> model.coef_.round(6).tolist()
    [0.5]
    """
    options = dict(storage_options or {})
    return BlockTable(ParquetSource(files_at(path_or_paths, options), columns, options))
