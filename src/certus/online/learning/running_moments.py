"""Means and spreads of columns along a stream."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from certus.base import register_part
from certus.base.persistence import check_shapes
from certus.online._native_calls.stream_kernels import Array


@register_part("online")
class RunningMoments:
    """Counts, sums and sums of squares of columns, about the first number of each.

    Attributes
    ----------
    columns : dict
        Place of every column that was met.
    sums : ndarray of shape (4, n_columns)
        First number, count, sum, sum of squares.
    """

    _state = ("columns", "sums")

    columns: dict[str, int]
    sums: Array

    def __init__(self) -> None:
        self.columns = {}
        self.sums = np.zeros((4, 0))

    def scaled(self, names: Sequence[str], numbers: Array, *, learns: bool) -> tuple[RunningMoments, Array]:
        """The moments after rows, and the rows in units of the spread.

        Parameters
        ----------
        names : sequence of str
            Columns.
        numbers : ndarray of shape (n_rows, n_columns)
            NaN where there is none.
        learns : bool
            Whether every row counts before it is scaled; otherwise all are scaled by what was met before.

        Returns
        -------
        after : RunningMoments
            The moments with these rows.
        rows : ndarray
            Centered and scaled; NaN where there is no number.
        """
        after = self._with(names)
        places = [after.columns[name] for name in names]
        start = after.sums[:, places]
        there = ~np.isnan(numbers)
        new = (start[1] == 0.0) & there.any(axis=0)
        start[0, new] = numbers[there.argmax(axis=0)[new], new]
        away = np.where(there, numbers - start[0], 0.0)
        if not learns:
            return self, _units(away, there, *start[1:])
        # One after the other, so that the division into pieces changes no bit.
        counts, totals, squares = (
            np.cumsum(np.vstack([first, part]), axis=0)
            for first, part in zip(start[1:], (there.astype(float), away, away * away), strict=True)
        )
        start[1:] = counts[-1], totals[-1], squares[-1]
        after.sums[:, places] = start
        return after, _units(away, there, counts[1:], totals[1:], squares[1:])

    def _with(self, names: Sequence[str]) -> RunningMoments:
        found = RunningMoments()
        new = [name for name in names if name not in self.columns]
        found.columns = {**self.columns, **{name: len(self.columns) + place for place, name in enumerate(new)}}
        found.sums = np.hstack([self.sums, np.zeros((4, len(new)))])
        return found

    def _restored(self) -> None:
        check_shapes(self, sums=(4, len(self.columns)))
        if sorted(self.columns.values()) != list(range(len(self.columns))):
            raise ValueError("columns are not numbered.")


def _units(away: Array, there: np.ndarray, counts: Array, totals: Array, squares: Array) -> Array:
    counts = np.maximum(counts, 1.0)
    means = totals / counts
    spread = np.sqrt(np.maximum(squares / counts - means**2, 0.0))
    known = spread > 1e-9 * np.sqrt(squares / counts)
    scaled = np.where(known, (away - means) / np.where(known, spread, 1.0), 0.0)
    return np.where(there, scaled, np.nan)
