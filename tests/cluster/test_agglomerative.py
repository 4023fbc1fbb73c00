"""Merged clusters: trees of a plain twin and of scipy, whatever the linkage, ties, weights and connectivity."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.spatial.distance import cdist
from sklearn.cluster import AgglomerativeClustering as Reference
from sklearn.cluster import FeatureAgglomeration as ReferenceColumns
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.neighbors import kneighbors_graph

from certus.cluster import AgglomerativeClustering, FeatureAgglomeration, linkage_tree, ward_tree

LINKAGES = ["ward", "complete", "average", "single", "centroid", "median", "weighted"]


def rise(a: np.ndarray, b: np.ndarray) -> float:
    """sqrt(2 rise of the sum of squares) when two groups merge, from the definition."""
    spread = [((rows - rows.mean(axis=0)) ** 2).sum() for rows in (np.concatenate([a, b]), a, b)]
    return float(np.sqrt(max(0.0, 2.0 * (spread[0] - spread[1] - spread[2]))))


DEFINITIONS: dict[str, Callable[[Any, Any], float]] = {
    "ward": rise,
    "complete": lambda a, b: float(cdist(a, b).max()),
    "average": lambda a, b: float(cdist(a, b).mean()),
    "single": lambda a, b: float(cdist(a, b).min()),
    "centroid": lambda a, b: float(np.linalg.norm(a.mean(axis=0) - b.mean(axis=0))),
}


def merges_are_nearest(
    X: np.ndarray, matrix: np.ndarray, distance: Callable[[Any, Any], float], graph: np.ndarray | None = None
) -> bool:
    """Whether every merge joins two (connected) clusters that are nearest at that time, at the height it says."""
    near = np.ones((len(X), len(X))) if graph is None else graph + graph.T
    groups = {row: [row] for row in range(len(X))}
    for merge, (one, other, height, count) in enumerate(matrix):
        pairs = [(a, b) for a, b in itertools.combinations(groups.values(), 2) if near[np.ix_(a, b)].any()]
        least = min(distance(X[a], X[b]) for a, b in pairs)
        mine, others = groups.pop(int(one)), groups.pop(int(other))
        if not np.isclose(distance(X[mine], X[others]), height, atol=1e-7) or not near[np.ix_(mine, others)].any():
            return False
        if height > least + 1e-7 or count != len(mine) + len(others):
            return False
        groups[len(X) + merge] = mine + others
    return len(groups) == 1


def plain_labels(matrix: np.ndarray, n_clusters: int) -> np.ndarray:
    """Labels after all merges but the last."""
    rows = len(matrix) + 1
    groups = {row: [row] for row in range(rows)}
    for merge in range(rows - n_clusters):
        groups[rows + merge] = groups.pop(int(matrix[merge, 0])) + groups.pop(int(matrix[merge, 1]))
    labels = np.empty(rows, dtype=int)
    for label, members in enumerate(groups.values()):
        labels[members] = label
    return labels


@pytest.mark.parametrize("linkage", DEFINITIONS)
@pytest.mark.parametrize("seed", range(6))
def test_every_merge_is_of_a_nearest_pair_also_with_ties_and_equal_rows(linkage: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = [
        rng.normal(size=(12, 2)),
        rng.integers(0, 3, size=(13, 2)).astype(float),
        np.repeat(rng.normal(size=(4, 1)), 3, 0),
    ]
    table = X[seed % 3]
    model = AgglomerativeClustering(linkage=linkage).fit(table)
    assert merges_are_nearest(table, model.linkage_matrix_, DEFINITIONS[linkage])
    assert not merges_are_nearest(table, model.linkage_matrix_ * [1, 1, 1.01, 1], DEFINITIONS[linkage])
    assert seed % 3 or not merges_are_nearest(table[::-1], model.linkage_matrix_, DEFINITIONS[linkage])
    own = AgglomerativeClustering(linkage=DEFINITIONS[linkage]).fit(table)
    assert merges_are_nearest(table, own.linkage_matrix_, DEFINITIONS[linkage])


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("offset", [0.0, 4e6])
def test_trees_are_those_of_scipy(linkage: str, offset: float) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 3)) + offset
    expected = hierarchy.linkage(X - offset, linkage)
    everywhere = np.ones((len(X), len(X)))
    for given in (None, everywhere, sparse.csr_array(everywhere)):
        model = AgglomerativeClustering(7, linkage=linkage, connectivity=given).fit(X)
        assert_array_equal(model.linkage_matrix_[:, [0, 1, 3]], expected[:, [0, 1, 3]])
        assert_allclose(model.linkage_matrix_[:, 2], expected[:, 2], rtol=1e-6)
        assert adjusted_rand_score(model.labels_, plain_labels(expected, 7)) == 1.0
    assert hierarchy.is_valid_linkage(model.linkage_matrix_)


@pytest.mark.parametrize("linkage", ["ward", "complete", "average", "single"])
@pytest.mark.parametrize("connected", [False, True])
def test_labels_and_trees_are_those_of_scikit_learn(linkage: str, connected: bool) -> None:
    X = np.random.default_rng(5).normal(size=(120, 4))
    graph = kneighbors_graph(X, 8, include_self=False) if connected else None
    for options in ({"n_clusters": 6}, {"n_clusters": None, "distance_threshold": 1.5}):
        ours = AgglomerativeClustering(linkage=linkage, connectivity=graph, compute_distances=True, **options).fit(X)
        theirs = Reference(linkage=linkage, connectivity=graph, compute_distances=True, **options).fit(X)
        assert ours.n_clusters_ == len(np.unique(ours.labels_))
        assert_allclose(np.sort(ours.distances_), np.sort(theirs.distances_), rtol=1e-9, atol=1e-9)
        if options["n_clusters"]:
            assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1.0
        if not connected:
            assert_array_equal(ours.labels_, theirs.labels_)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_weights_are_repetitions_and_rows_of_weight_zero_are_no_leaves(linkage: str) -> None:
    rng = np.random.default_rng(7)
    X, weights = rng.normal(size=(40, 2)), rng.integers(0, 4, size=40)
    model = AgglomerativeClustering(5, linkage=linkage).fit(X, sample_weight=weights)
    repeated = AgglomerativeClustering(5, linkage=linkage).fit(np.repeat(X, weights, axis=0))
    assert adjusted_rand_score(np.repeat(model.labels_, weights), repeated.labels_) == 1.0
    heights = repeated.linkage_matrix_[:, 2]
    assert_allclose(model.linkage_matrix_[:, 2], heights[len(heights) - len(model.children_) :], atol=1e-7)
    assert model.n_leaves_ == np.count_nonzero(weights)
    assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("linkage", ["complete", "average", "single", "weighted"])
def test_distances_may_be_given_by_name_function_or_matrix(linkage: str) -> None:
    X = np.random.default_rng(8).normal(size=(30, 3))
    named = AgglomerativeClustering(4, linkage=linkage, metric="manhattan").fit(X)
    assert_allclose(named.linkage_matrix_, hierarchy.linkage(X, linkage, metric="cityblock"), rtol=1e-12)
    for metric in (lambda a, b: float(np.abs(a - b).sum()), manhattan_distances):
        other = AgglomerativeClustering(4, linkage=linkage, metric=metric).fit(X)
        assert_array_equal(other.labels_, named.labels_)
        assert_array_equal(other.predict(X + 0.2), named.predict(X + 0.2))
    given = AgglomerativeClustering(4, linkage=linkage, metric="precomputed").fit(manhattan_distances(X))
    assert_array_equal(given.labels_, named.labels_)
    assert_array_equal(given.predict(manhattan_distances(X + 0.2, X)), named.predict(X + 0.2))


def test_a_connectivity_forbids_merges_and_components_are_connected_with_a_warning() -> None:
    X = np.arange(12.0)[:, None]
    near = np.zeros((12, 12))
    near[np.arange(0, 10), np.arange(2, 12)] = 1.0  # even with even rows, odd with odd ones
    with pytest.warns(UserWarning, match="components of the connectivity matrix is 2 > 1"):
        model = AgglomerativeClustering(2, linkage="single", connectivity=near).fit(X)
    assert model.n_connected_components_ == 2
    near[5, 6] = 1.0
    for linkage in ("ward", "centroid"):
        joined = AgglomerativeClustering(2, linkage=linkage, connectivity=sparse.csr_array(near)).fit(X)
        assert merges_are_nearest(X, joined.linkage_matrix_, DEFINITIONS[linkage], near)
        free = AgglomerativeClustering(2, linkage=linkage).fit(X)
        assert not merges_are_nearest(X, free.linkage_matrix_, DEFINITIONS[linkage], near)
        own = AgglomerativeClustering(2, linkage=DEFINITIONS[linkage], connectivity=near).fit(X)
        assert merges_are_nearest(X, own.linkage_matrix_, DEFINITIONS[linkage], near)
    early = AgglomerativeClustering(5, connectivity=near, compute_full_tree=False).fit(X)
    assert early.children_.shape == (7, 2)
    assert len(np.unique(early.labels_)) == 5


def test_no_merge_at_or_above_the_threshold_even_where_heights_fall() -> None:
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])  # the mean of the first two is nearer to the third than they are
    heights = AgglomerativeClustering(1, linkage="centroid").fit(X).linkage_matrix_[:, 2]
    assert heights[1] < heights[0]
    model = AgglomerativeClustering(None, linkage="centroid", distance_threshold=0.95).fit(X)
    assert model.n_clusters_ == 3


def test_all_rows_equal_one_row_and_far_too_many_clusters() -> None:
    for linkage in LINKAGES:
        same = AgglomerativeClustering(3, linkage=linkage).fit(np.ones((9, 2)))
        assert len(np.unique(same.labels_)) == 3
        assert not same.linkage_matrix_[:, 2].any()
        assert_array_equal(AgglomerativeClustering(1, linkage=linkage).fit([[1.0, 2.0]]).labels_, [0])
        assert_array_equal(np.sort(AgglomerativeClustering(4, linkage=linkage).fit(np.eye(4)).labels_), range(4))
        with pytest.raises(ValueError, match="n_samples=4 should be >= n_clusters=5"):
            AgglomerativeClustering(5, linkage=linkage).fit(np.eye(4))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"linkage": "ward", "metric": "manhattan"}, "Ward can only work with euclidean"),
        ({"linkage": "median", "metric": "precomputed"}, "Median can only work with euclidean"),
        ({"linkage": lambda a, b: np.nan}, "must return a finite number"),
        ({"linkage": rise, "metric": "precomputed"}, "needs rows"),
        ({"linkage": "single", "metric": "cosine"}, "zero vectors"),
        ({"connectivity": np.ones((2, 2))}, "Wrong shape for connectivity"),
        ({"linkage": "nearest"}, "linkage"),
        ({"distance_threshold": 1.0}, "Exactly one of"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AgglomerativeClustering(**options).fit(np.eye(3) * [1.0, 1.0, 0.0])


def test_bad_matrices_and_weights_are_refused() -> None:
    model = AgglomerativeClustering(linkage="average", metric="precomputed")
    with pytest.raises(ValueError, match="symmetric"):
        model.fit([[0.0, 1.0], [2.0, 0.0]])
    with pytest.raises(ValueError, match="negative"):
        model.fit([[0.0, -1.0], [-1.0, 0.0]])
    with pytest.raises(ValueError, match="sample_weight has no meaning"):
        AgglomerativeClustering(linkage=rise).fit(np.eye(3), sample_weight=[1, 2, 3])


def test_functions_give_the_trees_of_the_learner() -> None:
    X = np.random.default_rng(2).normal(size=(20, 2))
    children, components, leaves, parents, distances = ward_tree(X, return_distance=True)
    assert (components, leaves, parents) == (1, 20, None)
    assert_allclose(np.column_stack([children, distances]), hierarchy.linkage(X, "ward")[:, :3], rtol=1e-9)
    children, _, _, parents = linkage_tree(X, connectivity=np.ones((20, 20)), linkage="weighted")
    assert_array_equal(children, hierarchy.linkage(X, "weighted")[:, :2])
    assert_array_equal(parents[children[:, 0]], np.arange(20, 39))


@pytest.mark.parametrize("pooling", ["mean", "median", "max", np.mean])
def test_columns_merge_as_in_scikit_learn(pooling: Any) -> None:
    X = np.random.default_rng(4).normal(size=(15, 9))
    function = getattr(np, pooling) if isinstance(pooling, str) else pooling
    ours = FeatureAgglomeration(4, pooling_func=pooling, linkage="average").fit(X)
    theirs = ReferenceColumns(4, pooling_func=function, linkage="average").fit(X)
    assert_array_equal(ours.labels_, theirs.labels_)
    assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    assert_allclose(
        ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(theirs.transform(X)), rtol=1e-12
    )
