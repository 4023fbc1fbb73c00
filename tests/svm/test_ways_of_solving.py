"""All ways to a solution lead to the same one: shared matrices, caches of any size, any number of threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from certus.svm import SVC, SVR, NuSVC, OneClassSVM
from certus.svm._native_calls import ONE_SUM, Options, Problems
from certus.svm.evidence.decision_reach import decision_reaches
from certus.svm.evidence.kernel_rounding import KernelFacts
from certus.svm.evidence.svm_duality import duality_gap, duality_gaps
from certus.svm.evidence.svm_labels import decision_reach
from certus.svm.solvers import dual_problems
from certus.svm.solvers.verified_solution import Solution, solve

GAUSSIAN = (2, 0.3, 0.0, 0)
OPTIONS = Options(1e-6, 1e-6, -1, 200e6, 2)
LITTLE = 1e5  # bytes: kernel rows in single precision first, then in double


def blobs(rows: int, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, rows)
    return rng.normal(size=(rows, 4)) + 1.5 * np.eye(classes, 4)[codes], codes


def one_versus_rest(codes: np.ndarray, classes: int) -> tuple[Problems, np.ndarray]:
    rows = len(codes)
    sign = np.concatenate([np.where(codes == label, 1, -1) for label in range(classes)]).astype(np.int8)
    problems = Problems(
        ONE_SUM,
        1,
        np.tile(np.arange(rows, dtype=np.int32), classes),
        np.arange(classes + 1, dtype=np.int64) * rows,
        sign,
        np.full(rows * classes, -1.0),
        np.ones(rows * classes),
    )
    return problems, np.zeros(rows * classes)


def violations(X: np.ndarray, solution: Solution) -> float:
    """The largest violation of all problems, with kernel values from the definition."""
    problems, worst = solution.problems, 0.0
    for number in range(problems.count):
        rows, members = problems.rows(number), problems.members[problems.rows(number)]
        squares = ((X[members, None] - X[None, members]) ** 2).sum(axis=2)
        sign, alpha = problems.sign[rows], solution.alpha[rows]
        v = sign - np.exp(-GAUSSIAN[1] * squares) @ (sign * alpha)
        rises, falls = np.where(sign > 0, alpha < 1, alpha > 0), np.where(sign > 0, alpha > 0, alpha < 1)
        worst = max(worst, float(v[rises].max() - v[falls].min()))
    return worst


@pytest.mark.parametrize("cache_bytes", [200e6, LITTLE])
@pytest.mark.parametrize("way", ["pairs", "pairs apart", "one versus rest"])
def test_every_way_is_optimal_with_equal_bits_for_any_number_of_threads(way: str, cache_bytes: float) -> None:
    X, codes = blobs(500, 4)
    build = one_versus_rest if way == "one versus rest" else _pairs
    problems, start = build(codes, 4)
    if way == "pairs apart":
        problems = replace(problems, parts=None)
    options = replace(OPTIONS, cache_bytes=cache_bytes)
    solution = solve(X, GAUSSIAN, problems, start, options)
    assert violations(X, solution) <= 1e-6 + 1e-10
    for threads in (1, 3):
        again = solve(X, GAUSSIAN, problems, start, replace(options, threads=threads))
        assert_array_equal(again.alpha, solution.alpha)
        assert_array_equal(again.scores, solution.scores)


def _pairs(codes: np.ndarray, classes: int) -> tuple[Problems, np.ndarray]:
    return dual_problems.c_classification(codes, np.ones(len(codes)), classes)


def test_a_cache_of_any_size_gives_the_same_machine() -> None:
    X, y = blobs(900, 3)
    machines = [SVC(gamma=0.3, cache_size=size, tol=1e-6).fit(X, y) for size in (200, 1)]
    values = [machine.decision_function(X) for machine in machines]
    assert_allclose(values[0], values[1], atol=1e-4)


@pytest.mark.parametrize("learner", [SVC, NuSVC, SVR, OneClassSVM])
def test_setting_rows_aside_changes_the_way_and_not_the_end(learner: type) -> None:
    X, y = blobs(1_200, 2)
    parameters = {"nu": 0.3} if learner in (NuSVC, OneClassSVM) else {}
    tol = 1e-5 if learner is NuSVC else 1e-3  # there it counts before the margin is scaled to 1
    with_all, with_fewer = (
        learner(gamma=0.3, cache_size=0.5, tol=tol, shrinking=shrinking, **parameters).fit(X, y)
        for shrinking in (False, True)
    )
    values = []
    for machine in (with_all, with_fewer):
        assert machine.converged_
        assert machine.report_.check()
        values.append(machine.predict(X) if learner is SVR else machine.decision_function(X))
    assert_allclose(values[1], values[0], atol=0.01 * np.abs(values[0]).max())
    assert np.any(with_fewer.n_iter_ != with_all.n_iter_) or not np.array_equal(values[0], values[1])


def test_a_warm_start_needs_no_steps() -> None:
    X, codes = blobs(300, 3)
    problems, start = _pairs(codes, 3)
    first = solve(X, GAUSSIAN, problems, start, OPTIONS)
    again = solve(X, GAUSSIAN, problems, first.alpha, OPTIONS)
    assert again.steps.sum() == 0
    assert_array_equal(again.alpha, first.alpha)


def test_bounds_of_all_pairs_are_those_of_each_pair() -> None:
    X, codes = blobs(200, 3)
    problems, start = _pairs(codes, 3)
    solution = solve(X, GAUSSIAN, problems, start, replace(OPTIONS, tolerance=1e-3, fine_tolerance=1e-3))
    facts = KernelFacts.of(GAUSSIAN, X)
    together = decision_reaches(facts, solution)
    for number in range(problems.count):
        assert_allclose(together[problems.rows(number)], decision_reach(facts, solution, number), rtol=1e-9)
        assert_allclose(duality_gaps(solution)[number], duality_gap(solution, number), rtol=1e-9)


def test_limit_counts_pair_steps_in_every_way() -> None:
    X, y = blobs(600, 2)
    for size in (200, 1):
        with pytest.warns(ConvergenceWarning, match=r"terminated early \(max_iter=40\).*duality gap is"):
            machine = SVC(gamma=0.3, cache_size=size, max_iter=40).fit(X, y)
        assert_array_equal(machine.n_iter_, 40)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_unscaled_columns_end_with_the_honest_gap(kernel: str, recwarn: pytest.WarningsRecorder) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 10)) * np.logspace(-3, 6, 10)
    y = (X[:, 0] * 1e3 + X[:, 9] * 1e-6 + rng.normal(size=150) > 0).astype(int)
    machine = SVC(kernel=kernel, C=1e6).fit(X, y)
    assert machine.n_iter_[0] <= 3_000_000  # the solver's own limit, seconds of work
    assert np.isfinite(machine.decision_function(X)).all()
    if not machine.converged_:
        assert f"the duality gap is {machine.gap_:.3g}" in str(recwarn.pop(ConvergenceWarning).message)
    if kernel != "sigmoid":
        assert machine.report_["optimality gap"].value >= machine.gap_


def test_free_multipliers_are_not_a_hair_from_their_bounds() -> None:
    X, y = blobs(120, 3)
    X[np.abs(X) < 0.7] = 0.0
    problems, start = dual_problems.nu_classification(y, np.ones(120), 3, 0.5)
    alpha = solve(X, (0, 0.0, 0.0, 0), problems, start, replace(OPTIONS, fine_tolerance=1e-9)).alpha
    assert not ((alpha > 0) & (alpha < 1e-14)).any()
    assert not ((alpha < 1) & (alpha > 1 - 1e-15)).any()
    assert NuSVC(kernel="linear", nu=0.5).fit(X, y).converged_
