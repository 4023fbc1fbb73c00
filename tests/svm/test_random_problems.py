"""Random problems of every machine: the gap is the difference of the objectives, weights are repeated rows, and the
form of the table and the order of its rows do not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from certus.svm import SVC, SVR, NuSVR, OneClassSVM
from certus.svm._native_calls import CONVERGED
from certus.svm.evidence.svm_duality import duality_gap
from certus.svm.solvers.verified_solution import solve
from tests.svm.test_optimality import OPTIONS, largest_failure, naive_kernel, random_problem

MACHINES = ("c-svc", "no bias", "nu-svc", "svr", "nu-svr", "one-class")
KERNELS = [(0, 0.0, 0.0, 0), (1, 0.5, 1.0, 3), (2, 0.7, 0.0, 0)]
seeds = st.integers(0, 2**32 - 1)


def few_or_thousands(few: int, many: int) -> Callable[[Any], Any]:
    """Run a property quickly by default, and on many more examples among the slow tests."""
    return pytest.mark.parametrize("examples", [few, pytest.param(many, marks=pytest.mark.slow)])


def for_all(strategy: Any, examples: int, check: Callable[..., None]) -> None:
    settings(max_examples=examples, deadline=None, derandomize=True, database=None)(given(strategy)(check))()


@few_or_thousands(40, 500)
@pytest.mark.parametrize("machine", MACHINES)
def test_the_gap_is_primal_minus_dual(machine: str, examples: int) -> None:
    def check(seed: int) -> None:
        rng = np.random.default_rng(seed)
        X, problems, start = random_problem(rng, machine)
        kernel = KERNELS[rng.integers(3)]
        solution = solve(X, kernel, problems, start, OPTIONS)
        gram = naive_kernel(X[problems.members], kernel)
        beta = solution.coefficients(0)
        slack = np.maximum(0.0, -solution.slopes(0))
        b, r = solution.middle[0], solution.margin[0]
        primal = 0.5 * beta @ gram @ beta + problems.upper @ slack
        dual = -0.5 * beta @ gram @ beta - problems.linear @ solution.alpha
        dual -= b * (problems.sign @ solution.alpha) - r * solution.alpha.sum()
        scale = 1.0 + np.abs(gram).max() * np.abs(beta).sum() + abs(primal)
        assert duality_gap(solution, 0) == pytest.approx(primal - dual, abs=1e-10 * scale)
        assert primal - dual >= -1e-10 * scale
        # Where the limit on steps came first, the solution says by how much the conditions fail.
        finished = solution.reasons[0] == CONVERGED
        allowed = 1e-6 if finished else float(solution.violation[0])
        assert largest_failure(problems, solution, gram) <= allowed + 1e-12 * scale
        assert primal - dual <= 1e-5 * scale or not finished
        unfinished.append(not finished)

    unfinished: list[bool] = []
    for_all(seeds, examples, check)
    assert np.mean(unfinished) < 0.02


def table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = int(rng.integers(6, 30))
    X = rng.normal(size=(rows, int(rng.integers(1, 4))))
    X = np.round(2.0 * X) / 2.0 if rng.random() < 0.4 else X
    codes = (X[:, 0] + rng.normal(size=rows) > 0).astype(int)
    codes[:2] = [0, 1]
    return X, codes, X.sum(axis=1) + rng.normal(size=rows)


def values(machine: Any, X: Any) -> np.ndarray:
    """What is unique at the optimum: the function without its intercept."""
    found = machine.decision_function(X) if hasattr(machine, "decision_function") else machine.predict(X)
    return np.asarray(found - found.mean())


@few_or_thousands(15, 120)
@pytest.mark.parametrize("learner", [SVC, SVR, NuSVR, OneClassSVM])
def test_weights_are_repeated_rows_and_order_and_form_do_not_matter(learner: type, examples: int) -> None:
    def check(seed: int) -> None:
        rng = np.random.default_rng(seed)
        X, codes, target = table(rng)
        y = codes if learner is SVC else target
        weights = rng.integers(0, 3, len(y)).astype(float)
        weights[:2] = 1.0
        params = {"kernel": ["linear", "rbf"][rng.integers(2)], "gamma": 0.5, "tol": 1e-8}
        weighted = values(learner(**params).fit(X, y, sample_weight=weights), X)
        repeated = np.repeat(np.arange(len(y)), weights.astype(int))
        order = rng.permutation(repeated)
        assert_allclose(values(learner(**params).fit(X[order], y[order]), X), weighted, atol=1e-5)
        thin = learner(**params).fit(sparse.csr_array(X), y, sample_weight=weights)
        assert_allclose(values(thin, sparse.csr_array(X)), weighted, atol=1e-5)

    for_all(seeds, examples, check)
