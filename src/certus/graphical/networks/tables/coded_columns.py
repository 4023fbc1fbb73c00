"""Tables of rows as whole numbers: the places of labels, -1 where a cell is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Codes = NDArray[np.int32]
_FEW = 5000  # rows up to which a look at each cell is faster than an expression


def columns_of(table: Any) -> dict[str, pl.Series]:
    """The columns of a polars or pandas frame or of a dict of columns."""
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if isinstance(table, pl.DataFrame):
        return {name: table[name] for name in table.columns}
    if hasattr(table, "columns") and hasattr(table, "iloc"):
        return {
            str(name): _series(str(name), table[name].astype(object).where(table[name].notna(), None).tolist())
            for name in table.columns
        }
    if not isinstance(table, Mapping):
        raise TypeError(
            f"The table must be a polars or pandas frame or a dict of columns, got a {type(table).__name__}."
        )
    found = {str(name): _series(str(name), cells) for name, cells in table.items()}
    lengths = {name: len(cells) for name, cells in found.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"The columns must have the same number of rows, got {lengths}.")
    return found


def _series(name: str, cells: Any) -> pl.Series:
    if isinstance(cells, pl.Series):
        return cells
    values = list(cells.tolist() if isinstance(cells, np.ndarray) else cells)
    kinds = {type(value) for value in values}
    plain = len(kinds - {type(None)}) <= 1
    return pl.Series(name, values) if plain else pl.Series(name, values, dtype=pl.Object)


def coded_rows(table: Any, names: Sequence[str], labels: Sequence[Sequence[Any]], *, absent: bool = False) -> Codes:
    """Codes of shape (rows, nodes). Columns that are no node are left out.

    With ``absent`` a node without a column is missing in every row; otherwise that is an error.
    """
    columns = columns_of(table)
    lacking = [name for name in names if name not in columns]
    if lacking and (not absent or len(lacking) == len(names)):
        raise ValueError(
            f"The table must have a column for every node, got none for {lacking[0]!r}.\n"
            f"Hint: its columns are {', '.join(map(repr, list(columns)[:8]))}."
        )
    rows = len(next(iter(columns.values()))) if columns else 0
    codes = np.full((rows, len(names)), -1, dtype=np.int32)
    for node, name in enumerate(names):
        if name in columns:
            codes[:, node] = coded_column(columns[name], name, labels[node])
    return codes


def coded_column(cells: pl.Series, name: str, labels: Sequence[Any]) -> Codes:
    """Places of the cells among the labels; -1 for missing ones. A cell that is no label is an error."""
    texts = [label for label in labels if isinstance(label, str)]
    many = len(cells) > _FEW
    if many and texts and (cells.dtype in (pl.String, pl.Categorical) or isinstance(cells.dtype, pl.Enum)):
        places = np.array([*(place for place, label in enumerate(labels) if isinstance(label, str)), -2, -1])
        found = cells.cast(pl.String).cast(pl.Enum(texts), strict=False).to_physical().cast(pl.Int32)
        codes = places[found.fill_null(len(texts)).to_numpy()]
        if cells.null_count():
            codes[cells.is_null().to_numpy()] = -1
    elif many and cells.dtype.is_integer() and not cells.null_count() and all(type(label) is int for label in labels):
        order = np.argsort(np.array(labels, dtype=object)).astype(np.intp)
        ascending = np.array([labels[place] for place in order])
        nearest = np.searchsorted(ascending, cells.to_numpy()).clip(max=len(labels) - 1)
        codes = np.where(ascending[nearest] == cells.to_numpy(), order[nearest], -2)
    else:
        known = {label: place for place, label in enumerate(labels)}
        codes = np.array([-1 if _missing(cell) else known.get(cell, -2) for cell in cells.to_list()], dtype=np.int32)
    unknown = np.flatnonzero(codes == -2)
    if len(unknown):
        raise ValueError(
            f"Column {name!r} must hold states of the node or missing cells, got {cells[int(unknown[0])]!r} in row "
            f"{int(unknown[0])}.\nHint: its states are {', '.join(map(repr, list(labels)[:8]))}."
        )
    return codes.astype(np.int32)


def _missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell)


def decoded_rows(codes: Codes, names: Sequence[str], labels: Sequence[Sequence[Any]]) -> pl.DataFrame:
    """The frame of labels; -1 is null."""
    found = {}
    for node, name in enumerate(names):
        kinds = {type(label) for label in labels[node]}
        values = pl.Series(name, list(labels[node]), dtype=None if len(kinds) == 1 else pl.Object)
        places = pl.Series(codes[:, node])
        if values.dtype == pl.Object:
            cells = [None if place < 0 else labels[node][place] for place in codes[:, node].tolist()]
            found[name] = pl.Series(name, cells, dtype=pl.Object)
        else:
            found[name] = values.gather(pl.select(pl.when(places >= 0).then(places)).to_series())
    return pl.DataFrame(found)
