"""OPTICS: the order of a plain twin for every metric, and clusters that scikit-learn reads from it too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn import cluster as reference
from sklearn.datasets import make_blobs

from certus.cluster import DBSCAN, OPTICS, cluster_optics_dbscan, cluster_optics_xi, compute_optics_graph
from certus.geometry import pairwise_distances


def plain(distances: np.ndarray, k: int, limit: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count = len(distances)
    cores = np.sort(distances, axis=1)[:, k - 1]
    cores[cores > limit] = np.inf
    reach, origin, order = np.full(count, np.inf), np.full(count, -1), []
    for _ in range(count):
        here = min((row for row in range(count) if row not in order), key=lambda row: (reach[row], row))
        order.append(here)
        for other in range(count):
            if other not in order and cores[here] < np.inf and distances[here, other] <= limit:
                height = max(cores[here], distances[here, other])
                if height < reach[other]:
                    reach[other], origin[other] = height, here
    return np.array(order), reach, origin


def tables() -> list[np.ndarray]:
    clouds = make_blobs(90, 2, centers=3, cluster_std=[0.3, 0.8, 1.5], random_state=3)[0]
    return [clouds, np.round(clouds), np.repeat(clouds[:30], 3, axis=0)]


@pytest.mark.parametrize("table", range(3))
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "braycurtis", lambda a, b: abs(a - b).max()])
def test_the_order_is_that_of_a_plain_twin(table: int, metric: Any) -> None:
    X = tables()[table] + 20.0
    distances = pairwise_distances(X, metric=metric)
    graph = sparse.csr_array(distances)
    for k, limit in ((4, np.inf), (6, float(np.quantile(distances, 0.2)))):
        order, reach, origin = plain(distances, k, limit)
        options: dict[str, Any] = {"min_samples": k, "max_eps": limit}
        for found in (
            compute_optics_graph(X, metric=metric, **options),
            compute_optics_graph(distances, metric="precomputed", **options),
            compute_optics_graph(graph, metric="precomputed", **options),
        )[: 3 if table == 0 else 2]:  # a sparse graph stores no distance 0 between equal rows
            assert_array_equal(found[0], order)
            assert_array_equal(found[2], reach)
            assert_array_equal(found[3], origin)


def test_a_single_precision_table_and_sparse_rows() -> None:
    X = tables()[0].astype(np.float32)
    expected = compute_optics_graph(X.astype(np.float64))
    for same in (X, sparse.csr_array(X)):
        for found, known in zip(compute_optics_graph(same), expected, strict=True):
            assert_array_equal(found, known)


@pytest.mark.parametrize("seed", range(6))
def test_clusters_are_those_that_scikit_learn_reads_from_the_same_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(size=(30, 2)) * rng.uniform(0.1, 2) + rng.normal(size=2) * 8 for _ in range(5)])
    ordering, cores, reachability, predecessor = compute_optics_graph(X, min_samples=4)
    for xi, smallest, correct in ((0.05, None, True), (0.2, 10, False), (0.01, 0.1, True)):
        options: dict[str, Any] = {"xi": xi, "min_cluster_size": smallest, "predecessor_correction": correct}
        plot: dict[str, Any] = {"reachability": reachability, "ordering": ordering}
        ours = cluster_optics_xi(**plot, predecessor=predecessor, min_samples=4, **options)
        theirs = reference.cluster_optics_xi(**plot, predecessor=predecessor, min_samples=4, **options)
        assert_array_equal(ours[0], theirs[0])
        assert_array_equal(ours[1], theirs[1])
        model = OPTICS(min_samples=4, **options).fit(X)
        assert_array_equal(model.labels_, ours[0])
        assert_array_equal(model.cluster_hierarchy_, ours[1])
    for eps in (0.3, 1.0, 3.0):
        labels = cluster_optics_dbscan(reachability=reachability, core_distances=cores, ordering=ordering, eps=eps)
        assert_array_equal(OPTICS(min_samples=4, cluster_method="dbscan", eps=eps).fit(X).labels_, labels)
        regions = DBSCAN(eps, min_samples=4).fit(X)
        core = regions.core_sample_indices_
        same = {(a, b) for a, b in zip(regions.labels_[core], labels[core], strict=True)}
        assert len(same) == regions.labels_.max() + 1 == labels.max() + 1  # the same regions but for their borders
        assert (labels[core] >= 0).all()


def test_new_rows_join_the_row_that_reaches_them_first() -> None:
    X = tables()[0]
    rng = np.random.default_rng(0)
    fresh = X[rng.integers(len(X), size=50)] + rng.normal(size=(50, 2)) * 0.2
    reach = pairwise_distances(fresh, X)
    for options in ({"cluster_method": "dbscan", "eps": 0.8}, {"xi": 0.1}):
        model = OPTICS(min_samples=5, **options).fit(X)
        heights = np.maximum(reach, model.core_distances_)
        found = model.predict(fresh)
        for row in range(len(fresh)):
            nearest = heights[row] == heights[row].min()
            assert found[row] in {-1, *model.labels_[nearest].tolist()}
            if "eps" in options:
                assert (found[row] >= 0) == (heights[row].min() <= 0.8)
        given = OPTICS(min_samples=5, metric="precomputed", **options).fit(pairwise_distances(X))
        assert_array_equal(given.predict(reach), found)
        inside = model.labels_ >= 0
        assert np.mean(model.predict(X)[inside] == model.labels_[inside]) > 0.95
        assert (model.predict([[1e4, 1e4]]) == -1).all()


def test_what_cannot_be_is_said() -> None:
    X = tables()[0]
    for options, message in (
        ({"min_samples": 1000}, "no greater than the number of samples"),
        ({"min_cluster_size": 1000}, "no greater than the number of samples"),
        ({"cluster_method": "dbscan", "eps": 2.0, "max_eps": 1.0}, "smaller than 1.0. Got 2.0"),
        ({"metric": "precomputed"}, "square matrix"),
        ({"metric": "no such"}, "not valid"),
    ):
        with pytest.raises(ValueError, match=message):
            OPTICS(**options).fit(X)
    with pytest.warns(UserWarning, match="All reachability values are inf"):
        assert set(OPTICS(max_eps=1e-9).fit(X).labels_) == {-1}
    assert OPTICS().fit(np.zeros((9, 2))).labels_.shape == (9,)
