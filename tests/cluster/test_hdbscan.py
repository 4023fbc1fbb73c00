"""HDBSCAN: the clusters of a plain twin that takes the definition literally, for any order of the rows."""

from __future__ import annotations

import bisect
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn import cluster as reference
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from certus.cluster import HDBSCAN
from certus.geometry import pairwise_distances


class Plain:
    """A cluster and, recursively, what becomes of it when all edges of its greatest height are cut."""

    def __init__(self, reach: np.ndarray, rows: np.ndarray, birth: float, least: int) -> None:
        self.rows, self.birth, self.leaves, self.parts = rows, birth, {}, []
        members = rows
        while len(members):
            here = reach[np.ix_(members, members)]
            heights = np.unique(here[np.triu_indices(len(members), 1)])
            height = heights[bisect.bisect_left(heights, True, key=lambda h: connected_components(here <= h)[0] == 1)]
            count, found = connected_components((here < height) | np.eye(len(members), dtype=bool))
            groups = [members[found == group] for group in range(count)]
            large = [group for group in groups if len(group) >= least]
            self.leaves.update({row: height for group in groups if len(group) < least for row in group})
            if len(large) > 1:
                self.parts = [Plain(reach, group, height, least) for group in large]
                self.leaves.update(dict.fromkeys(np.concatenate(large), height))
            members = large[0] if len(large) == 1 else members[:0]
        self.stability = sum(1.0 / height - 1.0 / birth for height in self.leaves.values())

    def best(self, single: bool = False) -> tuple[float, list[Plain]]:
        inside = [part.best(single=True) for part in self.parts]
        below = sum(value for value, _ in inside)
        if single and below <= self.stability + 1e-9:
            return self.stability, [self]
        return below, [one for _, some in inside for one in some]

    def leaf_clusters(self) -> list[Plain]:
        return [leaf for part in self.parts for leaf in (part.leaf_clusters() or [part])]


def plain_labels(distances: np.ndarray, k: int, least: int, method: str) -> np.ndarray:
    cores = np.sort(distances, axis=1)[:, k - 1]
    reach = np.maximum(distances, np.maximum(cores[:, None], cores[None, :]))
    root = Plain(reach, np.arange(len(distances)), np.inf, least)
    kept = root.best()[1] if method == "eom" else root.leaf_clusters()
    labels = np.full(len(distances), -1)
    for number, one in enumerate(sorted(kept, key=lambda one: one.rows.min())):
        labels[one.rows] = number
    return labels


def tables() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    clouds = make_blobs(80, 2, centers=4, cluster_std=1.2, random_state=0)[0]
    return [
        clouds,
        np.round(clouds * 2),
        rng.uniform(size=(60, 3)),
        np.repeat(rng.normal(size=(15, 2)), 4, axis=0) + 0.0,
    ]


@pytest.mark.parametrize("table", range(3))
@pytest.mark.parametrize("method", ["eom", "leaf"])
def test_labels_are_those_of_a_plain_twin(table: int, method: str) -> None:
    X = tables()[table]
    if table == 1:  # the density of equal rows is infinite: sums of it have no order
        X = np.unique(X, axis=0)
    for metric, k, least in (("euclidean", 1, 4), ("manhattan", 3, 3), ("euclidean", 4, 8)):
        distances = pairwise_distances(X, metric=metric)
        expected = plain_labels(distances, k, least, method)
        options: dict[str, Any] = {"min_samples": k, "min_cluster_size": least, "cluster_selection_method": method}
        found = HDBSCAN(**options, metric=metric).fit(X)
        assert_array_equal(found.labels_, expected)
        assert_array_equal(found.predict(X), expected)
        assert_array_equal(HDBSCAN(**options, metric="precomputed").fit(distances).labels_, expected)
        other = HDBSCAN(**{**options, "min_cluster_size": 2}, metric=metric).fit(X)
        assert_array_equal(other.labels_for(least), expected)


@pytest.mark.parametrize("table", range(4))
def test_the_order_of_rows_does_not_matter(table: int) -> None:
    X = tables()[table]
    rng = np.random.default_rng(table)
    for single in (False, True):
        model = HDBSCAN(min_cluster_size=4, allow_single_cluster=single).fit(X)
        for _ in range(5):
            order = rng.permutation(len(X))
            again = HDBSCAN(min_cluster_size=4, allow_single_cluster=single).fit(X[order])
            assert adjusted_rand_score(model.labels_[order], again.labels_) == 1.0
            assert_array_equal(model.labels_[order] == -1, again.labels_ == -1)
            assert_array_equal(model.probabilities_[order], again.probabilities_)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cluster_selection_method": "leaf"},
        {"allow_single_cluster": True},
        {"max_cluster_size": 30},
        {"alpha": 1.4},
        {"metric": "chebyshev"},
    ],
)
def test_without_ties_labels_are_those_of_scikit_learn(options: dict[str, Any]) -> None:
    # A core distance of 0 (min_samples=1) leaves the distances themselves, no two of which are equal here.
    for seed in range(3):
        X = make_blobs(200, 2, centers=5, cluster_std=1.0, random_state=seed)[0]
        ours = HDBSCAN(8, 1, **options).fit(X)
        theirs = reference.HDBSCAN(8, 1, copy=True, **options).fit(X)
        assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1.0
        assert_array_equal(ours.labels_ == -1, theirs.labels_ == -1)
        assert_allclose(ours.probabilities_, theirs.probabilities_, rtol=1e-9)
        assert adjusted_rand_score(ours.dbscan_clustering(0.8), theirs.dbscan_clustering(0.8)) == 1.0


def test_clusters_that_part_below_a_height_stay_together() -> None:
    X = np.array([[v] for v in (0.0, 0.1, 0.2, 1.0, 1.1, 1.2, 9.0, 9.1, 9.2, 9.3)])
    options = {"min_cluster_size": 3, "min_samples": 1, "cluster_selection_method": "leaf"}
    assert HDBSCAN(**options).fit(X).labels_.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    merged = HDBSCAN(**options, cluster_selection_epsilon=1.5).fit(X)
    assert merged.labels_.tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert HDBSCAN(**options, cluster_selection_epsilon=0.5).fit(X).labels_.max() == 2
    everything = HDBSCAN(**options, cluster_selection_epsilon=20.0, allow_single_cluster=True).fit(X)
    assert set(everything.labels_) == {0}


def test_rows_without_a_place_and_sparse_rows() -> None:
    X = tables()[0].copy()
    clean = HDBSCAN().fit(X)
    X[3], X[7] = [np.inf, 1.0], [np.nan, np.inf]
    model = HDBSCAN().fit(X)
    rest = np.setdiff1d(np.arange(len(X)), [3, 7])
    assert (model.labels_[3], model.labels_[7]) == (-2, -3)
    assert np.isnan(model.probabilities_[7])
    assert_array_equal(model.labels_[rest], HDBSCAN().fit(X[rest]).labels_)
    assert_array_equal(model.predict(X), model.labels_)
    assert_array_equal(model.labels_for(5), model.labels_)
    assert_array_equal(HDBSCAN().fit(sparse.csr_array(tables()[0])).labels_, clean.labels_)


def test_graphs_of_distances_and_new_rows() -> None:
    X = tables()[0]
    distances = pairwise_distances(X)
    graph = sparse.csr_array(np.where(distances <= np.median(distances), distances, 0.0))
    model = HDBSCAN(6, 4, metric="precomputed").fit(graph)  # no row is its own neighbor there
    expected = HDBSCAN(6, 5, metric="precomputed").fit(distances)
    assert_array_equal(model.labels_, expected.labels_)
    rng = np.random.default_rng(0)
    fresh = X[rng.integers(len(X), size=40)] + rng.normal(size=(40, 2)) * 0.3
    by_rows = HDBSCAN(6, 5).fit(X)
    assert_array_equal(expected.predict(pairwise_distances(fresh, X)), by_rows.predict(fresh))
    cores, reached = by_rows.core_distances_, pairwise_distances(fresh, X)
    own = np.sort(reached, axis=1)[:, 4]
    for row, heights in enumerate(np.maximum(np.maximum(reached, cores), own[:, None])):
        joined = by_rows.labels_[heights == heights.min()]
        assert by_rows.predict(fresh[[row]])[0] in {-1, *joined.tolist()}
    assert (by_rows.predict([[1e3, 1e3]]) == -1).all()


def test_centers() -> None:
    X = make_blobs(300, 2, centers=[[0, 0], [9, 9]], random_state=0)[0]
    model = HDBSCAN(10, store_centers="both").fit(X)
    for cluster, (mean, medoid) in enumerate(zip(model.centroids_, model.medoids_, strict=True)):
        some = model.labels_ == cluster
        weights = model.probabilities_[some]
        assert_allclose(mean, np.average(X[some], axis=0, weights=weights))
        assert_array_equal(medoid, X[some][np.argmin(pairwise_distances(X[some]) @ weights)])


def test_what_cannot_be_is_said() -> None:
    X = tables()[0]
    for options, message in (
        ({"min_samples": 999}, "must be at most the number of samples"),
        ({"metric": "cosine", "algorithm": "ball_tree"}, "not a valid metric for a BallTree"),
        ({"metric": "precomputed"}, "has shape"),
        ({"metric": "no such"}, "not valid"),
    ):
        with pytest.raises(ValueError, match=message):
            HDBSCAN(**options).fit(X)
    with pytest.raises(ValueError, match="n_samples=1"):
        HDBSCAN().fit([[1.0, 2.0]])
    with pytest.raises(ValueError, match="negative"):
        HDBSCAN(metric="precomputed").fit(-pairwise_distances(X))
    with pytest.raises(ValueError, match="min_cluster_size must be an integer >= 2, got 1"):
        HDBSCAN().fit(X).labels_for(1)
    assert set(HDBSCAN().fit(np.zeros((20, 2))).labels_) == {-1}
    assert set(HDBSCAN(allow_single_cluster=True).fit(np.zeros((20, 2))).labels_) == {0}
