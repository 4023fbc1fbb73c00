"""Rows of a stream as users give them: dicts of names, vectors, sparse rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base.inputs import LARGEST
from certus.online._native_calls.stream_kernels import hashed_column


def is_dicts(X: Any) -> bool:
    """Whether a batch is a list of dicts."""
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)


def named_entries(x: Mapping[Any, Any], row: int | None = None) -> dict[str, float]:
    """A dict as names and finite numbers: a text under ``color`` that says ``red`` is a 1 under ``color=red``."""
    found: dict[str, float] = {}
    for name, value in x.items():
        if isinstance(value, str):
            found[f"{name}={value}"] = 1.0
            continue
        try:
            number = math.nan if value is None else float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not abs(number) <= LARGEST:
            place = "" if row is None else f"row {row}, "
            raise ValueError(
                f"{place}field {name!r} must be a number up to {LARGEST:g} or a text, got {value!r}.\n"
                "Hint: leave a name out of the dict where its value is missing."
            )
        found[name if isinstance(name, str) else str(name)] = number
    return found


def as_sparse_row(entries: Mapping[str, float], names: Mapping[str, int], bits: int, width: int) -> Any:
    """The row of a table with so many columns; names without a column are left out."""
    columns: dict[int, float] = {}
    for name, value in entries.items():
        column = hashed_column(name, bits) if bits else names.get(name, -1)
        if column >= 0:
            columns[column] = columns.get(column, 0.0) + value
    places = sorted(columns) if bits else list(columns)
    return sparse.csr_array(
        (
            np.array([columns[place] for place in places]),
            np.array(places, dtype=np.int32),
            np.array([0, len(places)], dtype=np.int32),
        ),
        shape=(1, width),
    )


def as_table(x: Any) -> Any:
    """One row, a vector or a sparse row, as a table of one row."""
    if sparse.issparse(x):
        return x.reshape(1, -1) if x.ndim == 1 else x
    row = np.asarray(x)
    return row[None, :] if row.ndim == 1 else row


def native_table(X: Any) -> Any:
    """A checked table as the kernels take it: C-ordered doubles, or CSR without repeated columns."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X, dtype=np.float64)
    table = sparse.csr_array(X)
    if not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    if table.dtype == np.float64 and table.indices.dtype == np.int32 == table.indptr.dtype:
        return table
    indices, indptr = table.indices.astype(np.int32), table.indptr.astype(np.int32)
    return sparse.csr_array((table.data.astype(np.float64), indices, indptr), shape=table.shape)


def joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Predictions of parts of a stream one after the other; of type object if nothing was predicted at first."""
    parts = [part for part in parts if len(part)]
    if len(parts) < 2:
        return parts[0] if parts else np.array([])
    mixed = any(part.dtype == object for part in parts)
    common = np.dtype(object) if mixed else np.result_type(*parts)
    return np.concatenate([part.astype(common) for part in parts])


def as_codes(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.float64]:
    """The place of every label among the classes, which are in order and contain it."""
    if len(classes) == 2:
        return (y == classes[1]).astype(np.float64)
    return np.searchsorted(classes, y).astype(np.float64)
