"""Clusters as valleys of a reachability plot. Ankerst and others (1999), with the correction of Schubert, Gertz (2018).

The plot shows the reachability of the rows in the order of their visits. A point is steep if the next one is lower
(or higher) by a share of at least xi; a steep area runs over steep points, with at most ``least`` others in a row
between them that go the same way. A valley begins in a steep area down and ends in one up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Marks = NDArray[np.bool_]


@dataclass
class _Descent:
    """A steep area down, and the highest point of the plot after it."""

    start: int
    end: int
    highest_after: float = 0.0


class Valleys:
    """The valleys of one plot.

    Parameters
    ----------
    plot : ndarray of shape (n,)
        Reachabilities in the order of visits.
    origin : ndarray of shape (n,)
        At which place of the order the row was visited that each row was reached from; -1 for none.
    xi : float
        Least share of a steep step.
    least : int
        Most points of a steep area in a row that are not steep.
    smallest : int
        Fewest rows of a valley.
    correct : bool
        Whether valleys end before rows that were reached from outside.
    """

    def __init__(self, plot: Floats, origin: Rows, xi: float, least: int, smallest: int, correct: bool) -> None:
        self._plot = np.append(plot, np.inf)  # an ascent at the end, so that the last valley ends too
        self._origin = origin
        self._kept = 1.0 - xi
        self._least, self._smallest, self._correct = least, smallest, correct

    def find(self) -> NDArray[np.intp]:
        """First and last place of each valley, smaller ones before those around them."""
        plot = self._plot
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = plot[:-1] / plot[1:]
            steep_up, steep_down = ratio <= self._kept, ratio >= 1.0 / self._kept
        falls, rises = ratio > 1.0, ratio < 1.0
        descents: list[_Descent] = []
        found: list[tuple[int, int]] = []
        place, highest = 0, 0.0  # the end of the last steep area, and the highest point since then
        for start in np.flatnonzero(steep_up | steep_down).tolist():
            if start < place:
                continue
            highest = max(highest, float(plot[place : start + 1].max()))
            descents = self._still_open(descents, highest)
            if steep_down[start]:
                end = self._extended(steep_down, rises, start)
                descents.append(_Descent(start, end))
            else:
                end = self._extended(steep_up, falls, start)
                ended = (self._valley(descent, start, end) for descent in descents)
                found.extend(reversed([valley for valley in ended if valley is not None]))
            place = end + 1
            highest = float(plot[place])
        return np.array(found, dtype=np.intp).reshape(-1, 2)

    def _still_open(self, descents: list[_Descent], highest: float) -> list[_Descent]:
        """The descents whose beginning is higher than all after them."""
        if np.isinf(highest):
            return []
        left = [descent for descent in descents if highest <= self._plot[descent.start] * self._kept]
        for descent in left:
            descent.highest_after = max(descent.highest_after, highest)
        return left

    def _extended(self, steep: Marks, against: Marks, start: int) -> int:
        """The last steep point of the area that begins here."""
        end, flat = start, 0
        for place in range(start, len(steep)):
            if steep[place]:
                end, flat = place, 0
            elif against[place]:
                break
            else:
                flat += 1
                if flat > self._least:
                    break
        return end

    def _valley(self, descent: _Descent, ascent: int, last: int) -> tuple[int, int] | None:
        plot = self._plot
        start, end, top, after = descent.start, last, plot[descent.start], plot[last + 1]
        if after * self._kept < descent.highest_after:
            return None
        if top * self._kept >= after:  # the left end is higher: begin where the right end's level is reached
            while plot[start + 1] > after and start < descent.end:
                start += 1
        elif after * self._kept >= top:  # the right end is higher
            while plot[end - 1] > top and end > ascent:
                end -= 1
        if self._correct:
            while start < end and not (plot[start] > plot[end] or start <= self._origin[end] < end):
                end -= 1
            if start >= end:
                return None
        if end - start + 1 < self._smallest or start > descent.end or end < ascent:
            return None
        return start, end


def innermost_labels(order: Rows, valleys: NDArray[np.intp]) -> Rows:
    """The valley of each row, of those within one another the smallest; -1 for none."""
    plot = np.full(len(order), -1, dtype=np.intp)
    count = 0
    for start, end in valleys.tolist():
        if (plot[start : end + 1] == -1).all():
            plot[start : end + 1] = count
            count += 1
    labels = np.empty_like(plot)
    labels[order] = plot
    return labels
