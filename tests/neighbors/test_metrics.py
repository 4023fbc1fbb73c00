"""Every metric gives the distances that its definition says."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial import distance
from sklearn.exceptions import EfficiencyWarning
from sklearn.metrics import DistanceMetric, pairwise_distances

from certus.neighbors import KNeighborsClassifier, KNeighborsRegressor
from tests.geometry.twin import nearest

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4))
Q = rng.normal(size=(25, 4))
y = rng.integers(0, 3, 60)


def check(model: KNeighborsClassifier, expected: np.ndarray, queries: object = Q) -> None:
    distances, rows = model.kneighbors(queries, 7)
    twin_distances, twin_rows = nearest(expected, 7)
    assert_array_equal(rows, twin_rows)
    assert_allclose(distances, twin_distances, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "name",
    ["euclidean", "l2", "sqeuclidean", "manhattan", "l1", "cityblock", "chebyshev", "cosine", "correlation",
     "canberra", "hamming"],
)  # fmt: skip
@pytest.mark.parametrize("algorithm", ["auto", "brute"])
def test_metrics_by_name(name: str, algorithm: str) -> None:
    known = {"l2": "euclidean", "l1": "cityblock", "manhattan": "cityblock"}
    model = KNeighborsClassifier(metric=name, algorithm=algorithm).fit(X, y)
    check(model, distance.cdist(Q, X, known.get(name, name)))


@pytest.mark.parametrize("name", ["jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath"])
def test_metrics_of_yes_and_no(name: str) -> None:
    table, queries = X > 0.3, Q > 0.3
    model = KNeighborsClassifier(metric=name).fit(table, y)
    check(model, distance.cdist(queries, table, name), queries)


@pytest.mark.parametrize(
    ("name", "params"), [("seuclidean", {"V": X.var(axis=0)}), ("mahalanobis", {"V": np.cov(X.T)})]
)
def test_metrics_with_parameters(name: str, params: dict) -> None:
    expected = DistanceMetric.get_metric(name, **params).pairwise(Q, X)
    check(KNeighborsClassifier(metric=name, metric_params=params).fit(X, y), expected)


@pytest.mark.parametrize("algorithm", ["auto", "ball_tree", "kd_tree", "brute"])
@pytest.mark.parametrize("p", [1, 1.7, 2, 4, np.inf])
def test_minkowski(algorithm: str, p: float) -> None:
    model = KNeighborsClassifier(p=p, algorithm=algorithm).fit(X, y)
    expected = distance.cdist(Q, X, "chebyshev") if np.isinf(p) else distance.cdist(Q, X, "minkowski", p=p)
    check(model, expected)
    names = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}
    assert model.effective_metric_ == names.get(p, "minkowski")
    assert ("p" in model.effective_metric_params_) == (p not in names)


@pytest.mark.parametrize("algorithm", ["auto", "ball_tree", "brute"])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_weighted_minkowski(algorithm: str, p: float) -> None:
    weights = np.array([0.2, 3.0, 0.0, 1.0])
    model = KNeighborsClassifier(p=p, algorithm=algorithm, metric_params={"w": weights}).fit(X, y)
    check(model, distance.cdist(Q, X, "minkowski", p=p, w=weights))


def test_semimetric_by_brute_force() -> None:
    with pytest.warns(UserWarning, match="not distance metrics"):
        model = KNeighborsClassifier(p=0.5).fit(X, y)
    check(model, distance.cdist(Q, X, "minkowski", p=0.5))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_cosine_of_rows_without_direction_is_one(form: object) -> None:
    table = np.array([[0.0, 0.0], [1e-200, 0.0], [0.0, 3e200], [1.0, 1.0]])
    model = KNeighborsRegressor(4, metric="cosine").fit(form(table), np.arange(4))
    distances, rows = model.kneighbors(form(np.array([[0.0, 0.0], [2.0, 0.0]])))
    assert_allclose(distances, [[1, 1, 1, 1], [0, 1 - np.sqrt(0.5), 1, 1]], atol=1e-15)
    assert_array_equal(rows[1, :2], [1, 3])  # ties at 1 are only as exact as the lengths of the unit vectors


def test_cosine_does_not_lose_small_angles() -> None:
    model = KNeighborsRegressor(1, metric="cosine").fit([[1.0, 1e-9]], [0])
    distances, _ = model.kneighbors([[1.0, 0.0]])
    assert_allclose(distances, [[0.5e-18]], rtol=1e-6)  # 1 - cos would round to 0


def test_functions_and_metric_objects() -> None:
    expected = distance.cdist(Q, X, "cityblock")
    check(KNeighborsClassifier(metric=distance.cityblock).fit(X, y), expected)
    check(KNeighborsRegressor(metric=DistanceMetric.get_metric("manhattan")).fit(X, y), expected)
    table = sparse.csr_array(np.where(X > 0, X, 0)[:20])
    model = KNeighborsRegressor(metric=lambda a, b: abs(a - b).sum()).fit(table, y[:20])
    check(model, distance.cdist(table.toarray(), table.toarray(), "cityblock"), table)


def test_bray_curtis() -> None:
    table, queries = np.abs(X), np.abs(Q)  # for signed numbers, scikit-learn and SciPy define it differently
    model = KNeighborsClassifier(metric="braycurtis").fit(table, y)
    check(model, distance.cdist(queries, table, "braycurtis"), queries)
    check(model, distance.cdist(queries, table, "braycurtis"), sparse.csr_array(queries))


def test_missing_values_with_nan_euclidean() -> None:
    table = X.copy()
    table[::3, 1] = np.nan
    model = KNeighborsRegressor(metric="nan_euclidean").fit(table, y)
    check(model, pairwise_distances(Q, table, metric="nan_euclidean"))
    table[5] = np.nan  # nothing in common with any query: farther than all others
    distances, rows = KNeighborsRegressor(metric="nan_euclidean").fit(table, y).kneighbors(Q, 60)
    assert (rows[:, -1] == 5).all()
    assert np.isinf(distances[:, -1]).all()


def test_precomputed_distances_and_graphs() -> None:
    among, between = distance.cdist(X, X), distance.cdist(Q, X)
    plain = KNeighborsClassifier(5).fit(X, y)
    given = KNeighborsClassifier(5, metric="precomputed").fit(among, y)
    assert_array_equal(given.predict_proba(between), plain.predict_proba(Q))
    assert_array_equal(given.predict(None), plain.predict(None))
    graph = plain.kneighbors_graph(Q, 9, mode="distance")
    assert_array_equal(given.predict_proba(graph), plain.predict_proba(Q))
    unsorted = graph.copy()
    unsorted.sort_indices()
    with pytest.warns(EfficiencyWarning, match="not sorted by row values"):
        assert_array_equal(given.predict_proba(unsorted), plain.predict_proba(Q))


def test_graph() -> None:
    model = KNeighborsClassifier(3).fit(X, y)
    distances, rows = model.kneighbors(Q)
    graph = model.kneighbors_graph(Q, mode="distance")
    assert graph.format == "csr"
    assert graph.shape == (25, 60)
    assert_array_equal(graph.toarray()[np.arange(25)[:, None], rows], distances)
    assert_array_equal(model.kneighbors_graph(Q).toarray().sum(axis=1), np.full(25, 3.0))
    assert (model.kneighbors_graph().diagonal() == 0).all()
