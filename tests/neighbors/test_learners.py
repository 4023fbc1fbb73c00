"""Votes and means of neighbors: definitions, worked examples, weights, several outputs, leave-one-out."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import BallTree, KDTree

import certus
from certus.neighbors import KNeighborsClassifier, KNeighborsRegressor
from tests.geometry.twin import nearest, reduced_distances

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 3))
Q = rng.normal(size=(40, 3))
labels = rng.choice(np.array(["a", "b", "c"]), 150)
targets = rng.normal(size=150)


def test_two_of_three_neighbors_win_whatever_their_distances() -> None:
    table, kinds = [[0.0], [10.0], [11.0], [100.0]], ["B", "A", "A", "B"]
    assert KNeighborsClassifier(3).fit(table, kinds).predict([[0.5]]) == ["A"]
    # With weights 1 / distance the near one wins: 1 / 0.5 > 1 / 9.5 + 1 / 10.5.
    weighted = KNeighborsClassifier(3, weights="distance").fit(table, kinds)
    assert weighted.predict([[0.5]]) == ["B"]
    near, far = 1 / 0.5, 1 / 9.5 + 1 / 10.5
    assert_allclose(weighted.predict_proba([[0.5]]), [[far / (near + far), near / (near + far)]])


@settings(max_examples=40, deadline=None)
@given(k=st.integers(1, 40), classes=st.integers(1, 6), seed=st.integers(0, 10_000), weighted=st.booleans())
def test_votes_are_those_of_the_definition(k: int, classes: int, seed: int, weighted: bool) -> None:
    local = np.random.default_rng(seed)
    table, queries = local.normal(size=(60, 2)), local.normal(size=(9, 2))
    codes = local.integers(0, classes, 60)
    model = KNeighborsClassifier(k, weights="distance" if weighted else "uniform").fit(table, codes)
    reduced, rows = nearest(reduced_distances(queries, table), k)
    weights = 1 / np.sqrt(reduced) if weighted else np.ones_like(reduced)
    present = np.unique(codes)
    votes = np.array([[(w * (codes[r] == c)).sum() for c in present] for w, r in zip(weights, rows, strict=True)])
    assert_allclose(model.predict_proba(queries), votes / votes.sum(axis=1, keepdims=True), rtol=1e-12)
    if not weighted:  # ties are exact: the first class
        assert_array_equal(model.predict(queries), present[votes.argmax(axis=1)])


@pytest.mark.parametrize("weights", ["uniform", "distance", None, lambda distances: np.exp(-distances)])
def test_means_are_those_of_the_definition(weights: object) -> None:
    model = KNeighborsRegressor(6, weights=weights).fit(X, targets)
    distances, rows = model.kneighbors(Q)
    w = {"uniform": 1 + 0 * distances, "distance": 1 / distances}.get(weights) if isinstance(weights, str) else None
    w = w if w is not None else (np.exp(-distances) if callable(weights) else np.ones_like(distances))
    assert_allclose(model.predict(Q), (w * targets[rows]).sum(axis=1) / w.sum(axis=1), rtol=1e-12)


def test_exact_matches_take_all_the_weight() -> None:
    model = KNeighborsRegressor(3, weights="distance").fit([[0.0], [0.0], [1.0], [5.0]], [1.0, 3.0, 9.0, 9.0])
    assert_array_equal(model.predict([[0.0], [5.0]]), [2.0, 9.0])
    voter = KNeighborsClassifier(3, weights="distance").fit([[0.0], [0.1], [0.2], [5.0]], [1, 0, 0, 0])
    assert_array_equal(voter.predict_proba([[0.0]]), [[0.0, 1.0]])


def test_several_outputs_equal_single_outputs() -> None:
    many = np.stack([labels, labels[::-1]], axis=1)
    voter = KNeighborsClassifier(4).fit(X, many)
    single = [KNeighborsClassifier(4).fit(X, column) for column in many.T]
    assert voter.outputs_2d_
    assert_array_equal(voter.predict(Q), np.stack([model.predict(Q) for model in single], axis=1))
    for ours, model in zip(voter.predict_proba(Q), single, strict=True):
        assert_array_equal(ours, model.predict_proba(Q))
    numbers = np.stack([targets, targets**2], axis=1)
    for weights in ("uniform", "distance"):
        averaged = KNeighborsRegressor(4, weights=weights).fit(X, numbers).predict(Q)
        for ours, column in zip(averaged.T, numbers.T, strict=True):
            assert_array_equal(ours, KNeighborsRegressor(4, weights=weights).fit(X, column).predict(Q))


def test_multilabel_and_sparse_targets() -> None:
    kinds = (rng.random((150, 3)) < 0.5).astype(int)
    dense, compressed = (KNeighborsClassifier().fit(X, form(kinds)) for form in (np.asarray, sparse.csr_array))
    assert_array_equal(dense.predict(Q), compressed.predict(Q))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_without_queries_each_row_is_judged_by_the_others(weights: str) -> None:
    voter = KNeighborsClassifier(4, weights=weights)
    expected = cross_val_predict(voter, X, labels, cv=LeaveOneOut())
    assert_array_equal(voter.fit(X, labels).predict(None), expected)
    assert voter.score(None, labels) == np.mean(expected == labels)


@pytest.mark.parametrize("algorithm", ["kd_tree", "brute"])
def test_many_duplicates_are_each_others_neighbors(algorithm: str) -> None:
    model = KNeighborsRegressor(3, algorithm=algorithm).fit(np.zeros((10, 2)), np.arange(10))
    distances, rows = model.kneighbors()
    assert (distances == 0).all()
    assert_array_equal(rows[:4], [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
    assert_array_equal(rows[9], [0, 1, 2])


def test_float32_rows_and_float64_queries_are_compared_in_double() -> None:
    rows32 = X.astype(np.float32)
    for algorithm in ("kd_tree", "brute"):
        single = KNeighborsRegressor(algorithm=algorithm).fit(rows32, targets)
        double = KNeighborsRegressor(algorithm=algorithm).fit(rows32.astype(np.float64), targets)
        assert_array_equal(single.kneighbors(Q)[0], double.kneighbors(Q)[0])
        assert single.kneighbors(Q)[0].dtype == np.float64
        assert single._fit_X.dtype == np.float32


def test_other_neighbor_learners_and_trees_as_rows() -> None:
    expected = KNeighborsClassifier().fit(X, labels).predict(Q)
    for given_rows in (KNeighborsRegressor().fit(X, targets), KDTree(X), BallTree(X)):
        assert_array_equal(KNeighborsClassifier().fit(given_rows, labels).predict(Q), expected)


def test_later_changes_of_the_users_table_change_nothing() -> None:
    table = X.copy()
    models = [KNeighborsRegressor(algorithm=name).fit(table, targets) for name in ("kd_tree", "brute")]
    before = [model.predict(Q) for model in models]
    table[:] = 0
    for model, expected in zip(models, before, strict=True):
        assert_array_equal(model.predict(Q), expected)
        assert_array_equal(pickle.loads(pickle.dumps(model)).predict(Q), expected)


def test_a_column_of_labels_is_taken_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model = KNeighborsClassifier().fit(X, labels[:, None])
    assert model.predict(Q).shape == (40,)


@pytest.mark.parametrize("metric", ["minkowski", "cosine", "precomputed"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_saved_models_answer_the_same(metric: str, form: object, tmp_path: Path) -> None:
    table = reduced_distances(X, X) if metric == "precomputed" else X
    queries = reduced_distances(Q, X) if metric == "precomputed" else Q
    model = KNeighborsClassifier(metric=metric, weights="distance")
    if metric == "precomputed" and form is sparse.csr_array:
        table = sparse.csr_array((np.sort(table, axis=1).ravel(), np.argsort(table, axis=1).ravel(),
                                  np.arange(0, 150 * 150 + 1, 150)), shape=(150, 150))  # fmt: skip
        model.fit(table, labels)
    else:
        model.fit(form(table), labels)
    certus.save(model, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    assert_array_equal(again.predict_proba(queries), model.predict_proba(queries))
    assert_array_equal(again.predict(None), model.predict(None))


def test_two_outputs_and_metric_parameters_are_saved(tmp_path: Path) -> None:
    model = KNeighborsClassifier(metric_params={"w": [1.0, 0.0, 2.0]}).fit(X, np.stack([labels, labels], axis=1))
    certus.save(model, tmp_path / "model.certus")
    assert_array_equal(certus.load(tmp_path / "model.certus").predict(Q), model.predict(Q))


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("_y", np.full(150, 7), "classes that do not exist"),
        ("_y", np.zeros(3, dtype=np.intp), "one class number per training row"),
        ("_fit_X", np.full((150, 3), np.nan), "NaN"),
        ("_fit_X", np.zeros((150, 2)), "shape"),
    ],
)
def test_a_damaged_state_is_refused(attribute: str, value: np.ndarray, message: str, tmp_path: Path) -> None:
    model = KNeighborsClassifier().fit(X, labels)
    setattr(model, attribute, value)
    certus.save(model, tmp_path / "model.certus")
    with pytest.raises(certus.CertusFileError, match=message):
        certus.load(tmp_path / "model.certus")
