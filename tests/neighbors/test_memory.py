"""Weights are repetitions, adding is fitting with more, forgetting is fitting without."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from certus.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestCentroid,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 3))
labels = np.array(["a", "b", "c"])[rng.integers(0, 3, size=80)]
numbers = rng.normal(size=80)
Q = rng.normal(size=(40, 3))
W = rng.integers(0, 4, size=80)


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: 1.0 / (1.0 + d)])
def test_weights_equal_repetition(weights: object) -> None:
    repeated, again = np.repeat(X, W, axis=0), np.repeat(np.arange(80), W)
    for k in (1, 4, 11):
        one = KNeighborsClassifier(k, weights=weights).fit(X, labels, sample_weight=W)
        two = KNeighborsClassifier(k, weights=weights).fit(repeated, labels[again])
        assert_allclose(one.predict_proba(Q), two.predict_proba(Q), rtol=1e-12)
        assert_array_equal(one.predict(Q), two.predict(Q))
        one = KNeighborsRegressor(k, weights=weights).fit(X, numbers, sample_weight=W)
        two = KNeighborsRegressor(k, weights=weights).fit(repeated, numbers[again])
        assert_allclose(one.predict(Q), two.predict(Q), rtol=1e-12)


def test_weights_within_a_radius_equal_repetition() -> None:
    repeated, again = np.repeat(X, W, axis=0), np.repeat(np.arange(80), W)
    one = RadiusNeighborsClassifier(2.5).fit(X, labels, sample_weight=W).predict_proba(Q)
    assert_allclose(one, RadiusNeighborsClassifier(2.5).fit(repeated, labels[again]).predict_proba(Q), rtol=1e-12)
    value = RadiusNeighborsRegressor(2.5, weights="distance").fit(X, numbers, sample_weight=W).predict(Q)
    twin = RadiusNeighborsRegressor(2.5, weights="distance").fit(repeated, numbers[again])
    assert_allclose(value, twin.predict(Q), rtol=1e-12)


def test_a_fraction_of_a_place() -> None:
    """Weight 1.5 and k = 2: the first neighbor fills 1.5 places, the second the half that is left."""
    model = KNeighborsRegressor(2).fit([[0.0], [1.0], [9.0]], [0.0, 4.0, 100.0], sample_weight=[1.5, 1.5, 1.0])
    assert_allclose(model.predict([[-1.0]]), [(1.5 * 0 + 0.5 * 4) / 2])


def test_more_neighbors_than_weight_are_refused() -> None:
    model = KNeighborsClassifier(3).fit([[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=[1, 1, 0.5])
    with pytest.raises(ValueError, match=r"Expected n_neighbors <= the total weight"):
        model.predict([[0.0]])


def test_class_weights_multiply_votes() -> None:
    model = KNeighborsClassifier(3, class_weight={0: 3.0, 1: 1.0}).fit([[0.0], [1.0], [2.0], [9.0]], [0, 1, 1, 1])
    assert_allclose(model.predict_proba([[0.5]]), [[0.6, 0.4]])
    assert model.predict([[0.5]]) == [0]
    balanced = KNeighborsClassifier(4, class_weight="balanced").fit([[0.0], [1.0], [2.0], [9.0]], [0, 1, 1, 1])
    assert_allclose(balanced.predict_proba([[0.5]]), [[0.5, 0.5]])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_adding_and_forgetting_equal_fitting_with_and_without(kind: object) -> None:
    model = KNeighborsClassifier(5).fit(kind(X[:30]), labels[:30])
    model.partial_fit(kind(X[30:50]), labels[30:50]).forget(range(10, 20))
    model.partial_fit(kind(X[50:]), labels[50:]).forget([0, 55])
    kept = np.setdiff1d(np.arange(80), [*range(10, 20), 0, 55])
    assert_array_equal(model.arrivals_, kept)
    plain = KNeighborsClassifier(5).fit(kind(X[kept]), labels[kept])
    assert_array_equal(model.predict_proba(kind(Q)), plain.predict_proba(kind(Q)))
    assert_array_equal(model.kneighbors(kind(Q))[1], plain.kneighbors(kind(Q))[1])


def test_regression_remembers_too() -> None:
    model = KNeighborsRegressor(3).partial_fit(X[:40], numbers[:40], sample_weight=W[:40] + 1)
    model.partial_fit(X[40:], numbers[40:]).forget([1])
    weights = np.concatenate([W[:40] + 1, np.ones(40)])
    plain = KNeighborsRegressor(3).fit(np.delete(X, 1, axis=0), np.delete(numbers, 1), np.delete(weights, 1))
    assert_array_equal(model.predict(Q), plain.predict(Q))


def test_new_classes_may_come() -> None:
    model = KNeighborsClassifier(1).fit([[0.0]], ["m"]).partial_fit([[1.0], [2.0]], ["a", "z"])
    assert_array_equal(model.classes_, ["a", "m", "z"])
    assert_array_equal(model.predict([[0.1], [0.9], [2.2]]), ["m", "a", "z"])


def test_what_cannot_be_forgotten_or_added() -> None:
    model = KNeighborsClassifier(1).fit(X, labels)
    with pytest.raises(ValueError, match="got 80, which is not among them"):
        model.forget([80])
    with pytest.raises(ValueError, match="at least one row"):
        model.forget(range(80))
    model.forget([3])
    with pytest.raises(ValueError, match="got 3, which"):
        model.forget([3])
    given = KNeighborsClassifier(1, metric="precomputed").fit(np.zeros((2, 2)), [0, 1])
    with pytest.raises(ValueError, match="cannot add rows"):
        given.partial_fit(np.zeros((2, 2)), [0, 1])


def test_centers_move_as_if_all_rows_had_come_at_once() -> None:
    far = 4e6 + X
    plain = NearestCentroid(shrink_threshold=0.1, priors="empirical").fit(far, labels, sample_weight=W)
    moved = NearestCentroid(shrink_threshold=0.1, priors="empirical").fit(far[:30], labels[:30], sample_weight=W[:30])
    moved.partial_fit(far[30:], labels[30:], sample_weight=W[30:])
    assert_allclose(moved.centroids_ - 4e6, plain.centroids_ - 4e6, atol=1e-8)
    assert_allclose(moved.within_class_std_dev_, plain.within_class_std_dev_, rtol=1e-9)
    repeated = NearestCentroid(shrink_threshold=0.1, priors="empirical").fit(
        np.repeat(far, W, axis=0), np.repeat(labels, W)
    )
    assert_allclose(plain.centroids_, repeated.centroids_, rtol=1e-14)
    median = NearestCentroid("manhattan").fit(X, labels, sample_weight=W)
    assert_allclose(
        median.centroids_, NearestCentroid("manhattan").fit(np.repeat(X, W, axis=0), np.repeat(labels, W)).centroids_
    )
