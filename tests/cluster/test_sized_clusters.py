"""k-means whose clusters keep a least number of rows: against all labels, with certificates, weights and bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from certus.cluster import KMeans
from certus.cluster.solvers.sized_clusters import cheapest_labels, sized_clusters

QUANTITY = "excess cost of the clustering"


def test_no_labels_with_enough_rows_are_cheaper() -> None:
    rng = np.random.default_rng(0)
    every = np.array(list(itertools.product(range(3), repeat=7)))
    sizes = np.stack([(every == cluster).sum(axis=1) for cluster in range(3)], axis=1)
    for least in (1, 2):
        allowed = every[(sizes >= least).all(axis=1)]
        for _ in range(20):
            costs = rng.exponential(size=(7, 3)) * [1.0, 5.0, 5.0]
            found = cheapest_labels(costs, least)
            assert (np.bincount(found, minlength=3) >= least).all()
            assert costs[np.arange(7), found].sum() <= costs[np.arange(7), allowed].sum(axis=1).min() + 1e-9


@pytest.mark.parametrize("columns", [1, 3])
def test_every_cluster_keeps_its_rows(columns: int) -> None:
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(57, columns)), [[40.0] * columns, [41.0] * columns, [-50.0] * columns]])
    free = KMeans(3, random_state=0).fit(X)
    assert np.bincount(free.labels_).min() < 10
    model = KMeans(3, min_size=10, random_state=0, bound_effort=20).fit(X)
    assert np.bincount(model.labels_, minlength=3).min() == 10
    assert model.inertia_ > free.inertia_
    means = np.array([X[model.labels_ == cluster].mean(axis=0) for cluster in range(3)])
    assert_allclose(model.cluster_centers_, means)
    assert model.inertia_ == pytest.approx(np.sum((X - means[model.labels_]) ** 2))
    certificate = model.report_[QUANTITY]
    assert certificate.check(X)
    assert model.inertia_ * (1.0 - certificate.value) <= free.inertia_ * (1.0 + 1e-9)
    assert_array_equal(KMeans(3, min_size=1, random_state=0).fit(X).labels_, free.labels_)
    thin = KMeans(3, min_size=10, random_state=0).fit(sparse.csr_array(X))
    assert thin.inertia_ == pytest.approx(model.inertia_)


def test_rounds_never_raise_the_cost_and_rows_without_weight_do_not_count() -> None:
    rng = np.random.default_rng(2)
    X, weights = rng.normal(size=(40, 2)) + 1e6, rng.uniform(0.5, 2.0, 40)
    costs = [sized_clusters(X, weights, X[:4], 9, rounds).cost for rounds in range(1, 8)]
    assert (np.diff(costs) <= 1e-9).all()
    weights[:12] = 0.0
    model = KMeans(4, min_size=6, random_state=0).fit(X, sample_weight=weights)
    assert np.bincount(model.labels_[12:], minlength=4).min() >= 6
    alone = KMeans(4, min_size=6, random_state=0).fit(X[12:], sample_weight=weights[12:])
    assert model.inertia_ == pytest.approx(alone.inertia_)
    assert len(model.labels_) == 40


def test_more_rows_than_there_are_cannot_be_asked_for() -> None:
    with pytest.raises(ValueError, match="min_size must be at most 3 for 3 clusters of 10 rows, got 4"):
        KMeans(3, min_size=4).fit(np.arange(10.0)[:, None])
    with pytest.raises(ValueError, match="min_size"):
        KMeans(3, min_size=0).fit(np.arange(10.0)[:, None])
    same = KMeans(2, min_size=2, random_state=0).fit([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [9.0, 9.0]])
    assert np.bincount(same.labels_).tolist() == [2, 2]
