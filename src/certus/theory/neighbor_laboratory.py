"""What neighbors can and cannot do: consistency, many dimensions, columns that do not matter."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certus.geometry import pairwise_distances
from certus.geometry.search import build_index
from certus.guarantees.records import check_count

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NeighborConsistency:
    """Errors of k nearest neighbors for growing numbers of rows.

    Attributes
    ----------
    rows : tuple of int
        Numbers of rows.
    neighbors : tuple of int
        Numbers of neighbors.
    errors : tuple of float
        Mean error over the tables.
    deviations : tuple of float
        Standard error of each mean.
    """

    rows: tuple[int, ...]
    neighbors: tuple[int, ...]
    errors: tuple[float, ...]
    deviations: tuple[float, ...]


def neighbor_consistency(
    eta: Callable[[Floats], Floats],
    rows: Iterable[int] = (200, 1000, 5000),
    *,
    neighbors: Callable[[int], int] | None = None,
    tables: int = 50,
    seed: int = 0,
) -> NeighborConsistency:
    """Measure the error of k(n) nearest neighbors on x uniform in [0, 1] with P(y = 1 | x) = eta(x).

    With k -> infinity and k / n -> 0 it tends to the least possible error, whatever eta is (Stone 1977); with a fixed k
    it does not (`neighbor_limit`). The risk of each rule is computed from eta, not from test labels.

    Parameters
    ----------
    eta : callable
        P(y = 1 | x) of an array of x.
    rows : iterable of int, default=(200, 1000, 5000)
        Numbers of rows.
    neighbors : callable, default=None
        k as a function of n; by default the square root of n, rounded up.
    tables : int, default=50
        Number of random tables for each.
    seed : int, default=0
        Seed of the draws.

    Examples
    --------
    >>> found = neighbor_consistency(lambda x: 0.2 + 0.6 * x, (200, 2000), tables=20)
    >>> print(found.neighbors, found.errors[1] < found.errors[0])
    (15, 45) True
    """
    rng = np.random.default_rng(seed)
    check_count(tables, "tables", minimum=2)
    counts = [check_count(n, "rows", minimum=1) for n in rows]
    chosen = [min(n, neighbors(n) if neighbors else math.ceil(math.sqrt(n))) for n in counts]
    found = [_errors(eta, n, k, tables, rng) for n, k in zip(counts, chosen, strict=True)]
    means = tuple(float(np.mean(errors)) for errors in found)
    deviations = tuple(float(np.std(errors, ddof=1) / math.sqrt(tables)) for errors in found)
    return NeighborConsistency(tuple(counts), tuple(chosen), means, deviations)


def _errors(eta: Callable[[Floats], Floats], n: int, k: int, tables: int, rng: np.random.Generator) -> list[float]:
    queries = (np.arange(2000) + 0.5) / 2000
    chances = eta(queries)
    errors = []
    for _ in range(tables):
        x = rng.random(n)
        y = rng.random(n) < eta(x)
        nearest = build_index(x[:, None], "euclidean", n_neighbors=k).query(queries[:, None], k, 1)[1]
        ones = np.mean(y[nearest], axis=1) > 0.5
        errors.append(float(np.mean(np.where(ones, 1.0 - chances, chances))))
    return errors


def half_ball_share(dimensions: int) -> float:
    """Share of a ball's volume that is within half of its radius: 2^-d.

    Parameters
    ----------
    dimensions : int
        Number of dimensions d.

    Examples
    --------
    >>> half_ball_share(10)
    0.0009765625
    """
    return 2.0 ** -check_count(dimensions, "dimensions", minimum=1)


def distance_contrast(dimensions: int, rows: int = 500, *, seed: int = 0) -> float:
    """Relative spread of the distances from a random point to uniform points of a cube: (farthest - nearest) / nearest.

    It tends to 0 as dimensions grow: all rows become equally near (Beyer and others 1999). The median over 20 points.

    Parameters
    ----------
    dimensions : int
        Number of columns.
    rows : int, default=500
        Number of points.
    seed : int, default=0
        Seed of the draws.

    Examples
    --------
    >>> distance_contrast(2) > 10, distance_contrast(1000) < 0.3
    (True, True)
    """
    rng = np.random.default_rng(seed)
    points = rng.random((check_count(rows, "rows", minimum=2), check_count(dimensions, "dimensions", minimum=1)))
    distances = pairwise_distances(rng.random((20, dimensions)), points)
    return float(np.median(distances.max(axis=1) / distances.min(axis=1) - 1.0))


def idle_column_errors(
    idle: Iterable[int] = (0, 2, 10, 50), *, scale: float = 1.0, rows: int = 300, neighbors: int = 5, seed: int = 0
) -> tuple[float, ...]:
    """Leave-one-out errors of k nearest neighbors when columns that say nothing are added to one that says all.

    All columns weigh alike in a distance: many idle ones, or a few with a large scale, hide the one that matters.

    Parameters
    ----------
    idle : iterable of int, default=(0, 2, 10, 50)
        Numbers of idle columns.
    scale : float, default=1.0
        Their size; the column that matters has size 1.
    rows : int, default=300
        Number of rows.
    neighbors : int, default=5
        Number of neighbors, odd.
    seed : int, default=0
        Seed of the draws.

    Examples
    --------
    >>> errors = idle_column_errors()
    >>> print(errors[0] < 0.05 < 0.25 < errors[-1])
    True
    """
    rng = np.random.default_rng(seed)
    matters = rng.normal(size=(check_count(rows, "rows", minimum=2), 1))
    labels = matters[:, 0] > 0
    errors = []
    for count in idle:
        table = np.hstack([matters, scale * rng.normal(size=(rows, check_count(count, "idle")))])
        distances = pairwise_distances(table)
        np.fill_diagonal(distances, np.inf)
        nearest = np.argsort(distances, axis=1, kind="stable")[:, : min(neighbors, rows - 1)]
        errors.append(float(np.mean((labels[nearest].mean(axis=1) > 0.5) != labels)))
    return tuple(errors)
