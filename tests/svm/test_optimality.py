"""Every solution is optimal: gap and conditions recomputed from the definition, on many random problems."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from certus.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from certus.svm._native_calls import Options, Problems
from certus.svm.solvers import dual_problems
from certus.svm.solvers.verified_solution import FINE_ROWS, Solution, solve

OPTIONS = Options(1e-6, 1e-9, -1, 200e6, 2)


def naive_kernel(X: np.ndarray, kernel: tuple[int, float, float, int]) -> np.ndarray:
    kind, gamma, coef0, degree = kernel
    products = X @ X.T
    if kind == 2:
        return np.array([[np.exp(-gamma * ((a - b) ** 2).sum()) for b in X] for a in X])
    return (gamma * products + coef0) ** degree if kind == 1 else products


def largest_failure(problems: Problems, solution: Solution, gram: np.ndarray) -> float:
    """By how much a feasible pair direction could still descend, from the definition."""
    signed = problems.sign * solution.alpha
    scores = gram @ signed.reshape(problems.copies, -1).sum(axis=0)
    v = -problems.sign * problems.linear - np.tile(scores, problems.copies)
    rises = np.where(problems.sign > 0, solution.alpha < problems.upper, solution.alpha > 0)
    falls = np.where(problems.sign > 0, solution.alpha > 0, solution.alpha < problems.upper)
    if problems.bias == 0:
        return max(v[rises].max(initial=0.0), -v[falls].min(initial=0.0))
    worst = 0.0
    for side in (1, -1):
        own = problems.sign == side if problems.bias == 2 else np.ones(len(v), dtype=bool)
        worst = max(worst, v[own & rises].max(initial=-np.inf) - v[own & falls].min(initial=np.inf))
    return worst


def random_problem(rng: np.random.Generator, machine: str) -> tuple[np.ndarray, Problems, np.ndarray]:
    rows, columns = int(rng.integers(4, 40)), int(rng.integers(1, 5))
    X = rng.normal(size=(rows, columns))
    if rng.random() < 0.4:
        X = X[rng.integers(0, rows, rows)]  # duplicates
    if rng.random() < 0.3:
        X = np.round(X)  # ties
    codes = rng.integers(0, 2, rows)
    codes[:2] = [0, 1]
    weights = rng.choice([0.5, 1.0, 3.0], rows)
    C = 10.0 ** rng.uniform(-2, 2)
    y = rng.normal(size=rows)
    if machine == "c-svc":
        return X, *dual_problems.c_classification(codes, C * weights, 2)
    if machine == "no bias":
        return X, *dual_problems.c_classification(codes, C * weights, 2, bias=False)
    if machine == "nu-svc":
        shares = np.bincount(codes, weights)
        nu = rng.uniform(0.05, 1.0) * 2 * shares.min() / shares.sum()
        return X, *dual_problems.nu_classification(codes, weights, 2, nu)
    if machine == "svr":
        return X, *dual_problems.epsilon_regression(y, C * weights, rng.choice([0.0, 0.1, 1.0]))
    if machine == "nu-svr":
        return X, *dual_problems.nu_regression(y, C * weights, rng.uniform(0.05, 1.0))
    return X, *dual_problems.one_class(weights, rng.uniform(0.05, 1.0))


@pytest.mark.parametrize("machine", ["c-svc", "no bias", "nu-svc", "svr", "nu-svr", "one-class"])
def test_conditions_hold_on_many_random_problems(machine: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(250):
        X, problems, start = random_problem(rng, machine)
        kernel = [(0, 0.0, 0.0, 0), (1, 0.5, 1.0, 3), (2, 0.7, 0.0, 0)][rng.integers(3)]
        solution = solve(X, kernel, problems, start, OPTIONS)
        order = problems.members
        gram = naive_kernel(X[order], kernel)
        scale = 1.0 + np.abs(gram).max() * np.abs(solution.coefficients(0)).sum()
        assert (solution.alpha >= 0).all()
        assert (solution.alpha <= problems.upper).all()
        if problems.bias:
            assert_allclose(problems.sign @ solution.alpha, problems.sign @ start, atol=1e-12 * scale)
        assert largest_failure(problems, solution, gram) <= 1e-6 + 1e-12 * scale


def blobs(rows: int = 120, classes: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, rows)
    return rng.normal(size=(rows, 4)) + 1.5 * np.eye(classes, 4)[codes], codes


def test_blocks_give_the_solution_of_pair_steps_on_everything() -> None:
    X, y = blobs(1500, 2)
    problems, start = dual_problems.c_classification(y, np.ones(len(y)), 2)
    options = replace(OPTIONS, cache_bytes=6e6)  # too little for the whole matrix
    solution = solve(X, (2, 0.3, 0.0, 0), problems, start, options)
    order = problems.members
    squares = ((X[order, None, :] - X[None, order, :]) ** 2).sum(axis=2)
    assert largest_failure(problems, solution, np.exp(-0.3 * squares)) < 1e-6


def test_single_precision_start_is_verified_in_double() -> None:
    X, y = blobs(FINE_ROWS + 1000, 2)
    machine = SVC(gamma=0.3, cache_size=6).fit(X, y)  # the whole matrix would need 11 MB
    few = SVC(gamma=0.3, cache_size=6, tol=1e-8).fit(X, y)
    assert machine.gap_ < 1.0
    assert_allclose(machine.decision_function(X[:200]), few.decision_function(X[:200]), atol=5e-3)
    assert few.gap_ < 1e-4


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("learner", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
def test_sparse_equals_dense(learner: type, kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certus.svm.machines.machine.DENSE_UP_TO", 0)  # the sparse kernels, not a dense copy
    X, y = blobs()
    X[np.abs(X) < 0.7] = 0.0
    params: dict[str, Any] = {"kernel": kernel, "gamma": 0.2, **({"nu": 0.5} if "Nu" in learner.__name__ else {})}
    dense, thin = learner(**params).fit(X, y), learner(**params).fit(sparse.csr_array(X), y)
    values = "decision_function" if hasattr(dense, "decision_function") else "predict"
    assert_allclose(getattr(thin, values)(sparse.csr_array(X)), getattr(dense, values)(X), atol=1e-6)


def test_gram_function_and_kernel_object_equal_the_named_kernel() -> None:
    class Gaussian:
        def gram(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
            return np.exp(-0.3 * ((np.asarray(X)[:, None] - np.asarray(Y)[None]) ** 2).sum(axis=2))

        def diag(self, X: np.ndarray) -> np.ndarray:
            return np.ones(len(X))

    X, y = blobs()
    named = SVC(gamma=0.3).fit(X, y).decision_function(X)
    gaussian = Gaussian()
    gram = gaussian.gram(X, X)
    assert_allclose(SVC(kernel=gaussian).fit(X, y).decision_function(X), named, atol=1e-7)
    assert_allclose(SVC(kernel=gaussian.gram).fit(X, y).decision_function(X), named, atol=1e-7)
    assert_allclose(SVC(kernel="precomputed").fit(gram, y).decision_function(gram), named, atol=1e-7)


def test_gap_tol_is_reached() -> None:
    X, y = blobs(400, 2)
    machine = SVC(gamma=0.3, tol=0.5, gap_tol=1e-10).fit(X, y)
    assert machine.gap_ <= 1e-10 * len(y)
