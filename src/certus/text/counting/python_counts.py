"""Counts of terms that Python functions made; terms may be anything that has an order and a hash."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

Columns = NDArray[np.int64]


class PythonCounts:
    """As `certus.text._native_calls.NativeCounts`, of terms that are given text by text."""

    def __init__(self, analyzed: Iterable[Iterable[Any]]) -> None:
        self._numbers: dict[Any, int] = {}
        columns, counts, starts = array("q"), array("q"), array("q", [0])
        for terms in analyzed:
            row: dict[int, int] = {}
            for term in terms:
                number = self._numbers.setdefault(term, len(self._numbers))
                row[number] = row.get(number, 0) + 1
            columns.extend(row.keys())
            counts.extend(row.values())
            starts.append(len(columns))
        self._columns = np.array(columns, dtype=np.int64)
        self._counts = np.array(counts, dtype=np.int64)
        self._starts = np.array(starts, dtype=np.int64)

    @property
    def n_rows(self) -> int:
        """Number of texts."""
        return len(self._starts) - 1

    @property
    def n_terms(self) -> int:
        """Number of different terms."""
        return len(self._numbers)

    def ranks(self) -> Columns:
        """The place of every term in the order of all."""
        found = np.empty(self.n_terms, np.int64)
        for rank, (_, number) in enumerate(sorted(self._numbers.items())):
            found[number] = rank
        return found

    def totals(self) -> tuple[Columns, Columns]:
        """For every term the number of texts that have it, and how often it occurs in all."""
        rows = np.bincount(self._columns, minlength=self.n_terms)
        sums = np.zeros(self.n_terms, np.int64)
        np.add.at(sums, self._columns, self._counts)
        return rows.astype(np.int64), sums

    def terms(self, columns: Columns) -> list[Any]:
        """The terms whose column is not negative."""
        return [term for term, column in zip(self._numbers, columns, strict=True) if column >= 0]

    def forget_terms(self) -> None:
        """Nothing: a vocabulary shares the texts of the terms."""

    def table(self, columns: Columns, width: int, dtype: DTypeLike) -> sparse.csr_array:
        """Counts with term t in column ``columns[t]``, without the terms whose column is negative."""
        places = columns[self._columns]
        kept = places >= 0
        starts = np.concatenate([[0], np.cumsum(kept)])[self._starts]
        place = np.int32 if kept.sum() <= np.iinfo(np.int32).max else np.int64
        parts = (self._counts[kept].astype(dtype), places[kept].astype(place), starts.astype(place))
        table = sparse.csr_array(parts, shape=(self.n_rows, width))
        table.sort_indices()
        return table
