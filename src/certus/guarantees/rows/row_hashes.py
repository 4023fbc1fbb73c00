"""A 64-bit hash of every row of a table of numbers or texts.

h(row) = mix(sum over columns of g(key + cell) - g(key)); the cells are the bits of the number rounded to float32, so
that a table hashes alike in float32, float64 and as a sparse matrix (`cpp/core/row_hashes.hpp`). Keys come from the
places of the columns, or from their names: then the order of the columns does not matter.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.guarantees._native_calls import hash_rows, hash_sparse_rows

Hashes = NDArray[np.uint64]

_FLOATS = (np.float32, np.float64)
_G1, _G2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_STEP = np.uint64(0x9E3779B97F4A7C15)
_NAN = np.uint64(0x7FC00000)
_MISSING = ("NAType", "NaTType")
_TEXT = np.uint64(1 << 63)  # no number has this bit


def row_hashes(table: Any, keys: Hashes | None = None, threads: int = 1) -> Hashes:
    """Hashes of the rows of an array of numbers or a sparse matrix; `keys` has one entry per column."""
    keys = column_keys(table.shape[1]) if keys is None else keys
    if sparse.issparse(table):
        rows = sparse.csr_array(table)
        values = rows.data if rows.data.dtype in _FLOATS else rows.data.astype(np.float64)
        return hash_sparse_rows(values, rows.indices, rows.indptr, keys, threads)
    return hash_rows(table if table.dtype in _FLOATS else table.astype(np.float64), keys, threads)


def column_keys(columns: int | Sequence[str]) -> Hashes:
    """Keys of so many columns without names, or of named ones."""
    if isinstance(columns, int):
        return _numbered_keys(columns)
    return np.array([text_hash(str(name)) for name in columns], np.uint64)


@functools.lru_cache(maxsize=64)  # every fit asks for them
def _numbered_keys(columns: int) -> Hashes:
    keys = _finished(_STEP * np.arange(1, columns + 1, dtype=np.uint64))
    keys.setflags(write=False)
    return keys


def cell_hashes(columns: Sequence[NDArray[Any]], keys: Hashes) -> Hashes:
    """Hashes of rows that are given column by column: numbers, truth values, or anything else as text.

    Equal to `row_hashes` where all columns are numbers. Missing texts (None) count as NaN.
    """
    total = np.zeros(len(columns[0]) if columns else 0, np.uint64)
    with np.errstate(over="ignore"):
        for key, column in zip(keys, columns, strict=True):
            total += _spread(key + _cells(np.asarray(column))) - _spread(key)
        return _finished(total)


def text_hash(text: str) -> int:
    """A 64-bit hash of a text."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _cells(column: NDArray[Any]) -> Hashes:
    """What stands for every cell of a column: the bits of a number, the hash of a text."""
    if column.dtype.kind in "biuf":
        with np.errstate(over="ignore"):
            numbers = column.astype(np.float64).astype(np.float32) + np.float32(0.0)
        bits = numbers.view(np.uint32).astype(np.uint64)
        bits[np.isnan(numbers)] = _NAN
        return bits
    known: dict[Any, int] = {}
    return np.array([_cell(value, known) for value in column.tolist()], np.uint64)


def _cell(value: Any, known: dict[Any, int]) -> int:
    if isinstance(value, bool | int | float):
        return int(_cells(np.array([value], np.float64))[0])
    if value is None or type(value).__name__ in _MISSING:
        return int(_NAN)
    text = str(value)
    if text not in known:
        known[text] = text_hash(text) | int(_TEXT)
    return known[text]


def _spread(z: Any) -> Any:
    z = (z ^ (z >> np.uint64(32))) * _G1
    return (z ^ (z >> np.uint64(29))) * _G2


def _finished(z: Hashes) -> Hashes:
    with np.errstate(over="ignore"):
        z = (z ^ (z >> np.uint64(30))) * _G1
        z = (z ^ (z >> np.uint64(27))) * _G2
        return z ^ (z >> np.uint64(31))
