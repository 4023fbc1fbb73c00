"""Mini-batches, bisection, other distances, a price per cluster, other starts and other ends."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import make_blobs

from certus.cluster import (
    BisectingKMeans,
    DPMeans,
    KCentroids,
    KMeans,
    MiniBatchKMeans,
    cluster_cost,
    k_means,
    kmeans_plusplus,
)


def blobs(rows: int = 500, columns: int = 3, centers: int = 5, spread: float = 1.0) -> np.ndarray:
    return np.asarray(make_blobs(rows, columns, centers=centers, cluster_std=spread, random_state=3)[0])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("init", ["k-means||", "plain-k-means++"])
def test_other_starts_find_separated_clouds(init: str, form: type) -> None:
    X = blobs()
    best = KMeans(5, n_init=10, random_state=0).fit(X).inertia_
    found = [KMeans(5, init=init, random_state=seed).fit(form(X)).inertia_ for seed in range(6)]
    assert min(found) == pytest.approx(best, rel=1e-6)


def test_many_draws_at_a_time_cover_as_well_as_one_after_another() -> None:
    X = blobs(2000, 5, 20)
    costs = {
        init: np.mean(
            [KMeans(20, init=init, n_init=1, max_iter=1, tol=0, random_state=seed).fit(X).inertia_ for seed in range(8)]
        )
        for init in ("k-means||", "k-means++", "random")
    }
    assert costs["k-means||"] < 1.5 * costs["k-means++"] < costs["random"]
    with pytest.warns(match="distinct clusters"):
        KMeans(3, init="k-means||", random_state=0).fit(np.repeat([[0.0, 1.0], [1.0, 0.0]], 5, axis=0))


def test_three_ends_of_the_rounds() -> None:
    X = blobs(spread=6.0)
    models = {stop: KMeans(5, init=X[:5], tol=1e-3, stop=stop).fit(X) for stop in ("shift", "max-shift", "cost")}
    assert models["max-shift"].n_iter_ <= models["shift"].n_iter_
    exact = KMeans(5, init=X[:5], tol=0.0).fit(X)
    for stop, model in models.items():
        assert model.converged_, stop
        assert exact.inertia_ <= model.inertia_ * (1 + 1e-12)
        assert model.n_iter_ <= exact.n_iter_
        tight = KMeans(5, init=X[:5], tol=0.0, stop=stop).fit(X)
        assert tight.inertia_ == pytest.approx(exact.inertia_, rel=1e-12)
    # the cost rule ends at the first round that saves less than the tolerance
    costs = [KMeans(5, init=X[:5], tol=0.0, max_iter=rounds).fit(X).inertia_ for rounds in range(1, 40)]
    saved = [(before - after) / before for before, after in itertools.pairwise(costs)]
    first = next(at for at, share in enumerate(saved, start=2) if share <= 1e-3)
    assert models["cost"].n_iter_ == first


def test_functions_and_classes_agree() -> None:
    X = blobs()
    centers, labels, cost, rounds = k_means(X, 5, random_state=0, return_n_iter=True)
    model = KMeans(5, random_state=0).fit(X)
    assert_array_equal(centers, model.cluster_centers_)
    assert_array_equal(labels, model.labels_)
    assert (cost, rounds) == (model.inertia_, model.n_iter_)
    assert len(k_means(X, 5, random_state=0)) == 3
    seeds, rows = kmeans_plusplus(X, 4, random_state=0)
    assert_array_equal(seeds, X[rows])
    assert_array_equal(kmeans_plusplus(sparse.csr_array(X), 4, random_state=0)[1], rows)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_mini_batches_come_close(form: type) -> None:
    X = blobs(3000, spread=2.0)
    full = KMeans(5, n_init=5, random_state=0).fit(X).inertia_
    model = MiniBatchKMeans(5, batch_size=200, n_init=3, random_state=0).fit(form(X))
    assert model.inertia_ < 1.05 * full
    assert model.n_steps_ >= 1
    assert_array_equal(model.labels_, model.predict(form(X)))
    again = MiniBatchKMeans(5, batch_size=200, n_init=3, random_state=0).fit(form(X))
    assert_array_equal(model.cluster_centers_, again.cluster_centers_)


def test_a_center_is_the_mean_of_all_rows_that_a_batch_gave_it() -> None:
    X = np.array([[0.0], [1.0], [10.0], [12.0]])
    model = MiniBatchKMeans(2, init=np.array([[0.0], [11.0]]), n_init=1, reassignment_ratio=0.0)
    model.partial_fit(X)
    assert_allclose(np.sort(model.cluster_centers_.ravel()), [0.5, 11.0])
    model.partial_fit(np.array([[2.0], [14.0]]), sample_weight=[2.0, 1.0])
    assert_allclose(np.sort(model.cluster_centers_.ravel()), [(1.0 + 4.0) / 4.0, 12.0])
    assert_allclose(np.sort(model.counts_), [3.0, 4.0])


def test_bisection_divides_the_costliest_or_the_largest() -> None:
    X = np.concatenate([np.linspace(0, 1, 50), np.linspace(10, 11, 50), [400.0, 600.0]])[:, None]
    costly = BisectingKMeans(3, n_init=5, random_state=0).fit(X)
    large = BisectingKMeans(3, n_init=5, random_state=0, bisecting_strategy="largest_cluster").fit(X)
    assert sorted(np.bincount(costly.labels_)) == [1, 1, 100]
    assert sorted(np.bincount(large.labels_)) == [2, 50, 50]
    for model in (costly, large):
        assert_array_equal(model.labels_, model.predict(X))
        means = np.array([X[model.labels_ == c].mean(axis=0) for c in range(3)])
        assert_allclose(model.cluster_centers_, means)
        assert model.report_["excess cost of the clustering"].check(X)
    assert_array_equal(np.sort(costly.node_labels_[costly.node_labels_ >= 0]), [0, 1, 2])


@pytest.mark.parametrize("options", [{"metric": "manhattan"}, {"metric": "cosine"}, {"metric": "minkowski", "p": 3}])
def test_every_half_step_lowers_the_cost_and_centers_are_best(options: dict[str, object]) -> None:
    X = blobs(300, spread=3.0) + 20.0
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    model = KCentroids(4, random_state=0, **options).fit(X, sample_weight=weights)
    assert all(after <= before * (1 + 1e-12) for before, after in itertools.pairwise(model.history_))
    assert model.inertia_ == pytest.approx(model.history_[-1])
    assert_array_equal(model.labels_, model.predict(X))
    assert model.inertia_ == pytest.approx(weights @ model.transform(X).min(axis=1))
    rng = np.random.default_rng(1)
    for cluster in range(4):
        rows = (model.labels_ == cluster) & (weights > 0)

        def cost(center: np.ndarray, rows: np.ndarray = rows) -> float:
            probe = KCentroids(1, max_iter=1, **options).fit(X[rows])
            probe.cluster_centers_ = center[None, :]
            return float(weights[rows] @ probe.transform(X[rows])[:, 0])

        own = cost(model.cluster_centers_[cluster])
        for size in (1e-3, 1e-1):
            assert own <= cost(model.cluster_centers_[cluster] + size * rng.normal(size=3)) * (1 + 1e-12)


def test_k_centroids_with_squares_is_k_means_and_refuses_rows_without_direction() -> None:
    X = blobs()
    assert KCentroids(5, metric="minkowski", n_init=8, random_state=0).fit(X).inertia_ == pytest.approx(
        KMeans(5, n_init=8, random_state=0).fit(X).inertia_, rel=1e-6
    )
    with pytest.raises(ValueError, match="no row of zeros for metric='cosine', got row 1"):
        KCentroids(1, metric="cosine").fit([[1.0, 0.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match="n_samples=2 should be >= n_clusters=3"):
        KCentroids(3).fit([[1.0], [2.0]])


def test_a_price_per_cluster_decides_their_number() -> None:
    X = blobs(200, 2, 4, spread=0.5)
    found = [DPMeans(penalty).fit(X) for penalty in (1e-6, 30.0, 1e9)]
    assert found[0].n_clusters_ == 200
    assert found[1].n_clusters_ == 4
    assert found[2].n_clusters_ == 1
    for penalty, model in zip((1e-6, 30.0, 1e9), found, strict=True):
        assert model.converged_
        assert model.objective_ == pytest.approx(model.inertia_ + penalty * model.n_clusters_)
        assert all(after <= before * (1 + 1e-9) for before, after in itertools.pairwise(model.history_))
        other = [KMeans(k, n_init=5, random_state=0).fit(X).inertia_ + penalty * k for k in (1, 2, 4, 8)]
        assert model.objective_ <= min(other) * (1 + 1e-6)
    order = np.random.default_rng(0).permutation(len(X))
    assert DPMeans(30.0).fit(X[order]).objective_ == pytest.approx(found[1].objective_)
    with pytest.raises(ValueError, match="penalty"):
        DPMeans(0.0).fit(X)


def test_k_means_fails_where_its_cost_is_the_wrong_one() -> None:
    """Rings, long clouds, and a small cloud beside a wide one: the cut is cheaper than the true groups, and wrong."""
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 200), np.repeat([1.0, 5.0], 100)
    rings = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    long = np.column_stack([rng.normal(size=200) * 10, np.repeat([0.0, 3.0], 100) + 0.3 * rng.normal(size=200)])
    uneven = np.concatenate([5.0 * rng.normal(size=(180, 2)), [12.0, 0.0] + 0.2 * rng.normal(size=(20, 2))])
    truths = (np.repeat([0, 1], 100), np.repeat([0, 1], 100), np.repeat([0, 1], [180, 20]))
    for X, truth in zip((rings, long, uneven), truths, strict=True):
        model = KMeans(2, n_init=10, random_state=0).fit(X)
        right = np.mean(model.labels_ == truth)
        assert max(right, 1 - right) < 0.9
        assert model.inertia_ < cluster_cost(X, truth)
