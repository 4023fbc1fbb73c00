"""Rows as emissions read them: values, and which of them are missing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ObservedRows:
    """A table without NaN, and the cells that were NaN.

    Parameters
    ----------
    values : array of shape (n_rows, width)
        The table; 0 stands where a cell is missing.
    missing : array of bool of the same shape, or None
        The missing cells; None if there are none.
    """

    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, table: NDArray[np.float64]) -> ObservedRows:
        """Split a table with NaN into both parts."""
        missing = np.isnan(table)
        if not missing.any():
            return cls(np.ascontiguousarray(table))
        return cls(np.where(missing, 0.0, table), missing)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, kept: Any) -> ObservedRows:
        return ObservedRows(self.values[kept], None if self.missing is None else self.missing[kept])

    @cached_property
    def broken(self) -> NDArray[np.intp]:
        """Numbers of the rows with a missing cell."""
        return np.flatnonzero(np.zeros(0) if self.missing is None else self.missing.any(axis=1))

    @cached_property
    def absent(self) -> NDArray[np.intp]:
        """Numbers of the rows of which nothing is known."""
        return np.flatnonzero(np.zeros(0) if self.missing is None else self.missing.all(axis=1))

    @cached_property
    def patterns(self) -> list[tuple[NDArray[np.bool_], NDArray[np.intp]]]:
        """The kinds of rows with missing cells, without those of which nothing is known: mask and row numbers."""
        if self.missing is None:
            return []
        masks, places = np.unique(self.missing[self.broken], axis=0, return_inverse=True)
        kinds = [(mask, self.broken[np.ravel(places) == place]) for place, mask in enumerate(masks)]
        return [(mask, rows) for mask, rows in kinds if not mask.all()]
