"""Learning from rows alone: they are kept, and that is all."""

from __future__ import annotations

from typing import Self

from certus.base import fit_method
from certus.base.inputs import TableLike, TargetLike
from certus.guarantees import Report
from certus.neighbors.search.row_memory import RowMemory


class RowsAlone(RowMemory):
    """Mixin with the `fit` of learners that have no target."""

    report_: Report

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> Self:
        """Keep the rows and prepare the search."""
        self._take_rows(self._check_rows(X))
        self.report_ = Report()
        return self
