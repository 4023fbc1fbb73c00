"""Kernel logistic regression and kernel machines with any loss: optimum, certificates, both forms, all input."""

import dataclasses
import warnings

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as ScikitLogisticRegression

import certus
from certus import kernels as ck
from certus.guarantees import CertificateError
from certus.kernels import KernelLogistic, KernelMachineClassifier, KernelMachineRegressor, KernelRidge
from certus.kernels.learning.function_spaces import primal_is_cheaper
from certus.kernels.solvers.machine_losses import MARGIN_LOSSES, RESIDUAL_LOSSES, residual_loss
from certus.losses import Huber, Multinomial

RNG = np.random.default_rng(7)
X = RNG.standard_normal((60, 3))
SIGNAL = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * RNG.standard_normal(60)
NEW = RNG.standard_normal((15, 3))
NUMBERS = {"delta": 0.7, "epsilon": 0.2, "quantile": 0.3}
KERNELS = [ck.Gaussian(0.4), ck.Polynomial(2), ck.Linear()]


def least(K, y, s, loss, alpha, start):
    """The objective at the start and after a general-purpose search that begins there."""

    def objective(c):
        scores = K @ c
        return float(s @ loss.value(y, scores)) + 0.5 * alpha * float(c @ scores)

    def gradient(c):
        return K @ (s * loss.derivative(y, K @ c) + alpha * c)

    found = optimize.minimize(objective, start, jac=gradient, method="L-BFGS-B", options={"maxiter": 2000})
    return objective(start), min(float(found.fun), objective(np.zeros(len(K))))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("classes", [2, 3])
def test_rounding_beyond_the_penalty_ends_with_an_honest_gap(kernel, classes):
    rng = np.random.default_rng(classes)
    table, y = rng.standard_normal((30, 4)), rng.integers(0, classes, 30)
    for offset, size in ((1e9, 1.0), (0.0, 1e12), (1e9, 1e12)):
        weights = np.full(30, size)
        model = KernelLogistic(kernel=kernel)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(table + offset, y, sample_weight=weights)
        assert np.isfinite(model.decision_function(table + offset)).all()
        assert model.report_.check((model._matrix(table + offset), y, weights))


@pytest.mark.parametrize("seed", range(30))
def test_no_solution_is_better_than_the_gap_allows(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 50))
    table = rng.standard_normal((rows, 2))
    if seed % 4 == 0:
        table = np.repeat(table, 2, axis=0)
    s = rng.integers(0, 3, len(table)) + (np.arange(len(table)) < 2).astype(float)
    kernel, alpha = KERNELS[seed % 3], float(10.0 ** rng.uniform(-3, 2))
    K = kernel.gram(table)
    labels = rng.permutation(len(table)) % 2
    numbers = rng.standard_normal(len(table)) * 3
    options = {"alpha": alpha, "kernel": kernel, "fit_intercept": False, "solver": ["dual", "auto"][seed % 2]}
    for name, loss in MARGIN_LOSSES.items():
        model = KernelMachineClassifier(name, **options).fit(table, labels, sample_weight=s)
        gap = model.report_["optimality gap"]
        assert gap.check((K, labels, s))
        own, other = least(K, 2.0 * labels - 1, s, loss(), alpha, np.array(gap.witness["dual"])[:, 0] * -s / alpha)
        assert model.gap_ <= 1e-8 * gap.witness["objective_at_zero"]
        assert gap.witness["objective"] <= other + model.gap_ + 1e-9 * abs(other)
        assert own >= gap.witness["objective"] - model.gap_ - 1e-9 * own
    for name in RESIDUAL_LOSSES:
        y = np.abs(numbers) if name == "poisson" else numbers
        model = KernelMachineRegressor(name, **NUMBERS, **options).fit(table, y, sample_weight=s)
        gap = model.report_["optimality gap"]
        assert gap.check((K, y, s))
        start = np.array(gap.witness["dual"])[:, 0] * -s / alpha
        _, other = least(K, y, s, residual_loss(name, **NUMBERS), alpha, start)
        assert gap.witness["objective"] <= other + model.gap_ + 1e-9 * abs(other)


@pytest.mark.parametrize("name", [*MARGIN_LOSSES, *RESIDUAL_LOSSES])
@pytest.mark.parametrize("intercept", [True, False])
def test_primal_and_dual_agree(name, intercept):
    labels, counts = SIGNAL > 0, np.floor(np.exp(SIGNAL))
    found = []
    for solver in ("primal", "dual"):
        options = {"kernel": ck.Polynomial(2), "solver": solver, "fit_intercept": intercept, "alpha": 0.5}
        if name in MARGIN_LOSSES:
            model = KernelMachineClassifier(name, **options).fit(X, labels)
            found.append(model.decision_function(NEW))
        if name in RESIDUAL_LOSSES:
            model = KernelMachineRegressor(name, **options).fit(X, counts if name == "poisson" else SIGNAL)
            found.append(model.predict(NEW))
        assert hasattr(model, "coef_") == (solver == "primal")
        assert hasattr(model, "X_fit_") == (solver == "dual")
    half = len(found) // 2
    for primal, dual in zip(found[:half], found[half:], strict=True):
        np.testing.assert_allclose(primal, dual, rtol=1e-4, atol=1e-5)


def test_the_cheaper_form_is_taken():
    assert primal_is_cheaper(1000, 5, 6)
    assert not primal_is_cheaper(50, 5, 600)
    assert not primal_is_cheaper(50, 5, None)
    assert hasattr(KernelLogistic(kernel="linear").fit(X, SIGNAL > 0), "coef_")
    assert hasattr(KernelLogistic(kernel="poly", degree=6).fit(X, SIGNAL > 0), "dual_coef_")
    assert hasattr(KernelLogistic(kernel="rbf").fit(X, SIGNAL > 0), "dual_coef_")


FINITE = [
    ck.Linear(),
    ck.Polynomial(2),
    ck.Polynomial(3, coef0=0.0),
    ck.AllSubsets(),
    ck.Anova(2),
    ck.Linear() + 2.0 * ck.Anova(2),
    ck.Linear() * ck.Polynomial(2),
    ck.Linear() ** 2,
    ck.Normalized(ck.Polynomial(2)),
    ck.Mapped(ck.Linear(), np.sin),
    ck.Weighted(ck.Linear(), lambda table: table[:, 0]),
    ck.Tensor(ck.Linear(), ck.Polynomial(2), columns=1),
    ck.Linear(np.diag([1.0, 2.0, 3.0])),
    ck.Constant(2.0),
]


@pytest.mark.parametrize("kernel", FINITE, ids=lambda kernel: type(kernel).__name__)
def test_feature_counts_are_those_of_the_maps(kernel):
    assert kernel.feature_count(X) == kernel.feature_map()(X).shape[1]


def test_infinite_feature_counts():
    for kernel in (ck.Gaussian(), ck.Gaussian() + ck.Linear(), ck.Gaussian() * ck.Linear(), -1.0 * ck.Linear()):
        assert kernel.feature_count(X) is None
    pairs = ck.FunctionKernel(lambda a, b: a * b, features=lambda a: [a])
    assert pairs.feature_count([2.0, 3.0]) == 1


@pytest.mark.parametrize("classes", [2, 4])
def test_linear_kernel_logistic_is_logistic_regression(classes):
    labels = np.digitize(SIGNAL, np.linspace(-1, 1, classes - 1)) if classes > 2 else (SIGNAL > 0).astype(int)
    weights = RNG.integers(1, 4, 60).astype(float)
    theirs = ScikitLogisticRegression(C=2.0, fit_intercept=False, tol=1e-12, max_iter=10_000)
    theirs.fit(X, labels, sample_weight=weights)
    for solver in ("primal", "dual"):
        ours = KernelLogistic(2.0, kernel="linear", fit_intercept=False, solver=solver)
        ours.fit(X, labels, sample_weight=weights)
        np.testing.assert_allclose(ours.predict_proba(NEW), theirs.predict_proba(NEW), atol=1e-7)
        assert ours.report_["optimality gap"].check((X @ X.T, labels, weights))


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
def test_multinomial_gradient_is_zero_and_labels_are_exact(C):
    labels = np.digitize(SIGNAL, [-0.5, 0.5])
    model = KernelLogistic(C, gamma=0.5, class_weight={0: 2.0, 1: 1.0, 2: 0.5}).fit(X, labels)
    K = ck.Gaussian(0.5).gram(X) + 1.0
    s = C * np.array([2.0, 1.0, 0.5])[labels]
    push = s[:, None] * Multinomial().derivative(labels, K @ model.dual_coef_)
    np.testing.assert_allclose(model.dual_coef_, -push, atol=1e-5 * C)
    np.testing.assert_allclose(model.decision_function(X), K @ model.dual_coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(NEW).sum(axis=1), 1.0)
    assert model.report_["labels of the exact optimum"].value == 60
    assert model.report_["optimality gap"].check((K - 1.0, labels))


def test_labels_near_the_border_are_not_promised():
    strict = KernelLogistic(gamma=0.5).fit(X, SIGNAL > 0)
    with pytest.warns(ConvergenceWarning, match="certified to be within"):
        loose = KernelLogistic(gamma=0.5, max_iter=1).fit(X, SIGNAL > 0)
    promised = loose.report_["labels of the exact optimum"].value
    agreeing = int((strict.predict(X) == loose.predict(X)).sum())
    assert promised <= agreeing
    assert promised < strict.report_["labels of the exact optimum"].value
    assert loose.gap_ >= loose.report_["optimality gap"].witness["objective"] - strict.history_[-1]


def test_xor_with_the_quadratic_kernel():
    corners, y = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]), np.array([-1, 1, 1, -1])
    options = {"alpha": 1e-4, "kernel": ck.Polynomial(2), "fit_intercept": False, "solver": "dual"}
    model = KernelMachineClassifier("hinge", **options).fit(corners, y)
    np.testing.assert_allclose(model.dual_coef_ * y, np.full(4, 1 / 8), atol=1e-7)
    np.testing.assert_allclose(model.decision_function(NEW[:, :2]), -NEW[:, 0] * NEW[:, 1], atol=1e-6)


def test_squared_loss_is_kernel_ridge():
    ridge = KernelRidge(0.3, kernel="rbf").fit(X, SIGNAL)
    machine = KernelMachineRegressor("squared", alpha=0.3, fit_intercept=False).fit(X, SIGNAL)
    np.testing.assert_allclose(machine.dual_coef_, ridge.dual_coef_, rtol=1e-6, atol=1e-9)
    mean_form = np.linalg.solve(ck.Gaussian(1 / 3).gram(X) + 60 * 0.01 / 2 * np.eye(60), SIGNAL)
    # The mean loss (y - f)^2 with the penalty (lambda / 2) |f|^2 is n lambda / 2 as alpha.
    same = KernelMachineRegressor("squared", alpha=60 * 0.01 / 2, fit_intercept=False).fit(X, SIGNAL)
    np.testing.assert_allclose(same.dual_coef_, mean_form, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", [*MARGIN_LOSSES, *RESIDUAL_LOSSES])
def test_representer_fixed_point(name):
    """Where the loss is differentiable, c = -l'(y, f) / alpha; elsewhere c is in the box of the dual problem."""
    if name in MARGIN_LOSSES:
        loss, y = MARGIN_LOSSES[name](), np.where(SIGNAL > 0, 1.0, -1.0)
        model = KernelMachineClassifier(name, alpha=0.5, fit_intercept=False).fit(X, y)
    else:
        loss, y = residual_loss(name, **NUMBERS), np.abs(SIGNAL)
        model = KernelMachineRegressor(name, alpha=0.5, fit_intercept=False, **NUMBERS).fit(X, y)
    scores = ck.Gaussian(1 / 3).gram(X) @ model.dual_coef_
    expected = -loss.derivative(y, scores) / 0.5
    if name in ("hinge", "absolute", "epsilon_insensitive", "quantile"):
        assert np.isfinite(loss.conjugate(y, -0.5 * model.dual_coef_)).all()
        kinks = np.abs(scores - y) < 1e-4 if name in ("absolute", "quantile") else np.ones(60, dtype=bool)
        np.testing.assert_allclose(model.dual_coef_[~kinks], expected[~kinks], atol=1e-4)
    else:
        np.testing.assert_allclose(model.dual_coef_, expected, atol=1e-5)


def test_quantiles_and_counts():
    flat, y = np.zeros((99, 1)), np.arange(99.0)
    model = KernelMachineRegressor("quantile", alpha=1e-6, quantile=0.9, kernel="linear").fit(flat, y)
    assert model.predict([[0.0]])[0] == pytest.approx(89.0, abs=0.5)
    counts = KernelMachineRegressor("poisson", alpha=1e-9, kernel="linear").fit(flat, y)
    assert counts.predict([[0.0]])[0] == pytest.approx(49.0, rel=1e-6)


def test_a_loss_of_ones_own():
    class Smooth:
        """log cosh of the residual."""

        name = "log-cosh"

        def value(self, y, f):
            r = np.abs(f - y)
            return r + np.log1p(np.exp(-2 * r)) - np.log(2)

        def derivative(self, y, f):
            return np.tanh(f - y)

        def conjugate(self, y, u):
            return u * y + 0.5 * ((1 + u) * np.log1p(u) + (1 - u) * np.log1p(-u))

    model = KernelMachineRegressor(Smooth(), alpha=0.1).fit(X, SIGNAL)
    assert model.converged_
    np.testing.assert_allclose(0.1 * model.dual_coef_, -np.tanh(model.predict(X) - SIGNAL), atol=1e-6)
    named = KernelMachineRegressor("huber", delta=0.4).fit(X, SIGNAL).predict(NEW)
    np.testing.assert_allclose(KernelMachineRegressor(Huber(0.4)).fit(X, SIGNAL).predict(NEW), named, atol=1e-7)
    with pytest.raises(CertificateError, match="loss of one's own"):
        model.report_["optimality gap"].check((np.eye(60), SIGNAL))


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "chi2", "precomputed", "callable"])
def test_forms_of_kernels_and_sparse_rows(kernel):
    table = np.abs(X)
    labels = np.digitize(SIGNAL, [-0.5, 0.5])

    def overlap(x, z):
        return float(np.minimum(x, z).sum())

    if kernel == "precomputed":
        K = ck.Gaussian(1 / 3).gram(table)
        model = KernelLogistic(kernel=kernel).fit(K, labels)
        other = KernelLogistic(kernel="rbf").fit(table, labels)
        np.testing.assert_allclose(model.predict_proba(K), other.predict_proba(table), atol=1e-9)
    elif kernel == "callable":
        model = KernelLogistic(kernel=overlap).fit(table, labels)
        other = KernelLogistic(kernel=ck.Minimum()).fit(table, labels)
        np.testing.assert_allclose(model.predict_proba(table), other.predict_proba(table), atol=1e-9)
    else:
        dense = KernelLogistic(kernel=kernel).fit(table, labels).predict_proba(table)
        if kernel == "chi2":
            return
        rows = KernelLogistic(kernel=kernel).fit(sparse.csr_array(table), labels)
        np.testing.assert_allclose(rows.predict_proba(sparse.csr_array(table)), dense, atol=1e-7)


def test_lists_of_objects():
    shared = ck.FunctionKernel(lambda a, b: len(set(a) & set(b)))
    words, y = ["ab", "abc", "xy", "xyz"], ["first", "first", "last", "last"]
    for model in (KernelLogistic(kernel=shared), KernelMachineClassifier("hinge", kernel=shared)):
        assert model.fit(words, y).predict(["bc", "yz"]).tolist() == ["first", "last"]
    numbers = KernelMachineRegressor("absolute", alpha=0.01, kernel=shared).fit(words, [1.0, 1.0, 5.0, 5.0])
    np.testing.assert_allclose(numbers.predict(["ab", "xy"]), [1.0, 5.0], atol=0.01)


@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_saved_and_loaded(solver, tmp_path):
    labels = np.digitize(SIGNAL, [-0.5, 0.5])
    for model in (
        KernelLogistic(kernel=ck.Polynomial(2), solver=solver),
        KernelMachineClassifier("hinge", kernel="poly", degree=2, solver=solver),
        KernelMachineRegressor("huber", kernel="linear", solver=solver),
    ):
        model.fit(X, labels)
        certus.save(model, tmp_path / "model.certus")
        loaded = certus.load(tmp_path / "model.certus")
        np.testing.assert_array_equal(loaded.predict(NEW), model.predict(NEW))
        assert loaded.report_ == model.report_


def test_a_certificate_that_was_changed_is_found_out():
    model = KernelMachineRegressor("absolute", fit_intercept=False).fit(X, SIGNAL)
    gap = model.report_["optimality gap"]
    K = ck.Gaussian(1 / 3).gram(X)
    assert gap.check((K, SIGNAL))
    lower = dataclasses.replace(gap, witness={**gap.witness, "objective": gap.witness["objective"] * 1.01})
    with pytest.raises(CertificateError, match="only show that the minimum"):
        lower.check((K, SIGNAL))
    smaller = dataclasses.replace(gap, value=gap.value / 10)
    with pytest.raises(CertificateError, match="optimality gap"):
        smaller.check()


@pytest.mark.parametrize(
    ("model", "y", "text"),
    [
        (KernelLogistic(kernel="sigmoid", gamma=3.0, coef0=-1.0), SIGNAL > 0, "not symmetric and positive semidef"),
        (KernelLogistic(kernel="precomputed"), SIGNAL > 0, "must be a square matrix"),
        (KernelLogistic(C=0.0), SIGNAL > 0, "'C' parameter of KernelLogistic"),
        (KernelLogistic(solver="primal"), SIGNAL > 0, "no finite feature map"),
        (KernelMachineClassifier("absolute"), SIGNAL > 0, "'loss' parameter of KernelMachineClassifier"),
        (KernelMachineRegressor("poisson"), SIGNAL, "the Poisson loss is for targets >= 0"),
        (KernelLogistic(), np.zeros(60), "only one class"),
    ],
)
def test_refusals(model, y, text):
    with pytest.raises(ValueError, match=text):
        model.fit(X, y)


@pytest.mark.parametrize("C", [1e-6, 1e12])
def test_extreme_strengths_end(C):
    assert KernelLogistic(C, gamma=0.5).fit(X, SIGNAL > 0).converged_
    equal = KernelLogistic().fit(np.ones((6, 2)), [0, 1, 1, 0, 1, 1])
    assert (equal.predict(np.ones((2, 2))) == 1).all()
