"""Exact search under any metric, functions of two rows too, by the triangle inequality alone. Omohundro (1989).

A ball is a row, its center, and a radius within which all rows of the ball lie. It is cut in two at the median of the
difference of the distances to two rows far apart. A query leaves a ball out if it is farther from its center than the
radius and its limit together. Queries go down together, so that the distances to a center are computed at once.

Distances may be off by rounding: an inequality counts as violated, and a ball as too far, only beyond SLACK. What is
not a metric may violate the inequality on which a search relies; each that a search meets is checked, and the first
violation is an error that names the rows, not a wrong answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Table
from certus.geometry._native_calls import Floats, Nearest, Rows, Within
from certus.geometry.metrics.axiom_checks import first_contradiction, signs, symmetry, triangle
from certus.geometry.metrics.distance_metric import other_distances
from certus.geometry.search.neighbor_index import dense, radii_of

SLACK = 1e-9
TRIED, TRIPLES = 50, 20_000  # rows and their triples that are tried before a function is trusted
# Those without a kernel for which it is proved. Bray-Curtis and Dice are none, and rows without a true value have no
# distance by Sokal and Sneath: these are compared with all rows.
_OTHER_METRICS = ("jaccard", "mahalanobis", "rogerstanimoto", "russellrao", "sokalmichener")


class _Ball:
    """Some rows, the first of which is the center; a leaf has no halves."""

    def __init__(self, rows: Rows, distances: Floats) -> None:
        self.rows = rows
        self.distances = distances  # of the rows to the center
        self.radius = float(distances.max())
        self.halves: tuple[_Ball, _Ball] | None = None


class BallTreeIndex:
    """Dense rows under a metric.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
        The rows.
    metric : str or callable
        A name of a metric for which the triangle inequality holds, or a function of two rows.
    params : dict
        Its parameters.
    leaf_size : int
        Most rows in a leaf.
    """

    def __init__(self, rows: NDArray[Any], metric: Any, params: dict[str, Any], leaf_size: int) -> None:
        self._rows, self._metric, self._params = rows, metric, params
        if callable(metric):
            self._try_axioms()
        self._leaf_size = max(2, leaf_size)
        everything = np.arange(len(rows), dtype=np.intp)
        self._root = self._ball(everything, self._between(0, everything))

    def _try_axioms(self) -> None:
        """Refuse a function that is no metric on a few rows; that different rows have a distance is not needed."""
        rng = np.random.default_rng(0)
        count = min(TRIED, len(self._rows))
        chosen = np.sort(rng.choice(len(self._rows), count, replace=False)).astype(np.intp)
        some = self._rows[chosen]
        table = np.array([[float(self._metric(x, y, **self._params)) for y in some] for x in some])
        found = first_contradiction(
            signs(table, chosen), symmetry(table, chosen), triangle(table, chosen, TRIPLES, rng)
        )
        if not found.holds:
            self._refuse(f"{found.axiom}: rows {found.witness}, {found.reason}")

    def _between(self, row: int, others: Rows) -> Floats:
        return other_distances(self._rows[row : row + 1], self._rows[others], self._metric, self._params)[0]

    def _ball(self, rows: Rows, distances: Floats) -> _Ball:
        """The ball around the first row, with all that is within."""
        ball = _Ball(rows, distances)
        if len(rows) > self._leaf_size and ball.radius > 0.0:
            left = rows[int(np.argmax(distances))]
            from_left = self._between(int(left), rows)
            right = rows[int(np.argmax(from_left))]
            from_right = self._between(int(right), rows)
            order = np.argsort(from_left - from_right, kind="stable")
            middle = len(rows) // 2
            ball.halves = (
                self._half(order[:middle], rows, from_left, int(left)),
                self._half(order[middle:], rows, from_right, int(right)),
            )
        return ball

    def _half(self, chosen: Rows, rows: Rows, distances: Floats, center: int) -> _Ball:
        """A half around its own row that is nearest to the row at the far end; that row itself, if it is there."""
        first = chosen[np.lexsort((rows[chosen], distances[chosen]))[0]]
        others = chosen[chosen != first]
        ordered = np.concatenate([[first], others])
        if rows[first] == center:
            return self._ball(rows[ordered], distances[ordered])
        return self._ball(rows[ordered], self._between(int(rows[first]), rows[ordered]))

    def query(self, queries: Table, k: int, n_jobs: int | None) -> Nearest:
        """The k nearest rows of each query."""
        points = dense(queries)
        nearest = np.full((len(points), k), np.inf), np.full((len(points), k), len(self._rows), dtype=np.intp)

        def take(ids: Rows, rows: Rows, distances: Floats, seen: NDArray[np.bool_]) -> None:
            values = np.hstack([nearest[0][ids], np.where(seen, distances, np.inf)])
            numbers = np.hstack([nearest[1][ids], np.where(seen, rows[None, :], len(self._rows))])
            order = np.lexsort((numbers, values), axis=1)[:, :k]
            nearest[0][ids] = np.take_along_axis(values, order, axis=1)
            nearest[1][ids] = np.take_along_axis(numbers, order, axis=1)

        self._walk(points, lambda ids: nearest[0][ids, -1], take)
        return nearest

    def within(self, queries: Table, radius: Any, n_jobs: int | None) -> Within:
        """The rows at most a radius away from each query."""
        points = dense(queries)
        radii = radii_of(radius, len(points))
        owners, rows, found = [np.empty(0, np.intp)], [np.empty(0, np.intp)], [np.empty(0)]

        def take(ids: Rows, some: Rows, distances: Floats, seen: NDArray[np.bool_]) -> None:
            line, column = np.nonzero(seen & (distances <= radii[ids, None]))
            owners.append(ids[line])
            rows.append(some[column])
            found.append(distances[line, column])

        self._walk(points, lambda ids: radii[ids], take)
        owner, row, distance = np.concatenate(owners), np.concatenate(rows), np.concatenate(found)
        order = np.lexsort((row, owner))
        starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(points)))])
        return Within(starts.astype(np.intp), row[order], distance[order])

    def count_within(self, queries: Table, radius: Any, n_jobs: int | None) -> Rows:
        """How many rows are at most a radius away from each query."""
        return np.diff(self.within(queries, radius, n_jobs).starts)

    def have_within(self, queries: Table, radius: Any, least: int, n_jobs: int | None) -> NDArray[np.bool_]:
        """Whether at least so many rows are at most a radius away from each query."""
        return self.count_within(queries, radius, n_jobs) >= least

    def _walk(self, points: NDArray[Any], limits: Callable[[Rows], Floats], take: Callable[..., None]) -> None:
        """Show every query, by ``take``, the rows that may be within its limit, the nearer balls first."""
        everyone = np.arange(len(points), dtype=np.intp)
        waiting = [(self._root, everyone, self._to_rows(points, everyone, self._root.rows[:1])[:, 0])]
        while waiting:
            ball, ids, centers = waiting.pop()
            near = ~(centers - ball.radius > limits(ids) + SLACK * (centers + ball.radius))
            ids, centers = ids[near], centers[near]
            if not len(ids):
                continue
            if ball.halves is None:
                self._see_leaf(points, ball, ids, centers, limits, take)
                continue
            left, right = (self._to_rows(points, ids, half.rows[:1])[:, 0] for half in ball.halves)
            for nearer, mask in ((0, left <= right), (1, left > right)):
                for number in (1 - nearer, nearer):  # the last to come is the first to go on
                    waiting.append((ball.halves[number], ids[mask], (left, right)[number][mask]))

    def _see_leaf(
        self,
        points: NDArray[Any],
        ball: _Ball,
        ids: Rows,
        centers: Floats,
        limits: Callable[[Rows], Floats],
        take: Callable[..., None],
    ) -> None:
        gap = np.abs(centers[:, None] - ball.distances[None, :])
        reach = SLACK * (centers[:, None] + ball.distances[None, :])
        seen = ~(gap > limits(ids)[:, None] + reach)  # the others are too far by the triangle inequality
        columns, lines = np.flatnonzero(seen.any(axis=0)), np.flatnonzero(seen.any(axis=1))
        if not len(lines):
            return
        rows, some = ball.rows[columns], ids[lines]
        distances = self._to_rows(points, some, rows)
        part = np.ix_(lines, columns)
        broken = np.argwhere(gap[part] > distances + reach[part])
        if len(broken):
            line, column = broken[0]
            self._refuse(
                f"triangle: the distances of a query to rows {int(ball.rows[0])} and {int(rows[column])} are "
                f"{centers[lines][line]:g} and {distances[line, column]:g}, that of the rows is "
                f"{ball.distances[columns][column]:g}"
            )
        take(some, rows, distances, seen[part])

    def _to_rows(self, points: NDArray[Any], ids: Rows, rows: Rows) -> Floats:
        return other_distances(points[ids], self._rows[rows], self._metric, self._params)

    def _refuse(self, reason: str) -> None:
        raise ValueError(
            f"metric must be a metric for algorithm='ball_tree', got {self._metric!r}, which violates the axiom of the "
            f"{reason}.\nHint: algorithm='brute' compares all rows and takes any function."
        )


def is_for_balls(metric: Any) -> bool:
    """Whether a metric that has no kernel obeys the triangle inequality, or is a function that has to show it."""
    return callable(metric) or (isinstance(metric, str) and metric in _OTHER_METRICS)
