"""Embeddings: classical scaling is exact where it can be, stress never rises, low eigenvectors solve their problem."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg, sparse
from scipy.spatial.distance import cdist

from certus.components import MDS, PCA, ClassicalMDS, SpectralEmbedding, smacof, spectral_embedding
from certus.geometry import pairwise_distances


def test_classical_scaling_recovers_euclidean_places() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3)) + 5.0
    model = ClassicalMDS(3).fit(X)
    assert_allclose(cdist(model.embedding_, model.embedding_), cdist(X, X), atol=1e-10)
    assert_allclose(np.abs(model.embedding_), np.abs(PCA(3).fit_transform(X)), atol=1e-9)
    assert_allclose(model.transform(X), model.embedding_, atol=1e-9)
    new = np.random.default_rng(1).normal(size=(7, 3))
    assert_allclose(cdist(model.transform(new), model.embedding_), cdist(new, X), atol=1e-9)


def test_distances_of_a_kernel_give_its_principal_coordinates() -> None:
    X = np.random.default_rng(2).normal(size=(25, 4))
    kernel = np.exp(-0.3 * cdist(X, X) ** 2)
    squares = np.maximum(np.diag(kernel)[:, None] + np.diag(kernel) - 2 * kernel, 0.0)
    found = ClassicalMDS(3, metric="precomputed").fit(np.sqrt(squares))
    centering = np.eye(25) - 1 / 25
    values, vectors = linalg.eigh(centering @ kernel @ centering)
    assert_allclose(found.eigenvalues_, values[::-1][:3], rtol=1e-9)
    assert_allclose(np.abs(found.embedding_), np.abs(vectors[:, ::-1][:, :3] * np.sqrt(values[::-1][:3])), atol=1e-8)


def test_many_rows_are_solved_by_products() -> None:
    X = np.random.default_rng(3).normal(size=(900, 5)) * [5, 4, 3, 2, 1]
    assert_allclose(np.abs(ClassicalMDS(2).fit_transform(X)), np.abs(PCA(2).fit_transform(X)), atol=1e-7)


@pytest.mark.parametrize("metric", [True, False])
def test_stress_never_rises(metric: bool) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(rng.integers(4, 40), 5)).round(int(rng.integers(0, 3)))
        wanted = pairwise_distances(X, metric="manhattan")
        model = MDS(metric="precomputed", metric_mds=metric, eps=0.0, max_iter=40, init="random", random_state=seed)
        history = model.fit(wanted).history_
        assert (np.diff(history) <= 1e-10 * (1 + history[:-1])).all()
        distances = cdist(model.embedding_, model.embedding_)
        if metric:
            assert_allclose(model.stress_, 0.5 * ((distances - wanted) ** 2).sum(), rtol=1e-9)


def test_order_alone_recovers_a_monotone_transformation() -> None:
    X = np.random.default_rng(4).uniform(size=(40, 2))
    wanted = cdist(X, X) ** 3
    model = MDS(metric="precomputed", metric_mds=False, max_iter=3000, eps=1e-12).fit(wanted)
    assert model.stress_ < 0.01
    found, true = cdist(model.embedding_, model.embedding_), cdist(X, X)
    assert np.corrcoef(found.ravel(), true.ravel())[0, 1] > 0.999
    with pytest.raises(AttributeError, match="transform"):
        model.transform(wanted)


def test_new_rows_are_placed_where_their_stress_is_least() -> None:
    X = np.random.default_rng(5).normal(size=(30, 4))
    model = MDS().fit(X)
    new = np.random.default_rng(6).normal(size=(5, 4))
    places, wanted = model.transform(new), cdist(new, X)

    def stress(rows: np.ndarray) -> np.ndarray:
        return ((cdist(rows, model.embedding_) - wanted) ** 2).sum(axis=1)

    for step in np.random.default_rng(7).normal(size=(50, 5, 2)) * 0.01:
        assert (stress(places) <= stress(places + step) + 1e-9).all()
    exact = MDS(4).fit(X)  # places with the distances themselves
    assert_allclose(cdist(exact.transform(new), exact.embedding_), wanted, atol=1e-5)


def test_smacof_returns_the_best_start() -> None:
    wanted = cdist(*[np.random.default_rng(8).normal(size=(15, 3))] * 2)
    _, one = smacof(wanted, random_state=0)
    _, best, steps = smacof(wanted, n_init=5, random_state=0, return_n_iter=True)
    assert best <= one
    assert steps >= 1
    assert smacof(wanted, random_state=0, normalized_stress=True)[1] < 1.0


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("rows", [40, 620])
def test_low_eigenvectors_solve_their_problem(normalized: bool, rows: int) -> None:
    X = np.random.default_rng(9).normal(size=(rows, 2))
    A = np.exp(-(cdist(X, X) ** 2))
    np.fill_diagonal(A, 0.0)
    D = np.diag(A.sum(axis=1))
    metric = D if normalized else np.eye(rows)
    values = linalg.eigh(D - A, metric, eigvals_only=True, subset_by_index=[0, 3])
    places = spectral_embedding(A, n_components=3, norm_laplacian=normalized)
    lengths = np.diag(places.T @ metric @ places)
    assert_allclose(places.T @ metric @ places, np.diag(lengths), atol=1e-7)
    assert_allclose(np.diag(places.T @ (D - A) @ places) / lengths, values[1:], rtol=1e-6, atol=1e-9)
    again = spectral_embedding(sparse.csr_matrix(A), n_components=3, norm_laplacian=normalized)
    assert_allclose(again, places, atol=1e-6)
    # The quality of the picture: neighbors are near, and no other places of this length are nearer.
    cost = 0.5 * (A[:, :, None] * (places[:, None] - places) ** 2).sum()
    assert_allclose(cost, (values[1:] * lengths).sum(), rtol=1e-6)


def test_new_rows_of_a_kernel_are_near_their_like() -> None:
    rng = np.random.default_rng(10)
    X = np.concatenate([rng.normal(0, 1, (50, 2)), rng.normal(4, 1, (50, 2))])
    model = SpectralEmbedding(1, affinity="rbf", gamma=0.3).fit(X)
    first, second = model.transform([[0.0, 0.0], [4.0, 4.0]])[:, 0]
    halves = model.embedding_[:50, 0].mean(), model.embedding_[50:, 0].mean()
    assert abs(first - halves[0]) < abs(first - halves[1])
    assert abs(second - halves[1]) < abs(second - halves[0])


def test_separate_graphs_are_told() -> None:
    two = linalg.block_diag(np.ones((3, 3)), np.ones((4, 4)))
    with pytest.warns(UserWarning, match="not fully connected"):
        spectral_embedding(two, n_components=1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ClassicalMDS(metric="precomputed").fit([[0.0, -1.0], [-1.0, 0.0]]), "at least 0"),
        (lambda: MDS(metric="precomputed").fit([[0.0, 1.0], [2.0, 0.0]]), "symmetric"),
        (lambda: smacof([[0.0, 1.0], [1.0, 0.0]], init=[[0.0, 1.0]]), "init matrix"),
        (lambda: spectral_embedding([[0.0, -1.0], [-1.0, 0.0]], n_components=1), "negative"),
        (lambda: spectral_embedding(np.ones((3, 3)), n_components=3), "fewer components"),
        (lambda: MDS(eps=-1.0).fit([[0.0], [1.0]]), "eps"),
    ],
)
def test_refusals(call: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
