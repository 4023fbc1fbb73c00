"""Exact search on a sphere: candidates by unit vectors and a Euclidean index, their distances by the formula itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.base import Table, resolve_threads
from certus.geometry import _native_calls
from certus.geometry._native_calls import Floats, Nearest, Rows, Within
from certus.geometry.metrics.distance_metric import NativeMetric, native_metric
from certus.geometry.metrics.haversine_metric import (
    CHORD_ERROR,
    are_safe,
    haversine,
    longest_chord,
    unit_vectors,
)
from certus.geometry.search.neighbor_index import Blockwise, DenseIndex, dense, radii_of

_SPARE = 8  # candidates beyond k: if the last of them is clearly farther than the k-th, no other row can be nearer
_BLOCK_QUERIES = 1024


class HaversineIndex(Blockwise):
    """Rows of latitude and longitude in radians; all ways to search return the same bits.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, 2)
        The points.
    algorithm, leaf_size, k, n_jobs
        As of `DenseIndex`.
    """

    def __init__(self, rows: Any, algorithm: str, leaf_size: int, k: int, n_jobs: int | None) -> None:
        self._rows = np.ascontiguousarray(rows, dtype=np.float64)
        self._chords: DenseIndex | None = None
        if are_safe(self._rows):
            euclidean: NativeMetric = native_metric("euclidean", {}, columns=3)  # type: ignore[assignment]
            self._chords = DenseIndex(unit_vectors(self._rows), euclidean, algorithm, leaf_size, k + _SPARE, n_jobs)

    def query(self, queries: Table, k: int, n_jobs: int | None) -> Nearest:
        """The k nearest rows of each query."""
        points = np.ascontiguousarray(dense(queries), dtype=np.float64)
        found = np.empty((len(points), k)), np.empty((len(points), k), dtype=np.intp)
        left = np.arange(len(points))
        if self._chords is not None and are_safe(points):
            left = left[~self._by_chords(points, k, n_jobs, found)]
        for first, distances in self._blocks(points[left], n_jobs):
            some = left[first : first + len(distances)]
            found[0][some], found[1][some] = _native_calls.select_smallest(distances, k, resolve_threads(n_jobs))
        return found

    def _by_chords(self, points: Floats, k: int, n_jobs: int | None, found: Nearest) -> Any:
        """Fill in the neighbors of the queries whose candidates are sure to hold them, and say which these are."""
        assert self._chords is not None
        count = min(k + _SPARE, len(self._rows))
        chords, rows = self._chords.query(unit_vectors(points), count, n_jobs)
        sure = chords[:, -1] > chords[:, k - 1] * (1.0 + CHORD_ERROR) + CHORD_ERROR
        if count == len(self._rows):
            sure[:] = True
        candidates = np.sort(rows[sure], axis=1)  # a stable sort by distance then leaves equal ones in this order
        distances = haversine(points[sure][:, None, :], self._rows[candidates])
        order = np.argsort(distances, axis=1, kind="stable")[:, :k]
        found[0][sure] = np.take_along_axis(distances, order, axis=1)
        found[1][sure] = np.take_along_axis(candidates, order, axis=1)
        return sure

    def within(self, queries: Table, radius: Any, n_jobs: int | None) -> Within:
        """The rows at most a radius away from each query."""
        points = np.ascontiguousarray(dense(queries), dtype=np.float64)
        radii = radii_of(radius, len(points))
        if self._chords is None or not are_safe(points):
            return super().within(points, radii, n_jobs)
        near = self._chords.within(unit_vectors(points), longest_chord(radii), n_jobs)
        owner = np.repeat(np.arange(len(points)), np.diff(near.starts))
        distances = haversine(points[owner], self._rows[near.rows])
        inside = distances <= radii[owner]
        starts = np.concatenate([[0], np.cumsum(inside)])[near.starts]
        return Within(starts.astype(np.intp), near.rows[inside], distances[inside])

    def count_within(self, queries: Table, radius: Any, n_jobs: int | None) -> Rows:
        """How many rows are at most a radius away from each query."""
        points = dense(queries)
        radii = radii_of(radius, len(points))
        parts = [
            np.diff(self.within(points[at : at + _BLOCK_QUERIES], radii[at : at + _BLOCK_QUERIES], n_jobs).starts)
            for at in range(0, len(points), _BLOCK_QUERIES)
        ]
        return np.concatenate([*parts, np.zeros(0)]).astype(np.intp)

    def _block_rows(self) -> int:
        return len(self._rows)

    def distances(self, queries: Any, n_jobs: int | None) -> Floats:
        """All distances between some queries and the rows."""
        return haversine(queries[:, None, :], self._rows[None])
