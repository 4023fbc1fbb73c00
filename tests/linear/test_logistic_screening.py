"""Gap-safe screening of L1 logistic regression never leaves out a column that the optimum uses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from certus.linear.design.design_matrix import SparseDesign
from certus.linear.problems.smooth_problem import SmoothProblem, make_problem
from certus.linear.solvers.proximal_newton import ProximalNewton


def sparse_problem(classes: int, *, weighted: bool, strength: float) -> SmoothProblem:
    rng = np.random.default_rng(classes)
    X = sparse.random_array((300, 400), density=0.05, rng=rng, format="csr", data_sampler=rng.standard_normal)
    scores = X[:, :20] @ rng.normal(size=(20, classes)) * 3.0 + rng.gumbel(size=(300, classes))
    weights = rng.integers(0, 4, 300).astype(float) if weighted else None
    design = SparseDesign(X, 1)
    return make_problem(design, scores.argmax(1), weights, classes=classes, strength=strength, fit_intercept=True)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("strength", [0.0, 0.3])
def test_columns_of_the_optimum_stay(classes: int, weighted: bool, strength: float) -> None:
    problem = sparse_problem(classes, weighted=weighted, strength=strength)
    l1 = 1.5
    screened = ProximalNewton(problem, l1)
    left: list[Any] = []

    def watch(coef: Any, center: Any, facts: dict[str, float]) -> bool:
        del coef, center, facts
        left.append(screened._usable.copy())
        return False

    result = screened.minimize(problem.zero(), max_iter=200, gap_limit=1e-9, watch=watch)
    plain = ProximalNewton(problem, l1)
    plain._screen = lambda *given, **named: None  # type: ignore[method-assign]
    exact = plain.minimize(problem.zero(), max_iter=500, gap_limit=1e-10, watch=lambda *_: False)
    assert result.converged
    used = (np.abs(exact.coef) > 1e-6).any(axis=0)
    for usable in left:
        assert usable[used].all()
    assert left[-1].sum() < 0.6 * problem.design.columns  # and it says something
    # One number added to a column of all classes may change nothing, so several classes are compared up to that.
    shift = 1.0 if classes > 2 else 0.0
    centered = [coef - shift * coef.mean(axis=0) for coef in (result.coef, exact.coef)]
    np.testing.assert_allclose(*centered, atol=2e-4)
