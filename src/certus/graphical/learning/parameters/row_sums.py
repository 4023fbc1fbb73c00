"""Sums over the missing cells of rows: one completion after the other where these are few, else by trees of cliques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.graphical import _native_calls as network_calls
from certus.graphical.learning import _native_calls
from certus.graphical.learning.parameters.table_shapes import TableShapes
from certus.graphical.networks.inference.clique_messages import _TOO_SMALL, OutOfRange, free_cells

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
FEW = 512  # completions that are gone through one by one


@dataclass(frozen=True)
class WideRows:
    """Rows with one pattern of missing cells, and the tree that sums over them.

    Parameters
    ----------
    places : ndarray of int
        Which rows.
    rows : ndarray of int64
        Their codes.
    tree : object
        The tree of cliques, planned for the pattern.
    """

    places: NDArray[np.intp]
    rows: NDArray[np.int64]
    tree: Any


class RowSums:
    """The sums of some rows, for tables that may change.

    Parameters
    ----------
    shapes : TableShapes
        The structure.
    rows : ndarray of shape (rows, nodes)
        Places of states, -1 for missing cells.
    observed_only : bool
        Whether only likelihoods are asked for: missing nodes without observed descendants are then left out.
    """

    def __init__(self, shapes: TableShapes, rows: Codes, *, observed_only: bool = False) -> None:
        self.shapes, self.count = shapes, len(rows)
        self._values = shapes.uniform()  # the trees read them where they are
        self._native = shapes.native(self._values)
        few = np.ones(len(rows), dtype=bool)
        self._wide: list[WideRows] = []
        if self._most(rows, observed_only) > FEW:
            patterns, which = np.unique(rows < 0, axis=0, return_inverse=True)
            for place, pattern in enumerate(patterns):
                chosen = np.flatnonzero(which.ravel() == place)
                if self._most(rows[chosen[:1]], observed_only) > FEW:
                    few[chosen] = False
                    self._wide.append(self._planned(chosen, rows[chosen], pattern, observed_only))
        self._few = np.flatnonzero(few)
        self._rows = np.ascontiguousarray(rows[few])

    def _most(self, rows: Codes, observed_only: bool) -> float:
        return _native_calls.most_completions(self._native, np.ascontiguousarray(rows), observed_only=observed_only)

    def _planned(
        self, places: NDArray[np.intp], rows: Codes, missing: NDArray[np.bool_], observed_only: bool
    ) -> WideRows:
        nodes = len(missing)
        kept = np.ones(nodes, dtype=np.uint8)
        if observed_only:
            kept[:] = 0
            waiting = np.flatnonzero(~missing).tolist()
            while waiting:
                node = waiting.pop()
                if not kept[node]:
                    kept[node] = 1
                    waiting += self.shapes.parents[node]
        observed, none = (~missing).astype(np.uint8), np.zeros(nodes, dtype=np.uint8)
        tree = network_calls.clique_tree(self._native, kept, observed, none, np.empty(0, dtype=np.int64))
        if tree.peak(False) > free_cells():
            raise MemoryError(
                f"The sums over missing cells must fit in {free_cells():,} cells, got a tree of width {tree.width} "
                f"that takes {tree.peak(False):,.0f}.\nHint: a structure with fewer links between columns with gaps."
            )
        return WideRows(places, np.ascontiguousarray(rows, dtype=np.int64), tree)

    def likelihoods(self, values: Floats) -> Floats:
        """The log-probability of what is observed of every row."""
        self._values[:] = values
        found = np.empty(self.count)
        found[self._few] = _native_calls.row_likelihoods(self._native, self._rows)
        self._add_wide(found, np.zeros(self.count), np.zeros(self.shapes.cells))
        return found

    def counts(self, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """The same, and the expected counts of all entries."""
        self._values[:] = values
        found = np.empty(self.count)
        found[self._few], counts = _native_calls.expected_counts(
            self._native, self._rows, weights[self._few], self.shapes.cells
        )
        self._add_wide(found, weights, counts)
        return found, counts

    def _add_wide(self, found: Floats, weights: Floats, counts: Floats) -> None:
        for wide in self._wide:
            found[wide.places] = network_calls.tree_count_rows(wide.tree, wide.rows, weights[wide.places], counts)
            if np.isnan(found[wide.places]).any():
                raise OutOfRange(_TOO_SMALL)
