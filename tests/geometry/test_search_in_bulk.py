"""Many queries at once, for which searches go other ways inside, answer as one query after the other."""

import numpy as np
import pytest

from certus.neighbors import NearestNeighbors
from tests.geometry.twin import nearest, reduced_distances


def _by_definition(rows: np.ndarray, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    squares, places = nearest(reduced_distances(queries, rows), k)
    return np.sqrt(squares), places


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("columns", [1, 3])
def test_queries_of_a_tree_in_any_order(columns: int, dtype: type) -> None:
    rng = np.random.default_rng(columns)
    rows = rng.integers(0, 40, (20_000, columns)).astype(dtype)  # many ties
    rows[:3] = 1e7  # a box far from all others
    queries = np.concatenate([rows[:300], rng.normal(20, 30, (700, columns)).astype(dtype)])
    model = NearestNeighbors(n_neighbors=4, algorithm="kd_tree", n_jobs=1).fit(rows)
    together = model.kneighbors(queries)
    alone = [model.kneighbors(query[None]) for query in queries]
    np.testing.assert_array_equal(together[1], np.concatenate([rows for _, rows in alone]))
    np.testing.assert_array_equal(together[0], np.concatenate([distances for distances, _ in alone]))
    turned = model.kneighbors(queries[::-1])
    np.testing.assert_array_equal(turned[1][::-1], together[1])
    if columns == 3:
        np.testing.assert_array_equal(together[1][:60], _by_definition(rows, queries[:60], 4)[1])


@pytest.mark.parametrize("leaf_size", [1, 7, 30, 5_000])
def test_every_size_of_leaves(leaf_size: int) -> None:
    rng = np.random.default_rng(leaf_size)
    rows, queries = rng.normal(size=(3_001, 2)), rng.normal(size=(50, 2))
    model = NearestNeighbors(n_neighbors=30, algorithm="kd_tree", leaf_size=leaf_size).fit(rows)
    np.testing.assert_array_equal(model.kneighbors(queries)[1], _by_definition(rows, queries, 30)[1])


@pytest.mark.parametrize("k", [1, 5, 24, 25, 60])
@pytest.mark.parametrize("shape", [(50, 33), (600, 256), (700, 300), (515, 600)])
def test_products_of_any_shape(shape: tuple[int, int], k: int) -> None:
    rng = np.random.default_rng(k)
    rows = rng.normal(size=shape) + 1e4  # far from the origin
    rows[-5:] = rows[:5]  # equal rows
    queries = np.concatenate([rows[:20], rng.normal(size=(51, shape[1])) + 1e4])
    k = min(k, shape[0] // 8)
    distances, places = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=2).fit(rows).kneighbors(queries)
    expected = _by_definition(rows, queries, k)
    np.testing.assert_array_equal(places, expected[1])
    np.testing.assert_allclose(distances, expected[0], rtol=1e-12)


def test_a_query_far_from_all_rows_is_answered_by_comparing_all() -> None:
    rows = np.random.default_rng(1).normal(size=(400, 64))
    queries = np.concatenate([np.full((1, 64), 1e15), rows[:39]])
    places = NearestNeighbors(n_neighbors=3, algorithm="brute").fit(rows).kneighbors(queries)[1]
    np.testing.assert_array_equal(places[1:, 0], np.arange(39))
    np.testing.assert_array_equal(places[:1], NearestNeighbors(n_neighbors=3).fit(rows).kneighbors(queries[:1])[1])
