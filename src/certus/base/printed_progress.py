"""The table that a learner with ``verbose`` prints: the one place of the library that writes to standard output.

A fit prints only if the user asked for it with ``verbose=1`` (the first ten iterations, then every tenth up to the
hundredth, and so on) or a larger number (all iterations).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from time import monotonic
from typing import Any


class PrintedProgress:
    """One line per iteration: its number, what the learner tells about it, and the time.

    Parameters
    ----------
    verbose : int
        1: ever fewer lines; larger: all of them.
    limit : int or None
        The number of iterations, if it is known; then the time is the one that remains.
    titles : mapping
        What to call the told numbers in the header; their own names without.
    begun : int, default=0
        Iterations of an earlier fit that is continued.
    """

    def __init__(self, verbose: int, limit: int | None, titles: Mapping[str, str], begun: int = 0) -> None:
        self._every_line = verbose > 1
        self._limit = limit
        self._titles = titles
        self._begun = begun
        self._told = 0
        self._step = 1
        self._widths: list[int] = []
        self._start = monotonic()

    def tell(self, facts: Mapping[str, Any]) -> None:
        """Count one finished iteration, and print its line if it is due."""
        if self._told == 0:
            last = "Time" if self._limit is None else "Remaining Time"
            titles = [self._titles.get(name, name.replace("_", " ").capitalize()) for name in facts]
            self._widths = [max(len(title), 16) for title in titles]
            cells = [f"{title:>{width}}" for title, width in zip(titles, self._widths, strict=True)]
            self._write(f"{'Iter':>10}", *cells, f"{last:>16}")
        self._told += 1
        if self._told % self._step:
            return
        numbers = (f"{float(value):>{width}.6g}" for value, width in zip(facts.values(), self._widths, strict=True))
        self._write(f"{self._begun + self._told:>10}", *numbers, f"{self._time():>16}")
        if not self._every_line and self._told >= 10 * self._step:
            self._step *= 10

    def _time(self) -> str:
        seconds = monotonic() - self._start
        if self._limit is not None:
            seconds *= max(self._limit - self._begun - self._told, 0) / self._told
        return f"{seconds / 60.0:.2f}m" if seconds > 60.0 else f"{seconds:.2f}s"

    @staticmethod
    def _write(*cells: str) -> None:
        sys.stdout.write(" ".join(cells) + "\n")
