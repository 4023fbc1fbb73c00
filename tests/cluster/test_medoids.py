"""Medoids and centers among the rows: against all choices, with bounds that nothing undercuts."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from certus.cluster import KCenter, KMedoids, _native_calls, certify_clustering
from certus.cluster.evidence.assignment_bound import AssignmentBound
from certus.geometry import pairwise_distances
from certus.guarantees import Certificate, CertificateError

QUANTITY, RADIUS = "excess cost of the clustering", "excess radius of the centers"


def small_table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, int]:
    X = rng.normal(size=(8, int(rng.integers(1, 4))))
    if rng.random() < 0.3:
        X = np.round(X)
    elif rng.random() < 0.3:
        X[4:] = X[:4]
    return X, rng.uniform(0.5, 2.0, 8) if rng.random() < 0.5 else np.ones(8), int(rng.integers(1, 5))


def least_cost(distances: np.ndarray, weights: np.ndarray, clusters: int) -> float:
    choices = np.array(list(itertools.combinations(range(len(weights)), clusters)))
    return float((distances[:, choices].min(axis=2).T @ weights).min())


@pytest.mark.parametrize("tables", [500, pytest.param(4000, marks=pytest.mark.slow)])
def test_no_choice_of_medoids_of_small_tables_is_below_the_bound(tables: int) -> None:
    rng = np.random.default_rng(tables)
    best = met = 0
    for _ in range(tables):
        X, weights, clusters = small_table(rng)
        power = int(rng.integers(1, 3))
        distances = pairwise_distances(X) ** power
        least = least_cost(distances, weights, clusters)
        model = KMedoids(clusters, power=power, random_state=0).fit(X, sample_weight=weights)
        certificate = model.report_[QUANTITY]
        assert model.inertia_ * (1.0 - certificate.value) <= least * (1 + 1e-9) + 1e-12
        assert model.inertia_ >= least - 1e-9
        best += model.inertia_ <= least * (1 + 1e-9) + 1e-12
        met += certificate.value < 0.01
        wild = AssignmentBound(distances, weights, clusters)
        assert wild.evaluate(rng.uniform(0, 3, 8))[0] <= least * (1 + 1e-9) + 1e-12
    assert best > 0.98 * tables
    assert met > 0.8 * tables


def test_a_bound_with_one_column_too_few_would_be_caught() -> None:
    rng = np.random.default_rng(1)
    caught = 0
    for _ in range(200):
        X, weights, clusters = small_table(rng)
        if clusters > 1:
            distances = pairwise_distances(X)
            bound = AssignmentBound(distances, weights, clusters)
            bound.ascend(least_cost(distances, weights, clusters), 50, np.arange(clusters))
            fewer = AssignmentBound(distances, weights, clusters - 1).evaluate(bound.prices)[0]
            caught += fewer > least_cost(distances, weights, clusters) * (1 + 1e-6) + 1e-9
    assert caught > 50


@pytest.mark.parametrize("power", [1, 2])
def test_the_bound_meets_the_cost_of_three_hundred_rows(power: int) -> None:
    X = np.random.default_rng(0).uniform(size=(300, 2))
    model = KMedoids(5, power=power, random_state=0, bound_effort=200).fit(X)
    certificate = model.report_[QUANTITY]
    assert 1.0 - certificate.value >= 0.985
    assert certificate.check(X)
    once = KMedoids(5, power=power, n_init=1, random_state=0).fit(X)
    assert model.inertia_ <= once.inertia_ * (1 + 1e-12)
    with pytest.raises(CertificateError, match=r"lower bound|cost"):
        certificate.check(X * 0.9)


@pytest.mark.parametrize("columns", [2, 10])
def test_the_bound_is_near_the_cost_of_one_cloud(columns: int) -> None:
    X = np.random.default_rng(1).normal(size=(300, columns))
    model = KMedoids(5, power=2, n_init=6, random_state=0).fit(X)
    assert 1.0 - model.report_[QUANTITY].value >= 0.985


def test_the_start_takes_the_row_that_saves_most_of_all() -> None:
    rng = np.random.default_rng(5)
    for case in range(200):
        rows = int(rng.integers(3, 40))
        X = rng.integers(0, 4, (rows, 2)).astype(float) if case % 2 else rng.normal(size=(rows, 2))
        distances = np.ascontiguousarray(pairwise_distances(X, metric="manhattan"))
        weights = rng.integers(1, 3, rows).astype(float)
        chosen = _native_calls.build_medoids(distances, weights, int(rng.integers(1, rows + 1)))
        assert len(set(chosen.tolist())) == len(chosen)
        closest = np.full(rows, np.inf)
        for medoid in chosen:
            costs = np.minimum(distances, closest) @ weights
            assert costs[medoid] <= costs.min() + 1e-9
            closest = np.minimum(closest, distances[medoid])


def test_no_single_swap_lowers_the_cost() -> None:
    rng = np.random.default_rng(2)
    X, weights = rng.normal(size=(40, 3)), rng.uniform(0.5, 2.0, 40)
    distances = pairwise_distances(X)
    model = KMedoids(4, n_init=1, random_state=0).fit(X, sample_weight=weights)
    medoids = list(model.medoid_indices_)
    for place, row in itertools.product(range(4), set(range(40)) - set(medoids)):
        other = [*medoids[:place], row, *medoids[place + 1 :]]
        assert weights @ distances[:, other].min(axis=1) >= model.inertia_ * (1 - 1e-9)
    assert model.inertia_ == pytest.approx(weights @ distances[:, medoids].min(axis=1))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", lambda a, b: float(np.abs(a - b).max())])
def test_any_distance_and_its_matrix_agree(metric: Any) -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = KMedoids(4, metric=metric, random_state=0).fit(X)
    matrix = pairwise_distances(X, metric=metric)
    given = KMedoids(4, metric="precomputed", random_state=0).fit(matrix)
    assert set(model.medoid_indices_) == set(given.medoid_indices_)
    assert_array_equal(model.medoid_indices_[model.predict(X[:9])], given.medoid_indices_[given.predict(matrix[:9])])
    assert_array_equal(model.cluster_centers_, X[model.medoid_indices_])
    assert given.cluster_centers_ is None
    assert given.report_[QUANTITY].check(matrix)


def test_starts_given_and_random() -> None:
    X = np.random.default_rng(0).normal(size=(50, 2))
    rows = KMedoids(3, random_state=0).fit(X).medoid_indices_
    assert set(KMedoids(3, init=rows).fit(X).medoid_indices_) == set(rows)
    assert KMedoids(3, init="random", n_init=5, random_state=0).fit(X).n_iter_ == 5
    for wrong in ([0, 0, 1], [0, 1], [0, 1, 50]):
        with pytest.raises(ValueError, match="init must be 3 different numbers"):
            KMedoids(3, init=wrong).fit(X)


def test_many_rows_are_searched_in_subsets(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(3000, 2)) + np.repeat([[0, 0], [30, 0], [0, 30]], 1000, axis=0)
    monkeypatch.setattr(sys.modules[KMedoids.__module__], "LARGEST_MATRIX", 2000)
    model = KMedoids(3, random_state=0).fit(X)
    assert sorted(np.bincount(model.labels_)) == [1000, 1000, 1000]
    assert not model.report_


def test_the_radius_is_within_two_of_the_least() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        X, _, clusters = small_table(rng)
        distances = pairwise_distances(X)
        choices = np.array(list(itertools.combinations(range(8), clusters)))
        least = float(distances[:, choices].min(axis=2).max(axis=0).min())
        model = KCenter(clusters).fit(X)
        certificate = model.report_[RADIUS]
        assert model.radius_ == pytest.approx(distances[:, model.medoid_indices_].min(axis=1).max())
        assert model.radius_ * (1.0 - certificate.value) <= least + 1e-9
        assert model.radius_ <= 2.0 * least + 1e-9
        assert certificate.value <= 0.5 + 1e-9
        assert certificate.check(X)
    with pytest.raises(CertificateError, match="apart"):
        KCenter(2).fit(X).report_[RADIUS].check(X * 0.5)


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "precomputed", "function"])
def test_the_radius_without_triangle_inequality(metric: Any) -> None:
    """Half of how far rows are apart bounds nothing where the triangle inequality fails: another bound does."""
    rng = np.random.default_rng(0)
    half_would_fail = 0
    for _ in range(150):
        X, _, clusters = small_table(rng)
        X = X + 0.1 * rng.normal(size=X.shape) + 3.0 * (metric == "cosine")
        distances = pairwise_distances(X, metric="cosine" if metric == "cosine" else "sqeuclidean")
        choices = np.array(list(itertools.combinations(range(8), clusters)))
        least = float(distances[:, choices].min(axis=2).max(axis=0).min())
        chosen = {"function": lambda a, b: float(((a - b) ** 2).sum())}.get(metric, metric)
        data = distances if metric == "precomputed" else X
        model = KCenter(clusters, metric=chosen).fit(data)
        certificate = model.report_[RADIUS]
        assert model.radius_ * (1.0 - certificate.value) <= least * (1.0 + 1e-9)
        half_would_fail += model.radius_ / 2.0 > least * (1.0 + 1e-9)
        if metric != "function":
            assert certificate.check(data)
    assert half_would_fail > 5
    if metric == "function":
        return
    forged = dict(certificate.witness, shared=certificate.witness["shared"] * 1.01)
    with pytest.raises(CertificateError):
        Certificate.from_dict(certificate.to_dict() | {"witness": forged}).check(data)
    forged = {"radius": model.radius_, "apart": model.radius_, "rows": certificate.witness["rows"]}
    with pytest.raises(CertificateError, match="triangle inequality"):
        Certificate.from_dict(certificate.to_dict() | {"witness": forged}).check()


def test_labels_of_anybody_as_medoids_and_centers() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2)) + np.repeat([[0, 0], [20, 0]], 20, axis=0)
    labels = np.repeat([0, 1], 20)
    for cost, quantity in (("k-median", QUANTITY), ("k-medoids", QUANTITY), ("k-center", RADIUS)):
        certificate = certify_clustering(X, labels, cost=cost)[quantity]
        assert certificate.value <= 0.6
        assert certificate.check(X)


def test_what_cannot_be_is_said() -> None:
    matrix = np.array([[0.0, 1.0], [2.0, 0.0]])
    with pytest.raises(ValueError, match="different distances between rows 0 and 1"):
        KMedoids(1, metric="precomputed").fit(matrix)
    with pytest.raises(ValueError, match="metric must be symmetric for a function"):
        KMedoids(1, metric=lambda a, b: float(max(0.0, a[0] - b[0]))).fit([[0.0], [1.0], [5.0]])
    for value in (-1.0, np.inf):
        for learner in (KMedoids(1, metric=lambda a, b, v=value: v), KCenter(1, metric=lambda a, b, v=value: v)):
            with pytest.raises(ValueError, match="metric must give finite numbers >= 0"):
                learner.fit([[0.0], [1.0], [5.0]])
    with pytest.raises(ValueError, match="square matrix"):
        KMedoids(1, metric="precomputed").fit(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="no negative distance"):
        KMedoids(1, metric="precomputed").fit(-matrix)
    with pytest.raises(ValueError, match=r"n_samples=2 should be >= n_clusters=3\."):
        KCenter(3).fit([[0.0], [1.0]])
    assert KMedoids(2).fit(np.zeros((5, 1))).inertia_ == 0.0
    assert KCenter(3).fit(np.zeros((5, 1))).radius_ == 0.0
    assert KMedoids(1).fit([[3.0]]).labels_.tolist() == [0]
