"""Blocks of the Hessian per class precondition Newton steps of several classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from certus.linear import LogisticRegression
from certus.linear.design.design_matrix import make_design
from certus.linear.problems.smooth_problem import SmoothProblem, make_problem
from certus.linear.solvers import newton
from certus.linear.solvers.class_blocks import ClassBlocks, worth_blocks
from certus.linear.solvers.class_hessian import exact_step


def labels_of_classes(rows: int, columns: int, classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns)) + rng.normal(size=columns)
    scores = X @ rng.normal(size=(columns, classes)) + rng.gumbel(size=(rows, classes))
    return X, scores.argmax(axis=1)


def problem_of(X: Any, y: Any, weights: Any, *, fit_intercept: bool) -> SmoothProblem:
    return make_problem(make_design(X, 1), y, weights, classes=5, strength=0.7, fit_intercept=fit_intercept)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_blocks_are_those_of_the_hessian(fit_intercept: bool, weighted: bool) -> None:
    """With all rows in the sample, inverse blocks undo the products with the Hessian inside one class."""
    X, y = labels_of_classes(60, 3, 5)
    weights = np.random.default_rng(1).random(60) + 0.5 if weighted else None
    problem = problem_of(X, y, weights, fit_intercept=fit_intercept)
    at = problem.evaluate(np.full((5, 3), 0.1) * np.arange(5)[:, None], np.zeros(5))
    infinite = np.full((5, 3), np.inf), np.full(5, np.inf)  # nothing is added to the diagonal
    inverse = ClassBlocks(problem).inverse(at.detail, *infinite)
    for k in range(5):
        coef, center = np.zeros((5, 3)), np.zeros(5)
        coef[k] = [1.0, -2.0, 0.5]
        center[k] = 3.0 if fit_intercept else 0.0
        image, image_center = problem.hessian_product(at.detail, coef, center)
        mine, mine_center = np.zeros((5, 3)), np.zeros(5)
        mine[k], mine_center[k] = image[k], image_center[k]
        back, back_center = inverse(mine, mine_center)
        np.testing.assert_allclose(back[k], coef[k], rtol=1e-9)
        if fit_intercept:
            assert back_center[k] == pytest.approx(3.0, rel=1e-9)


def test_fewer_products_reach_the_same_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = labels_of_classes(4000, 8, 12)
    products = []
    product = SmoothProblem.hessian_product

    def counted(self: SmoothProblem, *given: Any) -> Any:
        products[-1] += 1
        return product(self, *given)

    monkeypatch.setattr(SmoothProblem, "hessian_product", counted)
    products.append(0)
    model = LogisticRegression(gap_tol=1e-9).fit(X, y)
    monkeypatch.setattr(newton, "worth_blocks", lambda problem: False)
    products.append(0)
    plain = LogisticRegression(gap_tol=1e-9).fit(X, y)
    assert model.converged_
    assert plain.converged_
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-5)
    assert products[0] < 0.6 * products[1]


def test_samples_that_say_too_little_are_not_used() -> None:
    X, y = labels_of_classes(60, 3, 5)
    assert worth_blocks(problem_of(X, y, None, fit_intercept=True))
    assert not worth_blocks(problem_of(X[:30], y[:30], None, fit_intercept=True))
    wide = np.hstack([X] * 30)
    assert not worth_blocks(problem_of(wide, y, None, fit_intercept=True))


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_exact_steps_solve_the_newton_equations(fit_intercept: bool) -> None:
    X, y = labels_of_classes(60, 3, 5)
    problem = problem_of(X, y, np.random.default_rng(1).random(60) + 0.5, fit_intercept=fit_intercept)
    at = problem.evaluate(np.full((5, 3), 0.1) * np.arange(5)[:, None], np.zeros(5))
    step = exact_step(problem, at)
    assert step is not None
    image, image_center = problem.hessian_product(at.detail, *step)
    np.testing.assert_allclose(image, -at.gradient, atol=1e-9)
    np.testing.assert_allclose(image_center, -at.gradient_center, atol=1e-9)


def test_classes_that_columns_almost_tell_apart_take_few_steps() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 6))
    y = (X @ rng.normal(size=(6, 20)) + 0.3 * rng.normal(size=(400, 20))).argmax(axis=1)
    model = LogisticRegression(C=1e6).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-4 * 400 * np.log(20)
