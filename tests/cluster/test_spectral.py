"""Spectral clustering: cuts against all divisions, eigenvalue bounds against eigenvalues, components, new rows."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import make_moons

import certus
from certus.cluster import SpectralClustering, spectral_clustering
from certus.cluster.evidence import cut_bound
from certus.cluster.evidence.cut_bound import exact_floor, lanczos_floor, least_sum, probable_floor
from certus.cluster.solvers import leading_vectors
from certus.cluster.solvers.cut_graph import CutGraph, Product
from certus.cluster.solvers.leading_vectors import Leading
from certus.guarantees import CertificateError

QUANTITY = "excess normalized cut"


def divisions(rows: int, parts: int) -> np.ndarray:
    """All divisions into nonempty parts, as restricted growth strings."""
    found = [[0]]
    for _ in range(rows - 1):
        found = [[*one, label] for one in found for label in range(min(max(one) + 2, parts))]
    return np.array([one for one in found if max(one) == parts - 1])


def random_graph(rng: np.random.Generator, rows: int) -> np.ndarray:
    A = rng.exponential(size=(rows, rows)) * (rng.random((rows, rows)) < rng.choice([0.3, 0.7, 1.0]))
    return np.asarray(A + A.T)


@pytest.mark.parametrize("graphs", [100, pytest.param(2000, marks=pytest.mark.slow)])
def test_no_division_of_small_graphs_is_below_the_bound(graphs: int) -> None:
    rng = np.random.default_rng(graphs)
    every = {parts: divisions(7, parts) for parts in (1, 2, 3, 4)}
    best = 0
    for _ in range(graphs):
        A, parts = random_graph(rng, 7), int(rng.integers(1, 5))
        graph = CutGraph(A)
        least = min(graph.cut(labels) for labels in every[parts])
        model = SpectralClustering(parts, affinity="precomputed", n_init=2, random_state=0).fit(A)
        if len(np.unique(model.labels_)) != parts:
            continue
        certificate = model.report_[QUANTITY]
        assert model.normalized_cut_ * (1.0 - certificate.value) <= least + 1e-9
        assert model.normalized_cut_ >= least - 1e-9
        assert certificate.check(A)
        best += model.normalized_cut_ <= least + 1e-9
    assert best > 0.4 * graphs


def test_the_cut_is_its_definition() -> None:
    A = random_graph(np.random.default_rng(0), 12)
    labels = np.arange(12) % 3
    inner = A - np.diag(np.diag(A))
    parts = [labels == part for part in range(3)]
    expected = sum(inner[np.ix_(part, ~part)].sum() / inner[part].sum() for part in parts)
    assert CutGraph(A).cut(labels) == pytest.approx(expected)
    assert CutGraph(sparse.csr_array(A)).cut(labels) == pytest.approx(expected)


def solved(B: Any, count: int, *, leave_out: int | None = None, noise: float = 0.0) -> tuple[Leading, np.ndarray]:
    """Eigenpairs of a matrix, one left out or all disturbed, and the true eigenvalues."""
    dense = B.toarray() if sparse.issparse(B) else B
    values, vectors = np.linalg.eigh(dense)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = [place for place in range(count + 1) if place != leave_out][:count]
    V = np.linalg.qr(vectors[:, kept] + noise * np.random.default_rng(0).normal(size=(len(dense), count)))[0]
    inner, turn = np.linalg.eigh(V.T @ dense @ V)
    V, inner = V @ turn[:, ::-1], inner[::-1]
    left = np.linalg.norm(dense @ V - V * inner, axis=0)
    return Leading(inner, V, left, False, float(values[max(kept) + 1])), 1.0 - values


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_missed_eigenvalue_is_noticed(form: Any) -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        B = form(CutGraph(random_graph(rng, 50)).normalized())
        for noise in (0.0, 1e-6):
            leading, true = solved(B, 4, noise=noise)
            floor = exact_floor(B, leading)
            assert floor is not None
            tail = least_sum(1.0 - leading.values, float(np.linalg.norm(leading.residuals)), floor.value, 50)
            assert true[:4].sum() - 1e-4 <= tail <= true[:4].sum()
        leading, _ = solved(B, 4, leave_out=1)
        assert exact_floor(B, leading) is None


def test_the_sum_of_eigenvalues_is_bounded_from_any_vectors() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        B = CutGraph(random_graph(rng, 9)).normalized()
        values, vectors = np.linalg.eigh(np.eye(9) - B)
        count = int(rng.integers(1, 5))
        V = np.linalg.qr(vectors[:, :count] + 10.0 ** -rng.uniform(0, 4) * rng.normal(size=(9, count)))[0]
        inner, turn = np.linalg.eigh(V.T @ (np.eye(9) - B) @ V)
        V = V @ turn
        outside = np.linalg.svd(V, full_matrices=True)[0][:, count:]
        floor = float(np.linalg.eigvalsh(outside.T @ (np.eye(9) - B) @ outside)[0])
        residual = float(np.linalg.norm((np.eye(9) - B) @ V - V * inner))
        assert least_sum(inner, residual, floor, 9) <= max(0.0, values[:count].sum()) + 1e-12


def test_a_random_start_fails_as_seldom_as_it_says() -> None:
    """A spectrum like that of Chebyshev's polynomials, the hardest for Lanczos' method, and few steps."""
    rows, steps, failure = 60, 6, 0.2
    spectrum = np.append(0.9 * (1.0 + np.cos(np.pi * (np.arange(rows - 1) + 0.5) / (rows - 1))) - 1.0, 1.0)
    B = np.diag(spectrum)
    rng, nothing = np.random.default_rng(0), np.zeros((rows, 0))
    floors = [probable_floor(B, nothing, failure, rng, 1, steps=steps) for _ in range(2000)]
    assert np.mean([floor.value > 0.0 for floor in floors]) <= failure
    # Without the share that the theorem adds, the largest value is too small nearly always.
    assert np.mean([2.0 - floor.largest > 1e-6 for floor in floors]) > 0.5
    assert lanczos_floor(2.0, 10_000, rows, failure) > -1e-5
    assert lanczos_floor(2.0, 3, rows, 1e-9) == -np.inf


def test_krylov_spaces_find_what_a_dense_solve_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = make_moons(400, noise=0.08, random_state=1)
    few = SpectralClustering(2, gamma=20.0, random_state=0).fit(X)
    monkeypatch.setattr(leading_vectors, "DENSE_SOLVE", 20)
    many = SpectralClustering(2, gamma=20.0, random_state=0).fit(X)
    assert_allclose(many.eigenvalues_, few.eigenvalues_, atol=1e-10)
    assert_allclose(np.abs(many.embedding_), np.abs(few.embedding_), atol=1e-6)
    assert len({(a, b) for a, b in zip(few.labels_, many.labels_, strict=True)}) == 2
    for model in (few, many):
        assert model.report_[QUANTITY].kind == "exact"
        assert model.report_[QUANTITY].check(X)
    assert many.report_[QUANTITY].witness["method"] == "cholesky"
    assert many.report_[QUANTITY].value == pytest.approx(few.report_[QUANTITY].value, abs=1e-4)
    near = SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=25, bound="exact", random_state=0)
    monkeypatch.setattr(sys.modules["certus.cluster.spectral_clustering"], "PROVED_SPARSE", 0)
    assert near.fit(X).report_[QUANTITY].witness["method"] == "inertia"
    assert near.report_[QUANTITY].check(X)
    probable = SpectralClustering(2, gamma=20.0, bound="probable", random_state=0).fit(X).report_[QUANTITY]
    assert (probable.kind, probable.confidence) == ("probable", 0.95)
    assert few.report_[QUANTITY].value - 1e-9 <= probable.value < 1.0
    assert probable.check(X)


def test_blocks_of_rows_multiply_like_the_matrix() -> None:
    rng = np.random.default_rng(0)
    A, V = rng.normal(size=(1500, 1500)), rng.normal(size=(1500, 3))
    assert_array_equal(Product(A, 1)(V), Product(A, 3)(V))
    assert_allclose(Product(A, 2)(V), A @ V, atol=1e-10)


@pytest.mark.parametrize("method", ["kmeans", "discretize", "cluster_qr"])
def test_components_are_divided_one_by_one(method: str) -> None:
    rng = np.random.default_rng(0)
    groups = [rng.normal(size=(20, 2)) + middle for middle in ([0, 0], [6, 0], [1000, 0])]
    X, truth = np.concatenate(groups), np.repeat([0, 1, 2], 20)
    three = SpectralClustering(3, gamma=0.2, assign_labels=method, random_state=0).fit(X)
    assert len(set(zip(truth.tolist(), three.labels_.tolist(), strict=True))) == 3
    assert three.report_[QUANTITY].check(X)
    assert_array_equal(three.predict(X), three.labels_)
    assert three.predict([[1000.0, 5.0]]) == three.labels_[-1]
    two = SpectralClustering(2, gamma=0.2, assign_labels=method, random_state=0).fit(X)
    assert two.normalized_cut_ == 0.0
    assert two.report_[QUANTITY].value == 0.0
    assert_array_equal(two.labels_ == two.labels_[0], truth < 2)
    assert_array_equal(two.predict(X + 0.1), two.labels_)


def test_rows_without_affinity_stand_alone() -> None:
    A = np.zeros((5, 5))
    A[:2, :2] = A[2:4, 2:4] = 1.0
    model = SpectralClustering(3, affinity="precomputed", random_state=0).fit(A)
    assert len(set(model.labels_.tolist())) == 3
    assert model.predict([[0.0, 0, 0, 0, 0], [0, 0, 1, 0, 0]]).tolist() == [-1, model.labels_[2]]
    assert sorted(spectral_clustering(A, n_clusters=2).tolist()) in ([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])


def test_new_rows_join_their_moon() -> None:
    X, y = make_moons(300, noise=0.05, random_state=0)
    new, truth = make_moons(200, noise=0.05, random_state=1)
    for options in ({"gamma": 30.0}, {"affinity": "nearest_neighbors", "n_neighbors": 12}):
        for method in ("kmeans", "discretize", "cluster_qr"):
            model = SpectralClustering(2, assign_labels=method, random_state=0, **options).fit(X)
            same = model.labels_[np.argmax(y)] == 1
            assert np.mean(model.predict(new) == (truth if same else 1 - truth)) > 0.99
    far = SpectralClustering(2, gamma=30.0, random_state=0).fit(X)
    assert far.predict([[0.0, 100.0]])[0] >= 0


def test_given_graphs_predict_from_given_columns() -> None:
    X, _ = make_moons(100, noise=0.05, random_state=0)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    given = SpectralClustering(2, affinity="precomputed_nearest_neighbors", random_state=0).fit(D)
    rows = SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit(X)
    assert_array_equal(given.labels_, rows.labels_)
    assert_array_equal(given.predict(D[:7]), rows.predict(X[:7]))
    assert given.report_[QUANTITY].check(D)


def test_a_wrong_certificate_is_refused() -> None:
    X, _ = make_moons(120, noise=0.1, random_state=0)
    model = SpectralClustering(3, gamma=10.0, random_state=0).fit(X)
    good = model.report_[QUANTITY]
    with pytest.raises(CertificateError, match="normalized cut is"):
        good.check(X * 1.5)
    with pytest.raises(CertificateError, match="rows"):
        good.check(X[:-1])
    raised = {**good.witness, "values": [value + 0.05 for value in good.witness["values"]]}
    with pytest.raises(CertificateError):
        dataclasses.replace(good, witness=raised).check()
    from certus.cluster.evidence.cut_certificate import EXACT, _record

    with pytest.raises(CertificateError, match="smallest eigenvalues"):
        _record(EXACT, good.inputs, raised).check(X)
    named = SpectralClustering(2, affinity=lambda a, b: float(a @ b) ** 2, random_state=0).fit(X)
    with pytest.raises(CertificateError, match="function"):
        named.report_[QUANTITY].check(X)


def test_what_cannot_be_divided_is_said() -> None:
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=8"):
        SpectralClustering().fit([[0.0], [1.0], [2.0]])
    with pytest.raises(ValueError, match="square"):
        SpectralClustering(2, affinity="precomputed").fit(np.ones((4, 3)))
    with pytest.raises(ValueError, match="sum to less than 0"):
        SpectralClustering(2, affinity="precomputed").fit(-np.ones((4, 4)))
    with pytest.raises(ValueError, match="n_neighbors must be at most"):
        SpectralClustering(2, affinity="nearest_neighbors").fit(np.ones((4, 3)))
    with pytest.warns(UserWarning, match="not symmetric"):
        SpectralClustering(2, affinity="precomputed").fit(np.triu(np.ones((4, 4))))
    with pytest.raises(ValueError, match="affinity must give a finite number for every two rows, got nan"):
        SpectralClustering(2, affinity=lambda a, b: np.nan).fit(np.eye(4))
    equal = SpectralClustering(1).fit(np.ones((5, 2)))
    assert (equal.labels_ == 0).all()
    mixed = np.array([[0.0, 2.0, -0.5], [2.0, 0.0, 1.0], [-0.5, 1.0, 0.0]])
    assert not SpectralClustering(2, affinity="precomputed", random_state=0).fit(mixed).report_


def test_far_rows_lose_no_digits() -> None:
    X, _ = make_moons(80, noise=0.05, random_state=0)
    near = SpectralClustering(2, gamma=10.0, random_state=0).fit(X)
    far = SpectralClustering(2, gamma=10.0, random_state=0).fit(X + 4e6)
    assert_array_equal(near.labels_, far.labels_)
    assert_allclose(near.affinity_matrix_, far.affinity_matrix_, atol=1e-6)
    assert cut_bound.rounding(80) < 1e-11


def test_too_many_rows_for_all_affinities_are_told_what_to_do() -> None:
    with pytest.raises(MemoryError, match=r"200000\.0 GB for 5000000 rows.\nHint: affinity=\"nearest_neighbors\""):
        SpectralClustering(2).fit(np.zeros((5_000_000, 1)))


def test_file_of_sparse_rows_is_loaded_and_one_with_a_missing_number_refused(tmp_path: Path) -> None:
    X = sparse.csr_matrix(np.random.default_rng(0).normal(size=(60, 3)))
    model = SpectralClustering(3, affinity="nearest_neighbors", random_state=0).fit(X)
    certus.save(model, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    model._fit_X.data[0] = np.nan
    certus.save(model, tmp_path / "model.certus")
    with pytest.raises(certus.CertusFileError, match="training rows"):
        certus.load(tmp_path / "model.certus")
