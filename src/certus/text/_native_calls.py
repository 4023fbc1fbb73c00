"""The one place of this family that calls compiled code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from certus import _native
from certus.base import resolve_threads
from certus.text.analysis.character_tables import character_tables
from certus.text.analysis.native_rule import NativeRule

Columns = NDArray[np.int64]
_FILLED = (np.int64, np.float64, np.float32, np.int32)  # types of values that are written at once
_NORMS = {None: 0, "l1": 1, "l2": 2}


def first_that_is_no_text(texts: list[Any]) -> int:
    """The place of the first element that is no string, or -1."""
    return int(_native.first_that_is_no_text(texts)[0])


def _analysis(rule: NativeRule, texts: list[str]) -> Any:
    """The rule with the tables that these texts need: short ones if all characters are of Latin-1."""
    wide = _native.first_that_is_no_text(texts)[1] > 1 or rule.accents is not None
    tables = character_tables(rule.lowercase, rule.accents, wide)
    stop_words = [word.encode("utf-8", "surrogatepass") for word in rule.stop_words]
    return _native.TextAnalysis(
        *tables, rule.lowercase, rule.unit, rule.min_letters, rule.min_n, rule.max_n, stop_words
    )


class NativeCounts:
    """Counts of the terms of texts; terms have the numbers 0, 1, 2 … in the order in which they first came."""

    def __init__(self, rule: NativeRule, batches: Iterable[list[str]]) -> None:
        self._threads = resolve_threads()
        self._counter = _native.TermCounter()
        for texts in batches:
            self._counter.add(_analysis(rule, texts), texts, self._threads)

    @property
    def n_rows(self) -> int:
        """Number of texts."""
        return int(self._counter.rows)

    @property
    def n_terms(self) -> int:
        """Number of different terms."""
        return int(self._counter.n_terms)

    def ranks(self) -> Columns:
        """The place of every term in the order of all."""
        found = np.empty(self.n_terms, np.int64)
        self._counter.ranks(found, self._threads)
        return found

    def totals(self) -> tuple[Columns, Columns]:
        """For every term the number of texts that have it, and how often it occurs in all."""
        rows, sums = np.empty(self.n_terms, np.int64), np.empty(self.n_terms, np.int64)
        self._counter.totals(rows, sums)
        return rows, sums

    def terms(self, columns: Columns) -> list[Any]:
        """The terms whose column is not negative."""
        found: list[Any] = self._counter.terms(columns)
        return found

    def forget_terms(self) -> None:
        """Free the texts of the terms, which are not needed once they stand in a vocabulary; their numbers stay."""
        self._counter.forget_terms()

    def table(self, columns: Columns, width: int, dtype: DTypeLike) -> sparse.csr_array:
        """Counts with term t in column ``columns[t]``, without the terms whose column is negative.

        Nothing is counted any more afterwards.
        """
        entries = self._counter.entries(columns)
        starts, indices, values = _parts(self.n_rows, entries, dtype)
        self._counter.unload(columns, starts, indices, values, self._threads)
        return _csr(starts, indices, values, width, dtype)


def hashed_counts(
    rule: NativeRule, batches: Iterable[list[str]], width: int, signs: bool, dtype: DTypeLike
) -> sparse.csr_array:
    """Counts of hashed terms: a row per text."""
    rows = _native.HashedRows(width, signs)
    for texts in batches:
        rows.add(_analysis(rule, texts), texts, resolve_threads())
    starts, indices, values = _parts(rows.rows, rows.entries, dtype)
    rows.unload(starts, indices, values)
    return _csr(starts, indices, values, width, dtype)


def weigh_rows(table: Any, weights: NDArray[Any] | None, norm: str | None) -> None:
    """Multiply the columns of a CSR table by weights and divide its rows by their norm, in place."""
    threads = resolve_threads() if table.nnz > 50_000 else 1
    given = np.empty(0, table.dtype) if weights is None else np.ascontiguousarray(weights, dtype=table.dtype)
    _native.weigh_rows(table.data, table.indices, table.indptr, given, _NORMS[norm], threads)


def _parts(rows: int, entries: int, dtype: DTypeLike) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    place = np.int32 if entries <= np.iinfo(np.int32).max else np.int64
    value = dtype if dtype in _FILLED else np.int32
    return np.empty(rows + 1, place), np.empty(entries, place), np.empty(entries, value)


def _csr(
    starts: NDArray[Any], indices: NDArray[Any], values: NDArray[Any], width: int, dtype: DTypeLike
) -> sparse.csr_array:
    table = sparse.csr_array((values, indices, starts), shape=(len(starts) - 1, width), dtype=dtype)
    table.has_canonical_format = True  # each column once, in order
    return table
