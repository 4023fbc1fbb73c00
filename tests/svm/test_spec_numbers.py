"""Small problems whose solutions are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from certus.svm import SVC, SVR, OneClassSVM


def test_xor_with_the_quadratic_kernel() -> None:
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    machine = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=10.0).fit(X, [-1, 1, 1, -1])
    assert_allclose(np.abs(machine.dual_coef_), np.full((1, 4), 1 / 8), rtol=1e-12)
    rows = np.random.default_rng(0).normal(size=(20, 2))
    assert_allclose(machine.decision_function(rows), -rows[:, 0] * rows[:, 1], atol=1e-12)


def test_hard_margin_of_two_points() -> None:
    machine = SVC(kernel="linear", C=1e6).fit([[1.0, 1.0], [-1.0, -1.0]], [1, -1])
    assert_allclose(machine.dual_coef_, [[-0.25, 0.25]], rtol=1e-12)
    assert_allclose(machine.coef_, [[0.5, 0.5]], rtol=1e-12)
    assert_allclose(machine.intercept_, [0.0], atol=1e-12)


@pytest.mark.parametrize("C", [1e4, np.inf])
def test_hard_margin_of_six_points(C: float) -> None:
    X = [[1.0, 1.0], [2.0, 2.0], [2.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    machine = SVC(kernel="linear", C=C, tol=1e-10).fit(X, [1, 1, 1, -1, -1, -1])
    assert_allclose(machine.coef_, [[2.0, 2.0]], rtol=1e-7)
    assert_allclose(machine.intercept_, [-3.0], rtol=1e-7)
    assert_allclose(np.abs(machine.dual_coef_).sum() - 0.5 * (machine.coef_ @ machine.coef_.T), 4.0, rtol=1e-7)


def test_support_vectors_alone_give_the_same_machine() -> None:
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(-1, 1, (40, 3)), rng.normal(1, 1, (40, 3))])
    y = np.repeat([0, 1], 40)
    machine = SVC(gamma=0.3).fit(X, y)
    again = SVC(gamma=0.3).fit(X[machine.support_], y[machine.support_])
    assert_allclose(again.decision_function(X), machine.decision_function(X), atol=1e-7)


def test_regression_has_the_sign_of_its_data() -> None:
    X = np.array([[0.0], [1.0], [2.0]])
    machine = SVR(kernel="linear", C=1e4, epsilon=0.5).fit(X, 3.0 * X[:, 0])
    assert_allclose(machine.coef_, [[2.5]], rtol=1e-9)  # the flattest line within the tube
    assert_allclose(machine.predict(X), [0.5, 3.0, 5.5], rtol=1e-9)


def test_soft_margin_is_the_regularized_hinge_risk() -> None:
    rng = np.random.default_rng(2)
    X, C = rng.normal(size=(60, 2)), 0.7
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1)
    machine = SVC(kernel="linear", C=C).fit(X, y)

    def objective(w: np.ndarray, b: float) -> float:
        return 0.5 * float(w @ w) + C * float(np.maximum(0.0, 1.0 - y * (X @ w + b)).sum())

    w, b = machine.coef_[0], float(machine.intercept_[0])
    reached = objective(w, b)
    dual = np.abs(machine.dual_coef_).sum() - 0.5 * w @ w
    assert reached - dual <= machine.gap_ + 1e-9
    for _ in range(200):
        assert objective(w + 0.1 * rng.normal(size=2), b + 0.1 * rng.normal()) >= reached - machine.gap_ - 1e-12


def test_one_class_bounds_the_share_of_outliers() -> None:
    X = np.random.default_rng(3).normal(size=(300, 2))
    for nu in (0.05, 0.2, 0.5):
        machine = OneClassSVM(nu=nu, gamma=0.5).fit(X)
        assert (machine.predict(X) == -1).mean() <= nu
        assert len(machine.support_) / 300 >= nu
