"""Parquet files by row groups: the footers are read here, the columns where they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from certus.base.blocks import BlockError, Selection
from certus.scale.extra import require

WHAT = "Reading Parquet files in blocks"


@dataclass(frozen=True)
class RowGroup:
    """One row group of a file; ``types`` are those that a column has in all files together."""

    path: str
    number: int
    types: Any
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The path and the number of the group."""
        return f"row group {self.number} of {self.path}"

    def load(self, selections: Sequence[Selection]) -> list[Any]:
        """The columns of all selections are read once."""
        arrow = require("pyarrow", WHAT)
        parquet = require("pyarrow.parquet", WHAT)
        present = self.types.names
        chosen = [selection.names(present) for selection in selections]
        needed = list(dict.fromkeys(name for names in chosen for name in names))
        with opened(self.path, self.options) as stream:
            group = parquet.ParquetFile(stream).read_row_group(self.number, columns=needed, use_threads=False)
        group = group.select(needed).cast(arrow.schema([self.types.field(name) for name in needed]))
        frame = pl.DataFrame(pl.from_arrow(group))
        return [
            frame[names[0]].to_numpy() if selection.single else frame.select(names)
            for selection, names in zip(selections, chosen, strict=True)
        ]


def opened(path: str, options: dict[str, Any]) -> Any:
    """The file behind a path or an address."""
    if "://" not in path:
        return Path(path).open("rb")
    return require("fsspec", "An address of an object store").open(path, "rb", **options).open()


class ParquetSource:
    """The row groups of files with the same columns.

    Parameters
    ----------
    paths : sequence of str
        Files, in their order.
    columns : sequence of str or None
        Those to keep.
    options : dict
        For fsspec, such as credentials.
    """

    def __init__(self, paths: Sequence[str], columns: Sequence[str] | None, options: dict[str, Any]) -> None:
        self.paths, self.options = list(paths), options
        footers = [_footer(path, options) for path in self.paths]
        self._groups = [(path, footer[1]) for path, footer in zip(self.paths, footers, strict=True)]
        self._rows = [rows for _, groups in self._groups for rows in groups]
        schemas = [footer[0] for footer in footers]
        names = schemas[0].names if columns is None else list(columns)
        for path, schema in zip(self.paths, schemas, strict=True):
            for name in names:
                if name not in schema.names:
                    raise BlockError(
                        f"Column {name!r} is missing in {path}, which has {', '.join(map(repr, schema.names[:20]))}.\n"
                        "Hint: all files of a table must have the same columns; columns=[...] reads fewer of them."
                    )
        arrow = require("pyarrow", WHAT)
        self._types = arrow.schema([self._common_type(name, schemas) for name in names])

    def _common_type(self, name: str, schemas: Sequence[Any]) -> Any:
        arrow = require("pyarrow", WHAT)
        first = schemas[0].field(name)
        for path, schema in zip(self.paths, schemas, strict=True):
            other = schema.field(name)
            try:
                first = arrow.unify_schemas(
                    [arrow.schema([first]), arrow.schema([other])], promote_options="permissive"
                ).field(0)
            except (arrow.ArrowTypeError, arrow.ArrowInvalid) as error:
                raise BlockError(
                    f"Column {name!r} must have one type in all files, got {other.type} in {path} and {first.type} "
                    f"before, as in {self.paths[0]}.\nHint: convert the files to one type."
                ) from error
        return first.with_nullable(True).remove_metadata()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._types.names)

    @property
    def rows(self) -> int:
        """Rows of all files, by their footers."""
        return sum(self._rows)

    @property
    def block_rows(self) -> list[int]:
        """Rows of every block, by the footers."""
        return list(self._rows)

    def parts(self) -> list[RowGroup]:
        """Row groups, file after file."""
        return [
            RowGroup(path, number, self._types, self.options)
            for path, groups in self._groups
            for number in range(len(groups))
        ]


def _footer(path: str, options: dict[str, Any]) -> tuple[Any, list[int]]:
    """The schema of a file, and the rows of its groups."""
    parquet = require("pyarrow.parquet", WHAT)
    try:
        with opened(path, options) as stream:
            file = parquet.ParquetFile(stream)
            meta = file.metadata
            return file.schema_arrow, [meta.row_group(number).num_rows for number in range(meta.num_row_groups)]
    except Exception as error:
        raise BlockError(
            f"{path} cannot be read: {type(error).__name__}: {error}\nHint: it must be a Parquet file."
        ) from error


def files_at(paths: Any, options: dict[str, Any]) -> list[str]:
    """The files that paths, folders, patterns and addresses stand for, in order."""
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    found = [file for each in given for file in _files(str(each), options)]
    if not found:
        raise FileNotFoundError(
            f"No Parquet file at {', '.join(map(str, given))}.\n"
            "Hint: name files, a folder that holds *.parquet, or a pattern such as 'table/*.parquet'."
        )
    return found


def _files(path: str, options: dict[str, Any]) -> list[str]:
    if "://" in path:
        system, inner = require("fsspec.core", "An address of an object store").url_to_fs(path, **options)
        if "*" in inner:
            names = system.glob(inner)
        elif system.isdir(inner):
            names = [name for name in system.find(inner) if name.endswith(".parquet")]
        else:
            names = [inner]
        return [system.unstrip_protocol(name) for name in sorted(names)]
    place = Path(path)
    if place.is_dir():
        return [str(file) for file in sorted(place.rglob("*.parquet")) if file.is_file()]
    if "*" in path:
        anchor = Path(place.anchor or ".")
        pattern = str(place.relative_to(place.anchor)) if place.anchor else path
        return [name for file in sorted(anchor.glob(pattern)) for name in _files(str(file), options)]
    return [path]
