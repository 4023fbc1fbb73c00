"""A set of rows as 256 bits that do not depend on the order of the rows or of named columns."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.guarantees.rows.row_hashes import Hashes, cell_hashes, column_keys, row_hashes, text_hash

_TARGET = "the target of the row"
_WIDE = ("Int128", "UInt128")  # types of integers that NumPy does not have


@dataclass(frozen=True)
class HashedRows:
    """Rows of which only the hashes are here, those of `table_hashes` with their targets; stands for their table."""

    hashes: Hashes

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows; nothing is known of their columns."""
        return len(self.hashes), 0


def fingerprint(hashes: Hashes) -> str:
    """The SHA-256 of the sorted hashes of the rows, as 64 hexadecimal digits."""
    return hashlib.sha256(np.sort(hashes).astype("<u8").tobytes()).hexdigest()


def table_hashes(X: Any, y: Any = None, names: Sequence[str] | None = None) -> Hashes:
    """The hash of every row of a table (an array, a sparse matrix or a data frame) together with its target.

    Parameters
    ----------
    X : array-like or data frame
        The rows.
    y : array-like, optional
        Their targets.
    names : sequence of str, optional
        Names of the columns that count: they are chosen from a data frame, and name the columns of an array.
    """
    if isinstance(X, HashedRows):
        return X.hashes
    own = frame_names(X)
    if own is not None:
        # Columns without a name that was asked for count by place, as those of an array do.
        chosen = own if names is None or not set(names) <= set(own) else [str(name) for name in names]
        rows = cell_hashes([frame_column(X, name) for name in chosen], column_keys(chosen))
    else:
        table = X if sparse.issparse(X) else _table(X)
        table = table if table.ndim == 2 else table.reshape(len(table), -1)
        keys = column_keys(list(names) if names is not None and len(names) == table.shape[1] else table.shape[1])
        if sparse.issparse(table) or table.dtype.kind in "biuf":
            rows = row_hashes(table, keys)
        else:
            rows = cell_hashes(list(table.T), keys)
    if y is None:
        return rows
    targets = np.asarray(y).reshape(len(rows), -1)
    with np.errstate(over="ignore"):
        return rows + cell_hashes(list(targets.T), column_keys(targets.shape[1]) ^ np.uint64(text_hash(_TARGET)))


def _table(X: Any) -> NDArray[Any]:
    """An array with a row per example; those of examples that fit in no table (graphs, arrays of any lengths) are
    digests.
    """
    if isinstance(X, list | tuple) and any(_holds_arrays(example) for example in X):
        return example_digests(X)
    try:
        return np.asarray(X)
    except ValueError:  # lists of several lengths
        return example_digests(X)


def _holds_arrays(example: Any) -> bool:
    parts = example if isinstance(example, list | tuple) else ()
    return sparse.issparse(example) or any(
        np.ndim(part) > 0 for part in parts if isinstance(part, np.ndarray) or sparse.issparse(part)
    )


def example_digests(examples: Any) -> NDArray[np.uint8]:
    """Sixteen numbers for every example that is made of arrays, sparse matrices, lists and single values.

    Examples
    --------
    >>> digests = example_digests([(np.eye(2), [1, 2]), (np.eye(2), [1, 3]), (np.eye(2), [1, 2])])
    >>> digests.shape, (digests[0] == digests[2]).all(), (digests[0] == digests[1]).all()
    ((3, 16), np.True_, np.False_)
    """
    found = np.empty((len(examples), 16), dtype=np.uint8)
    for row, example in zip(found, examples, strict=True):
        digest = hashlib.blake2b(digest_size=16)
        _add(digest, example)
        row[:] = np.frombuffer(digest.digest(), dtype=np.uint8)
    return found


def _add(digest: Any, part: Any) -> None:
    """Add an example, or a part of one: numbers count by their values, whatever their types and forms."""
    if isinstance(part, list | tuple):
        digest.update(f"({len(part)}".encode())
        for piece in part:
            _add(digest, piece)
        return
    array = part if sparse.issparse(part) else np.asarray(part)
    if array.dtype.kind not in "biuf":
        text = repr(array.tolist()).encode("utf-8", "surrogatepass")
        digest.update(f"t{len(text)} ".encode() + text)
        return
    digest.update(f"a{array.shape}".encode())
    if array.ndim == 2:  # a matrix by what is not zero, so that sparse ones are those that they stand for
        given = sparse.coo_array(array)
        given.sum_duplicates()  # in order of columns, then rows
        there = given.data != 0
        for places in given.coords:
            digest.update(places[there].astype("<i8"))
        array = given.data[there]
    digest.update(np.ascontiguousarray(array, dtype="<f8") + 0.0)


def frame_names(X: Any) -> list[str] | None:
    """The names of the columns of a data frame of any library; None for anything else."""
    names = getattr(X, "column_names", None)  # pyarrow
    if names is None:
        names = getattr(X, "columns", None)
        if names is not None and callable(getattr(names, "tolist", None)):
            names = names.tolist()  # pandas
    return [str(name) for name in names] if names is not None and not callable(names) else None


def frame_column(X: Any, name: str) -> NDArray[Any]:
    """One column of a data frame as an array; times as texts in microseconds."""
    series = X[name] if name in X else next(X[label] for label in X.columns if str(label) == name)
    if str(getattr(series, "dtype", "")) in _WIDE:
        return np.asarray(series.to_list(), dtype=object)
    column = np.asarray(series.to_numpy() if hasattr(series, "to_numpy") else series)
    if column.dtype.kind == "M":
        return np.datetime_as_string(column.astype("M8[us]")).astype(object)
    return column.astype("m8[us]").astype(np.int64).astype(str) if column.dtype.kind == "m" else column
