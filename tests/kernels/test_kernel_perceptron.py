"""The kernel perceptron against a plain loop; its variants, its mistake bound, lists of objects, saving."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

import certus
from certus import kernels as ck
from certus.guarantees import CertificateError
from certus.kernels import KernelPerceptron

RNG = np.random.default_rng(2)
X = RNG.standard_normal((70, 2))
LABELS = np.where(np.sin(2 * X[:, 0]) + X[:, 1] > 0, 1, -1)
NOISY = np.where(RNG.random(70) < 0.15, -LABELS, LABELS)
NEW = RNG.standard_normal((25, 2))


def plain(K, y, passes):
    """Coefficients, their average over all steps, the functions with their votes, and the number of mistakes."""
    c, total, steps, functions = np.zeros(len(y)), np.zeros(len(y)), 0, []
    for _ in range(passes):
        made = 0
        for i in range(len(y)):
            if y[i] * (K[i] @ c) <= 0:
                c = c.copy()
                c[i] += y[i]
                made += 1
                functions.append([c, 0])
            if functions:
                functions[-1][1] += 1
            total += c
            steps += 1
        if made == 0:
            break
    return c, total / steps, functions


@pytest.mark.parametrize("y", [LABELS, NOISY], ids=["separable", "noisy"])
@pytest.mark.parametrize("rows_at_once", [7, 512])
def test_it_is_the_plain_loop(y, rows_at_once, monkeypatch):
    monkeypatch.setattr("certus.kernels.kernel_perceptron.BLOCK", rows_at_once)
    kernel = ck.Gaussian(2.0)
    last, average, functions = plain(kernel.gram(X), y, 20)
    new = kernel.gram(NEW, X)
    options = {"kernel": kernel, "max_iter": 20}
    for limit in (4096, 0):
        monkeypatch.setattr("certus.kernels.kernel_perceptron.WHOLE", limit)
        batch = KernelPerceptron(**options).fit(X, y)
        np.testing.assert_allclose(batch.decision_function(NEW), new @ last, atol=1e-10)
        assert batch.mistakes_.tolist() == [len(functions)]
        averaged = KernelPerceptron(variant="averaged", **options).fit(X, y)
        np.testing.assert_allclose(averaged.decision_function(NEW), new @ average, atol=1e-10)
        voted = KernelPerceptron(variant="voted", **options).fit(X, y)
        votes = sum(count * np.sign(new @ c) for c, count in functions) / sum(count for _, count in functions)
        np.testing.assert_allclose(voted.decision_function(NEW), votes, atol=1e-12)


def test_linear_kernel_is_the_perceptron():
    y = np.where(X @ [1.0, -2.0] > 0.0, 1, -1)
    w = np.zeros(2)
    for _ in range(100):
        before = w
        for x, label in zip(X, y, strict=True):
            if label * (w @ x) <= 0:
                w = w + label * x
        if before is w:
            break
    model = KernelPerceptron(kernel="linear").fit(X, y)
    np.testing.assert_allclose(model.decision_function(NEW), NEW @ w, atol=1e-10)
    np.testing.assert_allclose(model.X_fit_.T @ model.dual_coef_, w, atol=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_the_bound_holds_in_every_order(seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((40, 2))
    y = rng.integers(0, 2 + seed % 2, 40)
    kernel = [ck.Gaussian(5.0), ck.Laplacian(3.0)][seed % 2]
    bounds, most = [], 0
    for order in range(6):
        model = KernelPerceptron(kernel=kernel, shuffle=True, random_state=order, max_iter=1000).fit(table, y)
        assert model.converged_
        assert model.report_["mistakes"].check()
        assert model.report_["mistakes"].check((kernel.gram(table), y))
        bounds.append(model.report_["mistakes"].value)
        most = max(most, int(model.mistakes_.sum()))
    assert most <= min(bounds)


def test_the_bound_of_the_quadratic_kernel_on_xor():
    corners, y = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]), np.array([-1, 1, 1, -1])
    model = KernelPerceptron(kernel=ck.Polynomial(2)).fit(corners, y)
    # f = -x1 x2 has the norm 1 / sqrt 2 and the margin 1; k(x, x) = 9, so that the bound is 9 / 2.
    assert model.report_["mistakes"].value == 4.0
    assert model.mistakes_.sum() <= 4


def test_changed_certificates_are_found_out():
    model = KernelPerceptron(gamma=2.0, max_iter=1000).fit(X, LABELS)
    bound = model.report_["mistakes"]
    K = ck.Gaussian(2.0).gram(X)
    wider = [1.01 * margin for margin in bound.witness["margins"]]
    with pytest.raises(CertificateError, match="nearer to the separator"):
        dataclasses.replace(bound, witness={**bound.witness, "margins": wider}, value=bound.value).check((K, LABELS))
    with pytest.raises(CertificateError, match="longer than the radius"):
        bound.check((2.0 * K, LABELS))


def test_nothing_is_promised_without_a_separator():
    assert not KernelPerceptron(kernel="linear", max_iter=5).fit(X, LABELS).report_
    indefinite = np.array([[-1.0, 0.0], [0.0, 1.0]])
    assert not KernelPerceptron(kernel="precomputed", max_iter=5).fit(indefinite, [0, 1]).report_


def test_several_classes_objects_sparse_and_given_values():
    classes = np.digitize(X[:, 0], [-0.5, 0.5])
    for variant in ("batch", "voted", "averaged"):
        model = KernelPerceptron(gamma=3.0, variant=variant).fit(X, classes)
        assert model.score(X, classes) > 0.95
        rows = KernelPerceptron(gamma=3.0, variant=variant).fit(sparse.csr_array(X), classes)
        np.testing.assert_array_equal(rows.predict(sparse.csr_array(NEW)), model.predict(NEW))
        given = KernelPerceptron(kernel="precomputed", variant=variant).fit(ck.Gaussian(3.0).gram(X), classes)
        np.testing.assert_array_equal(given.predict(ck.Gaussian(3.0).gram(NEW, X)), model.predict(NEW))
    shared = ck.FunctionKernel(lambda a, b: len(set(a) & set(b)))
    words = KernelPerceptron(kernel=shared).fit(["ab", "abc", "xy", "xyz"], [0, 0, 1, 1])
    assert words.predict(["bc", "yz"]).tolist() == [0, 1]


@pytest.mark.parametrize("variant", ["batch", "voted", "averaged"])
def test_saved_and_loaded(variant, tmp_path):
    model = KernelPerceptron(variant=variant).fit(X, NOISY)
    certus.save(model, tmp_path / "model.certus")
    loaded = certus.load(tmp_path / "model.certus")
    np.testing.assert_array_equal(loaded.decision_function(NEW), model.decision_function(NEW))


def test_averaging_and_voting_help_on_noise():
    rng = np.random.default_rng(0)
    table = rng.standard_normal((400, 2))
    truth = np.where(np.sin(2 * table[:, 0]) + table[:, 1] > 0, 1, -1)
    y = np.where(rng.random(400) < 0.1, -truth, truth)
    scores = {
        variant: KernelPerceptron(gamma=1.0, variant=variant, max_iter=10).fit(table[:300], y[:300])
        for variant in ("batch", "voted", "averaged")
    }
    correct = {variant: (model.predict(table) == truth).mean() for variant, model in scores.items()}
    assert min(correct["voted"], correct["averaged"]) > correct["batch"]
