"""The searches find exactly the nearest rows, whatever structure, precision, offset or thread count."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from certus import _native
from certus.base import blas_on_one_thread
from certus.geometry import _native_calls, label_distance_sums, pairwise_distances
from certus.geometry.metrics.distance_metric import NativeMetric, native_metric
from certus.geometry.search import DenseIndex, build_index
from certus.neighbors import KNeighborsRegressor
from tests.geometry.twin import nearest, reduced_distances

EUCLIDEAN = NativeMetric("euclidean", 0)


def all_searches(rows: np.ndarray, queries: np.ndarray, k: int, threads: int = 1) -> list[_native_calls.Nearest]:
    """Tree (two leaf sizes), products and scan."""
    with blas_on_one_thread():
        found = [
            _native_calls.query_kd_tree(
                _native_calls.build_kd_tree(rows, leaf, threads), queries, k, EUCLIDEAN, threads
            )[0]
            for leaf in (8, 40)
        ]
        prepared = _native_calls.build_product_filter(rows, threads)
        found.append(_native_calls.query_product_filter(prepared, rows, queries, k, threads)[0])
        found.append(_native_calls.scan(rows, queries, k, EUCLIDEAN, threads))
    return found


def assert_equal_bits(results: list[_native_calls.Nearest]) -> None:
    for distances, rows in results[1:]:
        assert_array_equal(rows, results[0][1])
        assert_array_equal(distances, results[0][0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("rows", "columns", "k"), [(2500, 2, 1), (2500, 8, 5), (1500, 40, 17), (300, 3, 300)])
def test_all_searches_find_what_the_twin_finds(dtype: type, rows: int, columns: int, k: int) -> None:
    rng = np.random.default_rng(rows + columns)
    table, queries = rng.normal(size=(rows, columns)).astype(dtype), rng.normal(size=(150, columns))
    results = all_searches(table, queries, k)
    assert_equal_bits(results)
    distances, order = nearest(reduced_distances(queries, table), k)
    assert_array_equal(results[0][1], order)
    assert_allclose(results[0][0], distances, rtol=1e-13)


@settings(max_examples=60, deadline=None)
@given(
    rows=hnp.arrays(np.float64, st.tuples(st.integers(1, 90), st.integers(1, 4)), elements=st.integers(-2, 2)),
    seed=st.integers(0, 2**32 - 1),
    share=st.floats(0, 1),
)
def test_ties_go_to_the_earlier_row(rows: np.ndarray, seed: int, share: float) -> None:
    # Small whole numbers: distances are exact and most of them tie.
    queries = np.random.default_rng(seed).integers(-3, 4, size=(12, rows.shape[1])).astype(np.float64)
    k = 1 + int(share * (len(rows) - 1))
    results = all_searches(rows, queries, k)
    assert_equal_bits(results)
    distances, order = nearest(reduced_distances(queries, rows), k)
    assert_array_equal(results[0][1], order)
    assert_array_equal(results[0][0], distances)


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8, -3e12])
@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1.0, 1e30, 1e140])
def test_large_offsets_and_scales_do_not_cost_a_neighbor(offset: float, scale: float) -> None:
    rng = np.random.default_rng(3)
    table = (rng.normal(size=(1200, 6)) + offset) * scale
    queries = (rng.normal(size=(64, 6)) + offset) * scale
    results = all_searches(table, queries, 4)
    assert_equal_bits(results)
    assert_array_equal(results[0][1], nearest(reduced_distances(queries, table), 4)[1])


@pytest.mark.parametrize("spread", [30.0, 1e-3, 1e-9, 0.0])
def test_tiny_clusters_far_apart(spread: float) -> None:
    # The products cannot tell the members of a cluster apart; those queries must be compared directly.
    rng = np.random.default_rng(4)
    centers = rng.normal(size=(3, 5)) * 100
    table = centers[rng.integers(0, 3, 3000)] + spread * rng.normal(size=(3000, 5))
    queries = centers[rng.integers(0, 3, 50)] + spread * rng.normal(size=(50, 5))
    results = all_searches(table, queries, 6)
    assert_equal_bits(results)
    assert_array_equal(results[0][1], nearest(reduced_distances(queries, table), 6)[1])
    with blas_on_one_thread():
        prepared = _native_calls.build_product_filter(table, 1)
        scanned = _native_calls.query_product_filter(prepared, table, queries, 6, 1)[1]
    assert (scanned > 0) == (spread < 1)


def test_a_query_far_outside_and_rows_that_overflow() -> None:
    rng = np.random.default_rng(5)
    table = rng.normal(size=(600, 3))
    queries = np.array([[1e30, 0, 0], [0, -1e200, 0], [1e5, 1e5, 1e5]])
    results = all_searches(table, queries, 3)
    assert_equal_bits(results)
    huge = table.copy()
    huge[::2] *= 1e300  # differences overflow to infinity
    assert_equal_bits(all_searches(huge, queries, 400))


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-700, 2.0**700, 2.0**950])
@pytest.mark.parametrize("options", [{}, {"p": 3}, {"p": 4, "w": np.arange(1.0, 6.0)}], ids=["2", "3", "weighted"])
def test_powers_neither_vanish_nor_overflow(options: dict, unit: float) -> None:
    """Squares of 1e-200 are 0 and those of 1e200 infinite, distances are neither."""
    rng = np.random.default_rng(5)
    table, queries = rng.normal(size=(400, 5)), rng.normal(size=(40, 5))
    metric, params = ("minkowski", options) if options else ("euclidean", {})
    for algorithm in ("brute", "kd_tree"):
        distances, rows = build_index(table, metric, params, algorithm=algorithm).query(queries, 4, None)
        index = build_index(table * unit, metric, params, algorithm=algorithm)
        far, found = index.query(queries * unit, 4, None)
        assert np.array_equal(found, rows)
        assert_allclose(far / unit, distances, rtol=1e-12)
        assert np.array_equal(index.count_within(queries * unit, far[:, 3], None), np.full(len(queries), 4))
    sums = label_distance_sums(table * unit, np.zeros(400, dtype=int), 1, metric=metric, metric_params=params)
    assert_allclose(
        sums[:, 0] / unit,
        pairwise_distances(table * unit, metric=metric, metric_params=params).sum(axis=1) / unit,
        rtol=1e-12,
    )


def test_thread_count_does_not_change_a_bit() -> None:
    rng = np.random.default_rng(6)
    table, queries = rng.normal(size=(5000, 7)), rng.normal(size=(1000, 7))
    assert_equal_bits([found for threads in (1, 2, 5) for found in all_searches(table, queries, 5, threads)])


@pytest.mark.parametrize(
    ("name", "params", "p"),
    [
        ("manhattan", {}, 1),
        ("chebyshev", {}, np.inf),
        ("minkowski", {"p": 3}, 3),
        ("p", {"p": 1.5, "w": [0.5, 0.0, 2.0, 1.0]}, 1.5),
    ],
)
def test_other_metrics_of_the_family(name: str, params: dict, p: float) -> None:
    rng = np.random.default_rng(7)
    table, queries = rng.normal(size=(900, 4)), rng.normal(size=(80, 4))
    metric = native_metric(name, params, columns=4)
    assert metric is not None
    tree = _native_calls.build_kd_tree(table, 24, 1)
    by_tree = _native_calls.query_kd_tree(tree, queries, 5, metric, 1)[0]
    by_scan = _native_calls.scan(table, queries, 5, metric, 1)
    assert_equal_bits([by_tree, by_scan])
    weights = None if "w" not in params else np.array(params["w"])
    distances, order = nearest(reduced_distances(queries, table, p, weights), 5)
    assert_array_equal(by_scan[1], order)
    assert_allclose(by_scan[0], distances, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_sparse_rows_equal_dense_rows(metric: str, dtype: type) -> None:
    rng = np.random.default_rng(8)
    table = (rng.normal(size=(200, 30)) * (rng.random((200, 30)) < 0.2)).astype(dtype)
    queries = (rng.normal(size=(40, 30)) * (rng.random((40, 30)) < 0.2)).astype(dtype)
    table[3] = queries[5] = 0
    y = np.arange(200.0)
    dense = KNeighborsRegressor(4, metric=metric, algorithm="brute").fit(table, y)
    compressed = KNeighborsRegressor(4, metric=metric).fit(sparse.csr_array(table), y)
    expected = dense.kneighbors(queries)
    for form in (sparse.csr_array, sparse.csc_matrix, np.asarray):
        distances, rows = compressed.kneighbors(form(queries))
        assert_allclose(distances, expected[0], rtol=1e-12, atol=1e-12)
        same = np.isclose(np.diff(expected[0], append=np.inf), 0, atol=1e-9)  # ties may be rounded apart
        assert (rows == expected[1])[~same & ~np.roll(same, 1, axis=1)].all()
    distances, _ = dense.kneighbors(sparse.csr_array(queries))
    assert_array_equal(distances, expected[0])


def test_the_tree_is_kept_only_where_it_pays() -> None:
    rng = np.random.default_rng(9)
    options = {"metric": EUCLIDEAN, "leaf_size": 30, "k": 5, "n_jobs": 1}
    plane, wide = rng.normal(size=(6000, 2)), rng.normal(size=(6000, 20))
    assert DenseIndex(plane, algorithm="auto", **options).uses_tree
    assert not DenseIndex(wide, algorithm="auto", **options).uses_tree
    assert DenseIndex(wide, algorithm="kd_tree", **options).uses_tree
    assert not DenseIndex(plane, algorithm="brute", **options).uses_tree
    # Wide rows that lie on a plane are searched as fast as a plane.
    assert DenseIndex(plane @ rng.normal(size=(2, 20)), algorithm="auto", **options).uses_tree


SCRIPT = """
import json, sys
import numpy as np
from certus import _native
from certus.neighbors import KNeighborsRegressor
rng = np.random.default_rng(0)
X, Q = rng.normal(size=(3000, 5)), rng.normal(size=(100, 5))
found = {}
for algorithm in ("kd_tree", "brute"):
    distances, rows = KNeighborsRegressor(algorithm=algorithm).fit(X, X[:, 0]).kneighbors(Q)
    found[algorithm] = [distances.tolist(), rows.tolist()]
print(json.dumps({"isa": _native.isa(), "found": found}))
"""


def test_instruction_sets_agree_to_rounding() -> None:
    results = {}
    for isa in ("baseline", _native.isa()):
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "CERTUS_ISA": isa},
            capture_output=True,
            text=True,
            check=True,
        )
        answer = json.loads(run.stdout)
        results[answer["isa"]] = answer["found"]
    for found in results.values():
        assert found["kd_tree"] == found["brute"]
        assert found["kd_tree"][1] == results["baseline"]["kd_tree"][1]
        assert_allclose(found["kd_tree"][0], results["baseline"]["kd_tree"][0], rtol=1e-14)
