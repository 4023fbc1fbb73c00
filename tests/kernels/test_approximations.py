"""Approximate feature maps: against scikit-learn's, their certified errors, ways of choosing rows, frequencies."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_approximation import Nystroem as ScikitNystroem
from sklearn.kernel_approximation import RBFSampler as ScikitRBFSampler
from sklearn.pipeline import make_pipeline

import certus
from certus import kernels as ck
from certus.guarantees import CertificateError
from certus.kernels import Nystroem, RandomFourierFeatures, RBFSampler
from certus.linear import Ridge

RNG = np.random.default_rng(4)
X = RNG.standard_normal((120, 3))
NEW = RNG.standard_normal((30, 3))
ERROR = "error of the kernel matrix"


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian", "cosine", "sigmoid"])
def test_same_landmarks_and_inner_products_as_scikit_learn(kernel):
    ours = Nystroem(kernel, n_components=20, random_state=3).fit(X)
    theirs = ScikitNystroem(kernel, n_components=20, random_state=3).fit(X)
    np.testing.assert_array_equal(ours.component_indices_, theirs.component_indices_)
    F, G = ours.transform(NEW), theirs.transform(NEW)
    np.testing.assert_allclose(F @ F.T, G @ G.T, atol=1e-5 * np.abs(G @ G.T).max())


def test_same_draws_as_scikit_learn():
    for gamma in (0.3, "scale"):
        ours = RBFSampler(gamma=gamma, n_components=40, random_state=1).fit(X).transform(NEW)
        theirs = ScikitRBFSampler(gamma=gamma, n_components=40, random_state=1).fit(X).transform(NEW)
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    rows = RBFSampler(gamma="scale", random_state=1).fit(sparse.csr_array(X))
    assert rows._gamma == pytest.approx(1 / (3 * X.var()))


@pytest.mark.parametrize("sampling", ["uniform", "leverage", "cholesky"])
@pytest.mark.parametrize("seed", range(12))
def test_the_certified_error_holds(sampling, seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((int(rng.integers(2, 90)), int(rng.integers(1, 4)))) * 10.0 ** rng.integers(-2, 3)
    if seed % 4 == 0:
        table = np.repeat(table, 3, axis=0)
    kernel = [ck.Gaussian(0.5), ck.Polynomial(3), ck.Linear(), ck.Laplacian(1.0)][seed % 4]
    size = int(rng.integers(1, len(table) + 1))
    model = Nystroem(kernel, n_components=size, sampling=sampling, random_state=seed).fit(table)
    K, F = kernel.gram(table), model.transform(table)
    found = model.report_[ERROR]
    assert found.check()
    assert found.check((K, F))
    assert np.linalg.norm(K - F @ F.T, 2) <= found.value
    assert np.abs(K - F @ F.T).max() <= found.witness["entry"]
    single = Nystroem(kernel, n_components=size, sampling=sampling, random_state=seed).fit(table.astype(np.float32))
    values = single.transform(table.astype(np.float32))
    assert values.dtype == np.float32
    assert single.report_[ERROR].check((kernel.gram(table.astype(np.float32)), values))


def test_a_tight_bound_and_a_changed_one():
    model = Nystroem(gamma=0.2, n_components=40, random_state=0).fit(X)
    K, F = ck.Gaussian(0.2).gram(X), model.transform(X)
    found = model.report_[ERROR]
    true = np.linalg.svd(K - F @ F.T, compute_uv=False).sum()
    assert true <= found.value <= 1.01 * true + 1e-6
    with pytest.raises(CertificateError, match="error of the kernel matrix"):
        dataclasses.replace(found, value=found.value / 2).check()
    with pytest.raises(CertificateError, match="the trace norm is"):
        found.check((K, 1.1 * F))


def test_better_choices_of_rows_have_smaller_errors():
    """A cluster of many rows and some far away: uniform draws miss these."""
    rng = np.random.default_rng(0)
    table = np.vstack([0.1 * rng.standard_normal((400, 2)), rng.uniform(-10, 10, (30, 2))])
    errors = {}
    for sampling in ("uniform", "leverage", "cholesky"):
        found = [
            Nystroem(gamma=1.0, n_components=40, sampling=sampling, random_state=seed).fit(table).report_[ERROR].value
            for seed in range(5)
        ]
        errors[sampling] = np.mean(found)
    assert errors["leverage"] < 0.7 * errors["uniform"]
    assert errors["cholesky"] < 0.7 * errors["uniform"]


def test_pivoted_cholesky_stops_when_all_is_explained():
    table = RNG.standard_normal((50, 4))
    model = Nystroem("linear", n_components=30, sampling="cholesky").fit(table)
    assert len(model.component_indices_) == 4
    np.testing.assert_allclose(
        model.transform(NEW @ np.ones((3, 4))) @ model.transform(table).T, NEW @ np.ones((3, 4)) @ table.T, atol=1e-9
    )
    assert model.get_feature_names_out().tolist() == [f"nystroem{i}" for i in range(4)]


def test_pivots_are_the_largest_diagonals_of_the_remainder():
    K = ck.Gaussian(0.5).gram(X)
    taken = []
    for _ in range(6):
        left = K - K[:, taken] @ np.linalg.pinv(K[np.ix_(taken, taken)]) @ K[taken] if taken else K
        taken.append(int(np.diagonal(left).argmax()))
    model = Nystroem(gamma=0.5, n_components=6, sampling="cholesky").fit(X)
    assert model.component_indices_.tolist() == taken


def test_given_values_objects_and_sparse_rows():
    K = ck.Gaussian(0.3).gram(X)
    for sampling in ("uniform", "leverage", "cholesky"):
        options = {"n_components": 25, "random_state": 0, "sampling": sampling}
        given = Nystroem("precomputed", **options).fit(K)
        rows = Nystroem(gamma=0.3, **options)
        np.testing.assert_allclose(given.transform(K), rows.fit_transform(X), atol=1e-7)
        assert given.report_[ERROR].check((K, given.transform(K)))
        thin = Nystroem(gamma=0.3, **options).fit(sparse.csr_array(X))
        np.testing.assert_allclose(thin.transform(sparse.csr_array(NEW)), rows.transform(NEW), atol=1e-6)
    shared = ck.FunctionKernel(lambda a, b: len(set(a) & set(b)))
    words = Nystroem(shared, n_components=3, random_state=0).fit(["ab", "bc", "xyz"])
    F = words.transform(["ab", "bc", "xyz"])
    np.testing.assert_allclose(F @ F.T, shared.gram(["ab", "bc", "xyz"]), atol=1e-9)
    assert not words.report_  # nobody knows that it is a kernel


def test_ridge_on_many_components_is_kernel_ridge():
    y = np.sin(X).sum(axis=1)
    exact = ck.KernelRidge(0.1, kernel="rbf", gamma=0.3).fit(X, y).predict(NEW)
    pipeline = make_pipeline(Nystroem(gamma=0.3, n_components=120, random_state=0), Ridge(0.1, fit_intercept=False))
    np.testing.assert_allclose(pipeline.fit(X, y).predict(NEW), exact, atol=1e-6)


KERNELS = [ck.Gaussian(0.4), ck.Laplacian(0.3), ck.Matern(1.5, 0.5), ck.Matern(1.5, 1.5), ck.Matern(0.8, 2.5)]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_frequencies_have_the_kernel_as_their_mean(kernel):
    F = RandomFourierFeatures(kernel, n_components=60_000, random_state=0).fit(X[:12]).transform(X[:12])
    K = kernel.gram(X[:12])
    assert F.shape == (12, 120_000)
    np.testing.assert_allclose(F @ F.T, K, atol=5 / np.sqrt(60_000))
    np.testing.assert_allclose(np.diagonal(F @ F.T), 1.0, atol=1e-12)


@pytest.mark.parametrize("kind", ["pairs", "offsets"])
def test_the_probable_error_holds_often_enough(kind):
    table, K = X[:25], ck.Gaussian(0.4).gram(X[:25])
    broken, draws = 0, 300
    for seed in range(draws):
        if kind == "pairs":
            model = RandomFourierFeatures(ck.Gaussian(0.4), n_components=30, random_state=seed).fit(table)
        else:
            model = RBFSampler(gamma=0.4, n_components=30, random_state=seed).fit(table)
        F = model.transform(table)
        broken += np.abs(F @ F.T - K).max() > model.report_["error of a kernel value"].value
    assert broken <= 0.05 * draws


def test_the_hoeffding_bound_by_hand():
    model = RandomFourierFeatures(n_components=200, random_state=0).fit(X)
    found = model.report_["error of a kernel value"]
    assert found.value == pytest.approx(np.sqrt(2 * np.log(2 * 7140 / 0.05) / 200), rel=1e-12)
    assert found.check((ck.Gaussian(1 / 3).gram(X), model.transform(X)))
    sampler = RBFSampler(n_components=200, random_state=0).fit(X)
    expected = np.sqrt(8 * np.log(2 * 7260 / 0.05) / 200)
    assert sampler.report_["error of a kernel value"].value == pytest.approx(expected, rel=1e-12)
    with pytest.raises(CertificateError, match="error of a kernel value"):
        dataclasses.replace(found, value=found.value / 2).check()


@pytest.mark.parametrize(
    "model",
    [
        Nystroem(n_components=10, random_state=0),
        Nystroem(ck.Polynomial(2), n_components=10, sampling="cholesky"),
        RandomFourierFeatures(ck.Matern(2.0, 1.5), random_state=0),
        RBFSampler(random_state=0),
    ],
)
def test_saved_and_loaded(model, tmp_path):
    model.fit(X)
    certus.save(model, tmp_path / "model.certus")
    loaded = certus.load(tmp_path / "model.certus")
    np.testing.assert_array_equal(loaded.transform(NEW), model.transform(NEW))
    assert loaded.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (Nystroem("precomputed"), "must be a square matrix"),
        (Nystroem("precomputed", gamma=1.0), "Don't pass gamma, coef0 or degree"),
        (Nystroem(sampling="best"), "'sampling' parameter of Nystroem"),
        (RandomFourierFeatures("matern"), "'kernel' parameter of RandomFourierFeatures"),
        (RandomFourierFeatures(n_components=0), "'n_components' parameter of RandomFourierFeatures"),
    ],
)
def test_refusals(model, text):
    with pytest.raises(ValueError, match=text):
        model.fit(X)
    with pytest.warns(UserWarning, match="n_components > n_samples"):
        Nystroem(n_components=200).fit(X)
