"""k-means: the rounds of a plain twin, starts that only the rows' values decide, bounds that nothing undercuts."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from certus.base.callbacks import History
from certus.cluster import KMeans
from certus.cluster.evidence.cost_certificate import QUANTITY
from certus.guarantees import CertificateError, mean_bound


def blobs(rows: int = 400, columns: int = 4, centers: int = 5, seed: int = 0) -> np.ndarray:
    return np.asarray(make_blobs(rows, columns, centers=centers, cluster_std=2.0, random_state=seed)[0])


def plain_rounds(X: np.ndarray, centers: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, int]:
    """Lloyd's rounds as one would write them first."""
    labels = np.full(len(X), -1)
    for rounds in itertools.count(1):
        found = np.argmin(((X[:, None] - centers) ** 2).sum(axis=2), axis=1)
        centers = np.array(
            [np.average(X[found == c], axis=0, weights=weights[found == c]) for c in range(len(centers))]
        )
        if (found == labels).all():
            return centers, rounds
        labels = found
    raise AssertionError


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("columns", [1, 4, 37])
def test_rounds_are_those_of_a_plain_twin(dtype: type, columns: int) -> None:
    X = blobs(700, columns, 6).astype(dtype)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    start = X[:6]
    model = KMeans(6, init=start, tol=0.0).fit(X, sample_weight=weights)
    centers, rounds = plain_rounds(X.astype(np.float64), start.astype(np.float64), weights)
    assert_allclose(model.cluster_centers_, centers, rtol=1e-10 if dtype == np.float64 else 1e-5)
    assert model.n_iter_ == rounds
    assert model.cluster_centers_.dtype == dtype
    assert model.converged_


def test_a_far_origin_costs_no_digits() -> None:
    far = blobs(300, 3, 4) + 2.0**30
    X = far - 2.0**30  # exactly
    near, moved = KMeans(4, init=X[:4], tol=0.0).fit(X), KMeans(4, init=far[:4], tol=0.0).fit(far)
    assert moved.inertia_ == pytest.approx(near.inertia_, rel=1e-9)
    assert_array_equal(moved.labels_, near.labels_)


def test_labels_are_predictions_and_the_cost_is_theirs() -> None:
    X = blobs()
    model = KMeans(5, random_state=0).fit(X)
    assert_array_equal(model.labels_, model.predict(X))
    distances = np.sqrt(((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2))
    assert_allclose(model.transform(X), distances)
    assert model.inertia_ == pytest.approx((distances.min(axis=1) ** 2).sum())
    assert model.score(X) == pytest.approx(-model.inertia_)
    assert model.score(X, sample_weight=np.full(len(X), 2.0)) == pytest.approx(-2 * model.inertia_)


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_neither_order_nor_form_of_the_rows_changes_the_start(init: str) -> None:
    X = blobs(250)
    order = np.random.default_rng(1).permutation(len(X))
    weights = np.random.default_rng(2).integers(0, 3, len(X))
    straight = KMeans(5, init=init, n_init=1, random_state=0).fit(X, sample_weight=weights)
    shuffled = KMeans(5, init=init, n_init=1, random_state=0).fit(X[order], sample_weight=weights[order])
    assert straight.inertia_ == pytest.approx(shuffled.inertia_, rel=1e-12)
    thin = KMeans(5, init=init, n_init=1, random_state=0).fit(sparse.csr_array(X), sample_weight=weights)
    assert straight.inertia_ == pytest.approx(thin.inertia_, rel=1e-12)
    if init == "k-means++":
        repeated = KMeans(5, random_state=0).fit(np.repeat(X, weights, axis=0))
        assert straight.inertia_ == pytest.approx(repeated.inertia_, rel=1e-12)


def test_sparse_rounds_are_those_of_dense_rows() -> None:
    X = blobs() * (np.random.default_rng(0).random((400, 4)) < 0.5)
    dense, thin = (KMeans(5, init=X[:5], tol=0.0).fit(table) for table in (X, sparse.csr_array(X)))
    assert_allclose(dense.cluster_centers_, thin.cluster_centers_)
    assert_array_equal(dense.labels_, thin.labels_)
    assert_allclose(dense.transform(X), thin.transform(sparse.csr_array(X)), atol=1e-6)


@pytest.mark.parametrize("shape", [(60, 8), (8, 60)])
def test_sparse_and_dense_rows_have_the_same_bound(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=shape) * (rng.random(shape) < 0.4), rng.uniform(0.5, 2.0, shape[0])
    dense, thin = (KMeans(3, random_state=0).fit(table, sample_weight=weights) for table in (X, sparse.csr_array(X)))
    assert dense.report_[QUANTITY].value == pytest.approx(thin.report_[QUANTITY].value, rel=1e-9)
    assert thin.report_[QUANTITY].check((X, weights))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_an_empty_cluster_gets_the_farthest_row(form: type) -> None:
    X = np.array([[0.0], [1.0], [9.0], [10.0], [30.0]])
    model = KMeans(3, init=np.array([[0.0], [10.0], [-100.0]]), tol=0.0).fit(form(X))
    assert sorted(model.cluster_centers_.ravel()) == [0.5, 9.5, 30.0]


def test_starts_are_spread_and_the_best_of_several_wins() -> None:
    X = blobs(500, 2, 10, seed=3)
    one = [KMeans(10, n_init=1, random_state=seed).fit(X).inertia_ for seed in range(10)]
    random = [KMeans(10, init="random", n_init=1, random_state=seed).fit(X).inertia_ for seed in range(10)]
    assert np.mean(one) < np.mean(random)
    assert KMeans(10, n_init=10, random_state=0).fit(X).inertia_ <= one[0]
    made = KMeans(10, init=lambda X, k, random_state: X[random_state.permutation(len(X))[:k]], n_init=2, random_state=0)
    assert made.fit(X).inertia_ > 0


def law_of_starts(X: np.ndarray, weights: np.ndarray) -> dict[tuple[int, int], float]:
    """Chances of pairs of first centers: by weight, then the better of two drawn by weight times squared distance."""
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    law: dict[tuple[int, int], float] = {}
    for first in range(len(X)):
        drawn = weights * squares[first] / (weights @ squares[first])
        costs = [weights @ np.minimum(squares[first], squares[second]) for second in range(len(X))]
        for a, b in itertools.product(range(len(X)), repeat=2):
            pair = (first, a if costs[a] <= costs[b] else b)
            law[pair] = law.get(pair, 0.0) + weights[first] / weights.sum() * drawn[a] * drawn[b]
    return law


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_starts_follow_the_law_of_greedy_k_means_plus_plus() -> None:
    """What one round makes of the drawn centers, against what it makes of every pair, by its exact chance.

    The statistic may reach 21; uniform draws, a single candidate, or draws without weights would give 260 or more.
    """
    X = np.array([[0.0, 0.0], [1.0, 0.2], [4.0, 1.0], [5.0, 3.0], [2.0, 6.0]])
    weights, options = np.array([1.0, 2.0, 1.0, 0.5, 1.0]), {"n_init": 1, "max_iter": 1, "bound_effort": 0}

    def outcome(**given: object) -> float:
        return round(KMeans(2, **options, **given).fit(X, sample_weight=weights).inertia_, 6)

    chances: dict[float, float] = {}
    for (first, second), chance in law_of_starts(X, weights).items():
        if chance > 0:
            made = outcome(init=X[[first, second]])
            chances[made] = chances.get(made, 0.0) + chance
    draws = 400
    counts = Counter(outcome(random_state=seed) for seed in range(draws))
    assert set(counts) <= set(chances)
    assert len(chances) >= 4
    found = [counts[made] for made in chances]
    assert stats.chisquare(found, draws * np.array(list(chances.values()))).pvalue > 1e-4


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 5), st.sampled_from([0, 1, 30]))
def test_no_clustering_of_few_rows_is_below_the_bound(seed: int, clusters: int, columns: int, effort: int) -> None:
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(6, columns)) * rng.uniform(0.1, 3, columns), rng.uniform(0.5, 2.0, 6)
    model = KMeans(clusters, random_state=0, bound_effort=effort).fit(X, sample_weight=weights)
    (certificate,) = model.report_
    lower = model.inertia_ * (1.0 - certificate.value)
    for labels in itertools.product(range(clusters), repeat=6):
        parts = [np.array(labels) == c for c in range(clusters) if c in labels]
        means = [np.average(X[part], axis=0, weights=weights[part]) for part in parts]
        cost = sum(
            float(weights[part] @ ((X[part] - mean) ** 2).sum(axis=1)) for part, mean in zip(parts, means, strict=True)
        )
        assert cost >= lower * (1 - 1e-12)
    assert certificate.check((X, weights))


def test_the_bound_is_exact_for_one_cluster_and_tight_along_the_leading_directions() -> None:
    X = blobs()
    (certificate,) = KMeans(1, random_state=0).fit(X).report_
    assert certificate.value < 1e-9
    line = np.concatenate([np.zeros((50, 3)), np.zeros((50, 3))])
    line[:, 0] = np.repeat([0.0, 100.0], 50)
    line += 0.01 * np.random.default_rng(0).normal(size=line.shape)
    (certificate,) = KMeans(2, random_state=0).fit(line).report_
    assert certificate.value < 0.5
    assert "No clustering of these rows with 2 centers costs less than" in certificate.claim


def test_effort_tightens_the_bound_where_there_are_fewer_columns_than_centers() -> None:
    X = blobs(60, 2, 4, seed=1)
    values = [
        KMeans(4, n_init=5, random_state=0, bound_effort=effort).fit(X).report_[QUANTITY].value
        for effort in (0, 20, 150)
    ]
    assert values[0] == 1.0
    assert values[2] < values[1] < 1.0
    assert values[2] < 0.35
    far = np.repeat([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]], 20, axis=0) + X[:60] / 100
    assert KMeans(3, random_state=0, bound_effort=100).fit(far).report_[QUANTITY].value < 0.01


@pytest.mark.parametrize("effort", [0, 10])
def test_a_forged_bound_is_found(effort: int) -> None:
    X = blobs(100)
    (certificate,) = KMeans(3, random_state=0, bound_effort=effort).fit(X).report_
    assert certificate.check(X)
    with pytest.raises(CertificateError, match=r"lower bound|costs"):
        certificate.check(X * 0.5)


def test_fresh_rows_bound_the_capped_distance() -> None:
    X = blobs(600)
    model = KMeans(5, random_state=0).fit(X[:300])
    report = model.certify(X[300:], cap=20.0, confidence=0.9)
    distances = np.minimum(model.transform(X[300:]).min(axis=1), 20.0)
    quantity = "mean distance to the nearest center, capped at 20"
    assert report[quantity] == mean_bound(distances, high=20.0, confidence=0.9, quantity=quantity)
    with pytest.raises(ValueError, match="needs loss='distance' and cap"):
        model.certify(X[300:])


def test_callbacks_see_every_round() -> None:
    X = blobs()
    history = History()
    watched = KMeans(5, random_state=0).set_callbacks(history).fit(X)
    costs = [row["objective"] for row in history.rows if "objective" in row]
    assert len(costs) == watched.n_iter_
    assert all(after <= before * (1 + 1e-12) for before, after in itertools.pairwise(costs))
    assert watched.inertia_ == pytest.approx(KMeans(5, random_state=0).fit(X).inertia_)


def test_what_cannot_be_is_said() -> None:
    X = blobs(50)
    with pytest.raises(ValueError, match=r"n_samples=50 should be >= n_clusters=60\."):
        KMeans(60).fit(X)
    with pytest.raises(ValueError, match="does not match the number of clusters 3"):
        KMeans(3, init=X[:2]).fit(X)
    with pytest.raises(ValueError, match="does not match the number of features of the data 4"):
        KMeans(3, init=X[:3, :2]).fit(X)
    with pytest.warns(RuntimeWarning, match="performing only one init in KMeans instead of n_init=5"):
        KMeans(3, init=X[:3], n_init=5).fit(X)
    with pytest.warns(
        ConvergenceWarning, match=r"Number of distinct clusters \(2\) found smaller than n_clusters \(3\)"
    ):
        KMeans(3, random_state=0).fit([[0.0], [0.0], [1.0], [1.0]])
