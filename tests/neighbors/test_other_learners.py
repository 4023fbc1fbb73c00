"""Searches by radius, graphs, outliers and learned maps against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import check_grad
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

from certus.neighbors import (
    KNeighborsClassifier,
    LocalOutlierFactor,
    NearestNeighbors,
    NeighborhoodComponentsAnalysis,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    kneighbors_graph,
    radius_neighbors_graph,
    sort_graph_by_row_values,
)
from certus.neighbors import neighborhood_components_analysis as nca

X = np.random.default_rng(1).normal(size=(60, 2))
D = cdist(X, X)


def test_radius_search_is_the_definition() -> None:
    found = NearestNeighbors(radius=0.6).fit(X).radius_neighbors(X, sort_results=True)
    for row in range(60):
        inside = np.flatnonzero(D[row] <= 0.6)
        order = inside[np.argsort(D[row, inside], kind="stable")]
        assert_array_equal(found[1][row], order)
        assert_allclose(found[0][row], D[row, order], atol=1e-15)
    graph = radius_neighbors_graph(X, 0.6, mode="distance")
    assert_allclose(graph.toarray(), np.where((D <= 0.6) & ~np.eye(60, dtype=bool), D, 0), atol=1e-15)


def test_graph_of_neighbors_and_its_order() -> None:
    graph = kneighbors_graph(X, 4, mode="distance")
    nearest = np.argsort(D + np.diag(np.full(60, np.inf)), axis=1)[:, :4]
    assert_array_equal(graph.indices.reshape(60, 4), nearest)
    shuffled = graph.copy()
    shuffled.data = shuffled.data.reshape(60, 4)[:, ::-1].ravel().copy()
    shuffled.indices = shuffled.indices.reshape(60, 4)[:, ::-1].ravel().copy()
    again = sort_graph_by_row_values(shuffled, copy=True, warn_when_not_sorted=False)
    assert_array_equal(again.indices, graph.indices)
    assert kneighbors_graph(X, 1, include_self=True).diagonal().sum() == 60
    with pytest.raises(ValueError, match="include_self must be"):
        kneighbors_graph(X, 1, include_self="maybe")


def test_votes_and_means_within_a_radius() -> None:
    y = (X[:, 0] > 0).astype(int)
    inside = D <= 1.0
    model = RadiusNeighborsClassifier(1.0).fit(X, y)
    assert_allclose(model.predict_proba(X)[:, 1], (inside * y).sum(axis=1) / inside.sum(axis=1))
    means = RadiusNeighborsRegressor(1.0).fit(X, X[:, 1]).predict(X)
    assert_allclose(means, (inside * X[:, 1]).sum(axis=1) / inside.sum(axis=1))


def test_queries_without_neighbors() -> None:
    y = np.array(["a", "b"])[(X[:, 0] > 0).astype(int)]
    far = [[100.0, 0.0]]
    with pytest.raises(ValueError, match="No neighbors found for test samples"):
        RadiusNeighborsClassifier().fit(X, y).predict(far)
    assert RadiusNeighborsClassifier(outlier_label="b").fit(X, y).predict(far) == ["b"]
    model = RadiusNeighborsRegressor().fit(X, X[:, 0])
    with pytest.warns(UserWarning, match="no neighbors within specified radius"):
        assert np.isnan(model.predict(far)).all()


def test_outlier_factors_are_those_of_the_definition() -> None:
    k = 7
    others = np.where(np.eye(60, dtype=bool), np.inf, D)
    near = np.argsort(others, axis=1)[:, :k]
    reach = np.maximum(np.take_along_axis(others, near, 1), np.sort(others, axis=1)[:, k - 1][near])
    density = 1 / (reach.mean(axis=1) + 1e-10)
    model = LocalOutlierFactor(k).fit(X)
    assert_allclose(-model.negative_outlier_factor_, (density[near] / density[:, None]).mean(axis=1), rtol=1e-12)
    strange = LocalOutlierFactor(k, novelty=True).fit(X).predict([[0.0, 0.0], [20.0, 20.0]])
    assert_array_equal(strange, [1, -1])


def test_the_learned_map_has_the_right_gradient_and_helps() -> None:
    data, y = load_iris(return_X_y=True)
    noisy = np.hstack([data, 10 * np.random.default_rng(0).normal(size=(150, 3))])
    start = np.random.default_rng(2).normal(size=14) / 5
    some = noisy[::5], y[::5]
    error = check_grad(
        lambda a: nca._loss_and_gradient(a, *some)[0], lambda a: nca._loss_and_gradient(a, *some)[1], start
    )
    assert error < 1e-4
    model = NeighborhoodComponentsAnalysis(2, random_state=0).fit(noisy, y)
    plain = np.mean(KNeighborsClassifier(3).fit(noisy, y).predict(None) == y)
    mapped = model.transform(noisy)
    assert np.mean(KNeighborsClassifier(3).fit(mapped, y).predict(None) == y) > plain + 0.1
    assert model.objective_ > 120
