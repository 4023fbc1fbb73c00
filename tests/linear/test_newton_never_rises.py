"""Newton steps of every smooth learner on tables that trouble them: the objective never rises beyond rounding."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from certus.kernels import KernelLogistic
from certus.linear import (
    GammaRegressor,
    GroupLassoClassifier,
    HuberRegressor,
    LogisticRegression,
    PoissonRegressor,
    TweedieRegressor,
)
from certus.linear.design.design_matrix import make_design
from certus.linear.problems.smooth_problem import make_problem
from certus.linear.solvers.newton import CholeskySteps, _does_not_rise

CLASSIFIERS = [
    LogisticRegression(),
    LogisticRegression(C=1e6),
    LogisticRegression(C=np.inf, max_iter=30),
    LogisticRegression(C=1e6, solver="newton-cholesky"),
    KernelLogistic(kernel="linear", max_iter=30),
    KernelLogistic(C=1e6, max_iter=30),
    GroupLassoClassifier(alpha=1e-4, max_iter=30),
]
REGRESSORS = [
    PoissonRegressor(alpha=0.0),
    PoissonRegressor(alpha=1e-6),
    GammaRegressor(alpha=0.0),
    TweedieRegressor(power=1.5, alpha=0.0),
    TweedieRegressor(power=3.0, alpha=0.0),
    HuberRegressor(),
    HuberRegressor(alpha=0.0),
]


def tables() -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Tables of unpleasant scales, and the score that targets are made of."""
    rng = np.random.default_rng(1)
    plain = rng.normal(size=(90, 4))
    for X in (
        plain,
        1e9 * plain,
        1e-9 * plain,
        plain + 1e9,
        plain * [1e-8, 1.0, 1e4, 1e8],
        np.column_stack([plain, plain[:, 0] + 1e-9 * plain[:, 1]]),
        plain * np.abs(rng.standard_cauchy(plain.shape)),
        rng.normal(size=(30, 60)),
    ):
        yield X, plain[: len(X)] @ [1.0, -1.0, 0.5, 0.3]


def rises(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """The largest relative rise of the objective between two steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of too few steps, of separated classes
        history = np.asarray(model.fit(X, y).history_, dtype=float)
    return float((np.diff(history) / np.abs(history[:-1])).max(initial=0.0))


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: f"{type(model).__name__}-{model.get_params()}"[:60])
def test_labels(model: Any) -> None:
    for X, score in tables():
        rows = np.arange(len(X))
        targets = [score > 0.0, rows < 2, np.where(rows < 1, 2, score > 0.0)]  # separable, rare, a class of one row
        if isinstance(model, GroupLassoClassifier):
            targets.pop()  # several classes have a history each, one after the other
        for y in targets:
            assert rises(model, X, y) < 1e-12


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: f"{type(model).__name__}-{model.get_params()}"[:60])
def test_numbers(model: Any) -> None:
    for X, score in tables():
        y = np.exp(np.clip(3.0 * score, -8.0, 8.0))
        y[0] = 1e6
        assert rises(model, X, y) < 1e-12


def test_a_last_step_that_would_rise_is_not_taken() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    problem = make_problem(make_design(X, 1), y, None, classes=2, strength=1.0, fit_intercept=True)
    coef, center = problem.zero()
    steps = CholeskySteps(problem)
    at = steps.evaluate(coef, center)
    way, way_center = steps.step(at)
    for factor, accepted in ((1e-3, True), (1.0, True), (-1e3, False), (1e100, False)):
        moved = coef + factor * way, center + factor * way_center
        assert _does_not_rise(problem, at, moved) == accepted
