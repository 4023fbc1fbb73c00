"""DBSCAN: the regions of a plain twin, whatever the metric, weights or order of the rows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.datasets import make_blobs

from certus.cluster import DBSCAN, dbscan
from certus.cluster.solvers import dense_regions
from certus.geometry import pairwise_distances


def plain(distances: np.ndarray, eps: float, least: float, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Regions grown one after the other from the first core row that is left."""
    near = distances <= eps
    core = near @ weights >= least
    labels, next_label = np.full(len(distances), -1), 0
    for row in np.flatnonzero(core):
        if labels[row] >= 0:
            continue
        waiting = [row]
        labels[row] = next_label
        while waiting:
            here = waiting.pop()
            if core[here]:
                for other in np.flatnonzero(near[here] & (labels < 0)):
                    labels[other] = next_label
                    waiting.append(other)
        next_label += 1
    return np.flatnonzero(core), labels


def tables() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    clouds = make_blobs(300, 2, centers=4, cluster_std=1.2, random_state=0)[0]
    return [clouds, np.round(clouds), rng.uniform(size=(200, 5)) * 4, np.repeat(rng.normal(size=(20, 2)), 5, axis=0)]


@pytest.mark.parametrize(
    ("table", "metric"),
    [*itertools.product(range(4), ["euclidean", "manhattan"]), (3, lambda a, b: float(np.abs(a - b).max()))],
)
def test_regions_are_those_of_a_plain_twin(table: int, metric: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense_regions, "PAIRS_AT_ONCE", 500)
    X = tables()[table]
    rng = np.random.default_rng(table)
    distances = pairwise_distances(X, metric=metric)
    for eps, least in ((0.5, 3), (1.0, 5), (2.0, 12)):
        for weights in (None, rng.uniform(-0.5, 2.0, len(X))):
            cores, labels = plain(distances, eps, least, np.ones(len(X)) if weights is None else weights)
            model = DBSCAN(eps, min_samples=least, metric=metric).fit(X, sample_weight=weights)
            assert_array_equal(model.core_sample_indices_, cores)
            assert_array_equal(model.labels_, labels)
            given = DBSCAN(eps, min_samples=least, metric="precomputed").fit(distances, sample_weight=weights)
            assert_array_equal(given.labels_, labels)


def test_a_graph_of_stored_distances_and_sparse_rows() -> None:
    X = tables()[0]
    distances = pairwise_distances(X)
    graph = sparse.csr_array(np.where(distances <= 1.5, distances, 0.0))
    expected = DBSCAN(1.0, min_samples=4).fit(X).labels_
    assert_array_equal(DBSCAN(1.0, min_samples=4, metric="precomputed").fit(graph).labels_, expected)
    assert_array_equal(DBSCAN(1.0, min_samples=4).fit(sparse.csr_array(X)).labels_, expected)
    assert_array_equal(dbscan(X, 1.0, min_samples=4)[1], expected)


def test_nearest_borders_do_not_depend_on_the_order_of_rows() -> None:
    X = tables()[0]
    order = np.random.default_rng(1).permutation(len(X))
    straight = DBSCAN(0.7, min_samples=6, border="nearest").fit(X)
    shuffled = DBSCAN(0.7, min_samples=6, border="nearest").fit(X[order])
    matched = {(a, b) for a, b in zip(straight.labels_[order], shuffled.labels_, strict=True)}
    assert len(matched) == len(set(straight.labels_))
    assert straight.labels_.max() > 0
    assert_array_equal(straight.predict(X), straight.labels_)
    distances = pairwise_distances(X)
    given = DBSCAN(0.7, min_samples=6, border="nearest", metric="precomputed").fit(distances)
    assert_array_equal(given.labels_, straight.labels_)
    assert_array_equal(given.predict(distances), straight.labels_)


def test_what_cannot_be_is_said_and_what_is_empty_is_noise() -> None:
    X = tables()[0]
    model = DBSCAN(1e-9, min_samples=2).fit(X)
    assert (model.labels_ == -1).all()
    assert model.components_.shape == (0, 2)
    assert (model.predict(X[:3]) == -1).all()
    assert DBSCAN(min_samples=1).fit([[1.0]]).labels_.tolist() == [0]
    assert set(DBSCAN().fit(np.zeros((9, 2))).labels_) == {0}
    with pytest.raises(ValueError, match="eps"):
        DBSCAN(eps=0.0).fit(X)
    with pytest.raises(ValueError, match="square matrix"):
        DBSCAN(metric="precomputed").fit(X)
    with pytest.raises(ValueError, match=r"sample_weight\.shape"):
        DBSCAN().fit(X, sample_weight=[1.0, 2.0])
    with pytest.raises(ValueError, match="at least one non-zero"):
        DBSCAN().fit(X, sample_weight=np.zeros(len(X)))
