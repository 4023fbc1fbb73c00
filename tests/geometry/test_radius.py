"""Radius queries, counts and blocked reductions against a plain twin, for every metric, dtype and offset."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist

from certus.geometry import distance_blocks, label_distance_sums, pairwise_distances
from certus.geometry.metrics.distance_metric import native_metric
from certus.geometry.search import build_index

METRICS: list[tuple[str, dict[str, Any]]] = [
    ("euclidean", {}),
    ("sqeuclidean", {}),
    ("manhattan", {}),
    ("chebyshev", {}),
    ("cosine", {}),
    ("minkowski", {"p": 3}),
    ("minkowski", {"p": 1.5, "w": np.array([1.0, 0.5, 2.0])}),
    ("seuclidean", {"V": np.array([1.0, 0.5, 2.0])}),
    ("hamming", {}),
    ("canberra", {}),
    ("braycurtis", {}),
]
NAMES = {"manhattan": "cityblock"}


def table(name: str, rows: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(rows, 3))
    return {"hamming": np.round, "braycurtis": np.abs}.get(name, np.asarray)(drawn)


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "params"), METRICS)
def test_lists_and_counts_are_those_of_the_definition(
    name: str, params: dict[str, Any], dtype: type, algorithm: str
) -> None:
    rows, queries = table(name, 400, 0).astype(dtype), table(name, 30, 1)
    index = build_index(rows, name, params, algorithm=algorithm, leaf_size=8)
    everything = cdist(queries, rows.astype(float), NAMES.get(name, name), **params)
    radius = float(np.quantile(everything, 0.1)) * (1 + 1e-9)
    found = index.within(queries, radius, 1)
    assert_array_equal(found.starts, np.concatenate([[0], np.cumsum((everything <= radius).sum(axis=1))]))
    assert_array_equal(found.rows, np.nonzero(everything <= radius)[1])
    assert_allclose(found.distances, everything[everything <= radius], rtol=1e-12, atol=1e-15)
    assert_array_equal(index.count_within(queries, radius, 1), np.diff(found.starts))


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_boundaries_count_as_within(algorithm: str, columns: int) -> None:
    """Grids: every distance below is exact, and very many are equal to the radius."""
    axes = np.meshgrid(*[np.arange(7.0)] * columns)
    rows = np.stack([axis.ravel() for axis in axes], axis=1)
    index = build_index(rows, "euclidean", algorithm=algorithm, leaf_size=8)
    squared = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    for radius in (0.0, 1.0, 2.0, 5.0, np.sqrt(2), np.sqrt(5)):
        exact = squared <= round(radius**2)
        assert_array_equal(index.count_within(rows, radius, 1), exact.sum(axis=1))
        for least in (1, 4, 40):
            assert_array_equal(index.have_within(rows, radius, least, 1), exact.sum(axis=1) >= least)
        assert_array_equal(index.within(rows, radius, 1).rows, np.nonzero(exact)[1])
    assert index.count_within(rows, -1.0, 1).sum() == 0
    assert (index.count_within(rows, np.inf, 1) == len(rows)).all()


def test_each_query_may_have_its_own_radius() -> None:
    rows = np.random.default_rng(3).normal(size=(3000, 2))
    radii = np.linspace(0, 1, 50)
    for algorithm in ("brute", "kd_tree"):
        index = build_index(rows, "euclidean", algorithm=algorithm)
        counts = index.count_within(rows[:50], radii, 2)
        assert_array_equal(counts, (cdist(rows[:50], rows) <= radii[:, None]).sum(axis=1))


@pytest.mark.parametrize("offset", [0.0, 4e6])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_far_origin_costs_no_neighbor(offset: float, threads: int) -> None:
    rng = np.random.default_rng(5)
    rows = offset + np.round(rng.normal(size=(2500, 3)), 3)
    everything = cdist(rows[:40], rows)
    for algorithm in ("brute", "kd_tree"):
        index = build_index(rows, "euclidean", algorithm=algorithm)
        assert_array_equal(index.within(rows[:40], 0.3, threads).rows, np.nonzero(everything <= 0.3)[1])
    assert_allclose(pairwise_distances(rows[:40], rows), everything, rtol=1e-14)


@pytest.mark.parametrize(("name", "params"), METRICS)
def test_limits_of_reduced_distances_are_sharp(name: str, params: dict[str, Any]) -> None:
    metric = native_metric(name, params, 3)
    if metric is None:
        return
    radii = np.concatenate([[0.0, 1.0, 0.1, 3.0], np.random.default_rng(0).exponential(size=200)])
    limits = metric.limits(radii)
    assert (metric.finish(limits.copy()) <= radii).all()
    beyond = metric.finish(np.nextafter(limits, np.inf)) > radii
    assert beyond[radii > 0].all()


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "cosine"])
def test_sparse_rows_have_the_distances_of_dense_rows(name: str) -> None:
    rng = np.random.default_rng(2)
    dense = rng.normal(size=(60, 9)) * (rng.random((60, 9)) < 0.3)
    index = build_index(sparse.csr_array(dense), name)
    plain = build_index(dense, name, algorithm="brute")
    for radius in (0.5, 0.97):
        found, expected = index.within(sparse.csr_array(dense), radius, 1), plain.within(dense, radius, 1)
        assert_array_equal(found.rows, expected.rows)
        assert_array_equal(index.count_within(sparse.csr_array(dense), radius, 1), np.diff(expected.starts))
    assert_allclose(
        pairwise_distances(sparse.csr_array(dense), metric=name), pairwise_distances(dense, metric=name), atol=1e-14
    )


def test_given_distances_and_graphs() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 2))
    distances = cdist(rows, rows)
    index = build_index(rows, "precomputed")
    within = index.within(distances, 0.7, None)
    assert_array_equal(within.rows, np.nonzero(distances <= 0.7)[1])
    graph = sparse.csr_array(np.where(distances <= 1.0, distances, 0.0))
    assert_array_equal(index.count_within(graph, 0.7, None), ((graph.toarray() <= 0.7) & (graph.toarray() > 0)).sum(1))


@pytest.mark.parametrize("queries", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "params"), METRICS)
def test_sums_by_label(name: str, params: dict[str, Any], dtype: type, queries: bool) -> None:
    rows, labels = table(name, 700, 4).astype(dtype), np.random.default_rng(0).integers(0, 4, size=700)
    asked = table(name, 21, 5) if queries else None
    found = label_distance_sums(rows, labels, 4, queries=asked, metric=name, metric_params=params)
    distances = cdist(rows if asked is None else asked, rows.astype(float), NAMES.get(name, name), **params)
    expected = distances @ np.eye(4)[labels]
    assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_sums_do_not_depend_on_threads() -> None:
    rows, labels = table("", 2000, 4), np.random.default_rng(0).integers(0, 4, size=2000)
    one, two = (label_distance_sums(rows, labels, 4, n_jobs=jobs) for jobs in (1, 2))
    assert_array_equal(one, two)


def test_blocks_cover_all_rows_once() -> None:
    rows = np.random.default_rng(1).normal(size=(5000, 2))
    parts = list(distance_blocks(rows))
    assert len(parts) > 1
    assert [first for first, _ in parts] == list(np.cumsum([0, *[len(block) for _, block in parts[:-1]]]))
    assert sum(len(block) for _, block in parts) == 5000
    assert_allclose(parts[1][1][0], cdist(rows[parts[1][0]][None], rows)[0], rtol=1e-13)
