"""Kernel ridge regression: the optimum, its certificate, every kernel, lists of objects, saving."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge as ScikitKernelRidge

import certus
from certus import kernels as ck
from certus.guarantees import CertificateError
from certus.kernels import KernelRidge

RNG = np.random.default_rng(5)
X = RNG.random((60, 3))
Y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.1 * RNG.standard_normal(60)
NEW = RNG.random((20, 3))
NAMES = ["linear", "rbf", "poly", "polynomial", "sigmoid", "laplacian", "cosine"]


@pytest.mark.parametrize("kernel", NAMES)
@pytest.mark.parametrize("options", [{}, {"gamma": 0.7, "degree": 2, "coef0": 0.5}])
def test_names_mean_what_they_mean_in_scikit_learn(kernel, options):
    weights = RNG.random(60)
    ours = KernelRidge(kernel=kernel, **options).fit(X, Y, sample_weight=weights)
    theirs = ScikitKernelRidge(kernel=kernel, **options).fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(ours.predict(NEW), theirs.predict(NEW), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-6, atol=1e-8)


def test_further_forms_of_kernels():
    def overlap(x, z, power=1.0):
        return float(np.minimum(x, z).sum() ** power)

    theirs = ScikitKernelRidge(kernel=overlap, kernel_params={"power": 1.0}).fit(X, Y).predict(NEW)
    ours = KernelRidge(kernel=overlap, kernel_params={"power": 1.0}).fit(X, Y)
    np.testing.assert_allclose(ours.predict(NEW), theirs, rtol=1e-8)
    assert ours.report_  # a function that nobody proved valid, but its matrix is semidefinite
    np.testing.assert_allclose(KernelRidge(kernel=ck.Minimum()).fit(X, Y).predict(NEW), theirs, rtol=1e-8)
    fractional = KernelRidge(kernel="poly", degree=2.5).fit(X, Y).predict(NEW)
    np.testing.assert_allclose(fractional, ScikitKernelRidge(kernel="poly", degree=2.5).fit(X, Y).predict(NEW))
    chi2 = KernelRidge(kernel="chi2", gamma=0.5).fit(X, Y).predict(NEW)
    np.testing.assert_allclose(chi2, ScikitKernelRidge(kernel="chi2", gamma=0.5).fit(X, Y).predict(NEW), rtol=1e-8)
    with pytest.warns(UserWarning, match="Singular matrix"):  # it is not a kernel
        assert not KernelRidge(kernel="additive_chi2").fit(X, Y).report_
    flat = KernelRidge(kernel="rbf", gamma=0.0).fit(X, Y).predict(NEW)
    np.testing.assert_allclose(flat, np.full(20, Y.sum() / 61))


@pytest.mark.parametrize("seed", range(40))
def test_the_certificate_holds_on_random_problems(seed):
    rng = np.random.default_rng(seed)
    rows, targets = int(rng.integers(1, 60)), int(rng.integers(1, 4))
    table = rng.standard_normal((rows, int(rng.integers(1, 5))))
    if seed % 3 == 0:
        table = np.repeat(table, 2, axis=0)  # duplicates: a singular matrix of kernel values
    y = rng.standard_normal((len(table), targets)) * 10.0 ** rng.integers(-3, 4)
    weights = None if seed % 2 else rng.integers(0, 3, len(table)) + (np.arange(len(table)) == 0)
    alphas = 10.0 ** rng.uniform(-6, 2, targets)
    kernel = [ck.Gaussian(0.5), ck.Polynomial(2), ck.Laplacian(1.0), ck.Linear()][seed % 4]
    model = KernelRidge(alphas, kernel=kernel).fit(table, y, sample_weight=weights)
    K = kernel.gram(table)
    s = np.ones(len(table)) if weights is None else weights.astype(float)
    assert model.report_[0].check()
    assert model.report_[0].check((K, y, s))
    assert model.gap_ <= 1e-12 * np.sum(s[:, None] * y**2)
    moved = dataclasses.replace(
        model.report_[0], witness={**model.report_[0].witness, "coef": (model.dual_coef_ * 1.01 + 0.01).tolist()}
    )
    with pytest.raises(CertificateError, match="another solution is better"):
        moved.check((K, y, s))


def test_primal_and_dual_agree():
    model = KernelRidge(0.3, kernel=ck.Polynomial(2)).fit(X, Y)
    rows = ck.Polynomial(2).feature_map()(X)
    w = np.linalg.solve(rows.T @ rows + 0.3 * np.eye(rows.shape[1]), rows.T @ Y)
    np.testing.assert_allclose(model.predict(NEW), ck.Polynomial(2).feature_map()(NEW) @ w, rtol=1e-7)
    np.testing.assert_allclose(model.dual_coef_, (Y - model.predict(X)) / 0.3, rtol=1e-6, atol=1e-8)


def test_interpolation_with_the_minimum_kernel_is_piecewise_linear():
    places, values = np.array([1.0, 2.0, 4.0]), np.array([3.0, -1.0, 2.0])
    model = KernelRidge(0.0, kernel=ck.Minimum()).fit(places[:, None], values)
    at = np.array([0.0, 0.5, 1.5, 3.0, 4.0, 9.0])
    np.testing.assert_allclose(model.predict(at[:, None]), np.interp(at, [0, 1, 2, 4], [0, 3, -1, 2]), atol=1e-12)


def test_without_a_penalty_a_singular_matrix_gives_least_squares():
    with pytest.warns(UserWarning, match="Singular matrix"):
        model = KernelRidge(0.0).fit(X, Y)
    w = np.linalg.lstsq(X, Y, rcond=None)[0]
    np.testing.assert_allclose(model.predict(NEW), NEW @ w, rtol=1e-8)
    assert model.gap_ >= 0.0


def test_lists_of_objects():
    shared = ck.FunctionKernel(lambda a, b: len(set(a) & set(b)))
    model = KernelRidge(0.1, kernel=shared).fit(["ab", "bc", "xy"], [1.0, 2.0, 3.0])
    K = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 2.0]])
    c = np.linalg.solve(K + 0.1 * np.eye(3), [1.0, 2.0, 3.0])
    np.testing.assert_allclose(model.predict(["abc", "z"]), [2 * c[0] + 2 * c[1], 0.0])
    with pytest.raises(ValueError, match="3 objects in X and 2 targets"):
        model.fit(["ab", "bc", "xy"], [1.0, 2.0])


def test_no_certificate_where_there_is_no_minimum():
    indefinite = np.array([[0.0, 1.0], [1.0, 0.0]])
    model = KernelRidge(3.0, kernel="precomputed").fit(indefinite, [1.0, 2.0])
    assert not model.report_
    assert model.gap_ == np.inf
    with pytest.warns(ConvergenceWarning, match="not semidefinite"):
        KernelRidge(3.0, kernel="precomputed", gap_tol=0.1).fit(indefinite, [1.0, 2.0])
    assert KernelRidge(3.0, kernel="precomputed").fit(np.eye(2), [1.0, 2.0]).report_
    lopsided = 1e-9 * np.array([[1.0, 0.5], [0.0, 1.0]])
    assert not KernelRidge(3.0, kernel="precomputed").fit(lopsided, [1.0, 2.0]).report_


def test_an_impossible_gap_is_told():
    with pytest.warns(ConvergenceWarning, match="certified to be within"):
        KernelRidge(1.0, kernel="rbf", gap_tol=0.0).fit(X, Y)
    assert KernelRidge(1.0, kernel="rbf", gap_tol=1e-12).fit(X, Y).converged_


def test_sparse_and_float32_tables():
    dense = KernelRidge(kernel="rbf").fit(X, Y).predict(NEW)
    rows = KernelRidge(kernel="rbf").fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(rows.predict(sparse.csc_array(NEW)), dense, rtol=1e-8)
    np.testing.assert_allclose(KernelRidge(kernel="rbf").fit(X.astype(np.float32), Y).predict(NEW), dense, rtol=1e-4)


@pytest.mark.parametrize(
    "kernel", ["rbf", ck.Gaussian(0.5) + 2.0 * ck.Polynomial(2), ck.Linear(np.diag([1.0, 2.0, 3.0]))], ids=str
)
def test_saved_and_loaded(kernel, tmp_path):
    model = KernelRidge(kernel=kernel).fit(X, Y)
    certus.save(model, tmp_path / "model.certus")
    loaded = certus.load(tmp_path / "model.certus")
    np.testing.assert_array_equal(loaded.predict(NEW), model.predict(NEW))


@pytest.mark.parametrize(
    ("model", "data", "text"),
    [
        (KernelRidge(kernel="precomputed"), (X, Y), "must be a square matrix"),
        (KernelRidge(kernel="rfb"), (X, Y), "did you mean kernel='rbf'"),
        (KernelRidge([1.0, 2.0]), (X, Y), "one for each of the 1 targets"),
        (KernelRidge(-1.0), (X, Y), "'alpha' parameter of KernelRidge"),
        (KernelRidge(kernel=ck.Minimum()), (-X, Y), "kernel of numbers >= 0"),
    ],
)
def test_refusals(model, data, text):
    with pytest.raises(ValueError, match=text):
        model.fit(*data)


def test_too_many_rows_are_refused_with_the_memory_they_need(monkeypatch):
    def none_left(*_):
        raise MemoryError

    monkeypatch.setattr("certus.kernels._native_calls.gram", none_left)
    with pytest.raises(MemoryError, match=r"16 n\^2 bytes"):
        KernelRidge().fit(X, Y)
