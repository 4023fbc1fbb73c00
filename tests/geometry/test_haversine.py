"""Search on a sphere finds what the formula says, for near and far points, ties, every dtype and algorithm."""

from __future__ import annotations

from math import asin, cos, sin, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import haversine_distances

from certus.geometry.metrics.haversine_metric import haversine
from certus.geometry.search import build_index
from certus.neighbors import KNeighborsClassifier, NearestNeighbors, RadiusNeighborsClassifier
from tests.geometry.twin import nearest

ALGORITHMS = ["auto", "ball_tree", "brute"]


def towns(rows: int, seed: int, spread: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    points = np.stack([np.arcsin(rng.uniform(-1, 1, rows)), rng.uniform(-np.pi, np.pi, rows)], axis=1)
    return np.array([0.9, 0.2]) * (spread < 1) + spread * points


def twin(queries: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The formula, number by number."""
    return np.array(
        [
            [
                2 * asin(min(1.0, sqrt(sin((a - c) / 2) ** 2 + cos(a) * cos(c) * sin((b - d) / 2) ** 2)))
                for c, d in rows.tolist()
            ]
            for a, b in queries.tolist()
        ]
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("spread", [1.0, 1e-3, 1e-9])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_neighbors_are_those_of_the_formula(algorithm: str, spread: float, dtype: Any) -> None:
    rows, queries = towns(1500, 0, spread).astype(dtype), towns(30, 1, spread).astype(dtype)
    every = haversine(queries[:, None].astype(float), rows[None].astype(float))
    assert_allclose(every, twin(queries, rows), rtol=1e-13, atol=1e-300)
    search = NearestNeighbors(metric="haversine", algorithm=algorithm).fit(rows)
    distances, found = search.kneighbors(queries, 9)
    assert_array_equal(found, nearest(every, 9)[1])
    assert_array_equal(distances, nearest(every, 9)[0])
    radius = float(np.median(every))
    far, near = search.radius_neighbors(queries, radius)
    for row, line, lengths in zip(every, near, far, strict=True):
        assert_array_equal(line, np.flatnonzero(row <= radius))
        assert_array_equal(lengths, row[row <= radius])


def test_antipodes_the_date_line_the_poles_and_ties() -> None:
    grid = np.stack(np.meshgrid(np.linspace(-np.pi / 2, np.pi / 2, 13), np.linspace(-np.pi, np.pi, 25)), -1)
    rows = np.repeat(grid.reshape(-1, 2), 4, axis=0)  # every point four times, each pole a hundred times
    queries = np.concatenate([rows[::37], -rows[::41], [[0.0, np.pi], [np.pi / 2, 1.0]]])
    every = haversine(queries[:, None], rows[None])
    for k in (1, 5, 40, len(rows)):
        distances, found = NearestNeighbors(n_neighbors=k, metric="haversine").fit(rows).kneighbors(queries)
        assert_array_equal(found, nearest(every, k)[1])
        assert_array_equal(distances, nearest(every, k)[0])
    for radius in (0.0, 0.3, np.pi - 1e-8, np.pi, 4.0):
        index = build_index(rows, "haversine")
        assert_array_equal(index.count_within(queries, radius, None), (every <= radius).sum(axis=1))


def test_equal_points_and_degrees_by_mistake() -> None:
    same = np.tile([[0.5, 0.5]], (300, 1))
    distances, found = NearestNeighbors(n_neighbors=3, metric="haversine").fit(same).kneighbors(same[:2] + 0.1)
    assert_array_equal(found, [[0, 1, 2]] * 2)
    rows, queries = np.rad2deg(towns(800, 2)), np.rad2deg(towns(20, 3))
    distances, found = NearestNeighbors(n_neighbors=4, metric="haversine").fit(rows).kneighbors(queries)
    every = haversine(queries[:, None], rows[None])
    assert_array_equal(found, nearest(every, 4)[1])
    assert_allclose(distances, np.sort(haversine_distances(queries, rows), axis=1)[:, :4], rtol=1e-9)


def test_latitudes_beyond_the_poles_are_compared_one_by_one() -> None:
    rng = np.random.default_rng(6)
    rows = np.concatenate([towns(400, 7) * [2.0, 1.0], np.float32(np.pi / 2) + rng.normal(0, 1e-6, (400, 2))])
    over = np.stack([np.pi - rows[:, 0], rows[:, 1] + np.pi], axis=1)  # the same places, past a pole
    every = haversine(over[:60, None], rows[None])
    _, found = NearestNeighbors(n_neighbors=6, metric="haversine").fit(rows).kneighbors(over[:60])
    assert_array_equal(found, nearest(every, 6)[1])


@pytest.mark.parametrize("spread", [1e-8, 1e-6])
def test_poles_rounded_to_single(spread: float) -> None:
    rng = np.random.default_rng(8)
    rows = np.stack([np.float32(np.pi / 2) - np.abs(rng.normal(0, spread, 900)), rng.uniform(-3, 3, 900)], axis=1)
    every = haversine(rows[:50, None], rows[None])
    _, found = NearestNeighbors(n_neighbors=6, metric="haversine").fit(rows).kneighbors(rows[:50])
    assert_array_equal(found, nearest(every, 6)[1])


def test_threads_change_no_bit_and_votes_are_counted() -> None:
    rows, queries = towns(3000, 4), towns(500, 5)
    y = (rows[:, 0] > 0).astype(int)
    one, two = (KNeighborsClassifier(5, metric="haversine", n_jobs=jobs).fit(rows, y) for jobs in (1, 2))
    assert_array_equal(one.kneighbors(queries)[0], two.kneighbors(queries)[0])
    assert (one.predict(queries) == (queries[:, 0] > 0)).mean() > 0.95
    within = RadiusNeighborsClassifier(0.2, metric="haversine").fit(rows, y)
    assert (within.predict(queries) == (queries[:, 0] > 0)).mean() > 0.9


def test_other_widths_are_refused() -> None:
    found = NearestNeighbors(n_neighbors=1, metric="haversine").fit([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="only valid in 2 dimensions"):
        found.kneighbors([[1.0, 2.0, 3.0]])
