"""The one checker of gaps: for every convex loss and penalty its lower bounds hold, are sharp, and refuse forgeries."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.training import DUALITY, DualValue, GapEvidence, GapRule, kept_array, training_data
from certus.losses import (
    L1,
    L2,
    Absolute,
    ElasticNet,
    EpsilonInsensitive,
    Exponential,
    Gamma,
    GroupL2,
    Hinge,
    Huber,
    Logistic,
    ModifiedHuber,
    Multinomial,
    MultiTask,
    NoPenalty,
    Poisson,
    Quantile,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
    Tweedie,
)
from certus.losses.gap import (
    ConvexProblem,
    KernelNorm,
    Point,
    Positive,
    better_solution,
    check_dual_points,
    check_solution,
)

SMOOTH = [Squared(), Huber(1.0), Logistic(), SquaredHinge(), ModifiedHuber(), Poisson(), Gamma()]
SMOOTH += [SquaredEpsilonInsensitive(0.1), Exponential(), Multinomial()]
KINKS = [Hinge(), Absolute(), Quantile(0.3), EpsilonInsensitive(0.1)]
GROUPS = ((0, 1), (2, 3), (4,))
PENALTIES = [L2(3.0), L1(3.0), ElasticNet(2.0, 1.0), GroupL2(GROUPS, 3.0), Positive(L2(2.0)), NoPenalty()]
ROWS, COLUMNS = 50, 5


def problem_for(loss: Any, penalty: Any, *, intercept: bool = True, seed: int = 0) -> tuple[ConvexProblem, Point]:
    """A problem of weighted rows with a little noise, and the point 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, COLUMNS)) + 2.0
    signal = (X - 2.0) @ rng.normal(size=COLUMNS) + rng.normal(size=ROWS)
    s = rng.integers(0, 3, ROWS).astype(float)
    if isinstance(loss, Multinomial) and isinstance(penalty, GroupL2):
        pytest.skip("groups are those of the coefficients of one output")
    outputs = 3 if isinstance(loss, Multinomial) else 1
    y: Any = signal[:, None]
    if isinstance(loss, Multinomial):
        y = np.digitize(signal, [-1.0, 1.0])
    elif isinstance(loss, Logistic | SquaredHinge | Hinge | ModifiedHuber | Exponential):
        y = np.where(signal > 0.0, 1.0, -1.0)[:, None]
    elif isinstance(loss, Poisson | Gamma | Tweedie):
        y = np.exp(np.clip(0.5 * y, -2.0, 2.0))
    problem = ConvexProblem(X, y, s, loss, penalty, intercept=intercept)
    return problem, problem.point(np.zeros((outputs, COLUMNS)), np.zeros(outputs))


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda p: p.name)
@pytest.mark.parametrize("loss", [*SMOOTH, *KINKS], ids=lambda loss: loss.name)
def test_lower_bounds_hold_at_any_point(loss: Any, penalty: Any) -> None:
    problem, zero = problem_for(loss, penalty, intercept=isinstance(penalty, L1 | GroupL2 | NoPenalty))
    best = better_solution(problem, zero, 40)
    least = problem.value(best)
    assert least <= problem.value(zero)
    rng = np.random.default_rng(1)
    for size in (0.01, 0.5):
        W = np.abs(best.W + size * rng.normal(size=best.W.shape))
        for newton in (False, True):
            assert problem.lower_bound(Point(W, best.b), newton=newton) <= least + 1e-9 * (1.0 + abs(least))


@pytest.mark.parametrize("penalty", PENALTIES[:5], ids=lambda p: p.name)
@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
def test_lower_bounds_of_smooth_losses_are_sharp(loss: Any, penalty: Any) -> None:
    problem, zero = problem_for(loss, penalty)
    best = better_solution(problem, zero, 150)
    assert problem.value(best) - problem.lower_bound(best) <= 1e-4 * problem.value(zero)


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
def test_sharp_without_a_penalty(loss: Any) -> None:
    if isinstance(loss, SquaredHinge | ModifiedHuber | Exponential | SquaredEpsilonInsensitive | Huber):
        pytest.skip("the curvature jumps or vanishes: dual points need not follow from the scores")
    problem, zero = problem_for(loss, NoPenalty())
    best = better_solution(problem, zero, 150)
    assert problem.value(best) - problem.lower_bound(best) <= 1e-4 * problem.value(zero)


def test_a_conjugate_without_a_formula() -> None:
    problem, zero = problem_for(Tweedie(1.5), L2(3.0))
    best = better_solution(problem, zero, 20)
    lower = problem.lower_bound(best, newton=True)
    assert -1e-12 <= problem.value(best) - lower <= 1e-4 * problem.value(zero)


def test_several_targets_share_their_columns() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(ROWS, COLUMNS))
    Y = X[:, :1] @ rng.normal(size=(1, 3)) + 0.1 * rng.normal(size=(ROWS, 3))
    problem = ConvexProblem(X, Y, np.ones(ROWS), Squared(), MultiTask(5.0, 0.5), intercept=True)
    best = better_solution(problem, problem.point(np.zeros((3, COLUMNS)), np.zeros(3)), 500)
    assert (best.W[:, 1:] == 0.0).all()
    assert abs(problem.value(best) - problem.lower_bound(best)) <= 1e-9


def test_functions_of_a_kernel() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2))
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    y = np.sin(X[:, :1]) + 0.1 * rng.normal(size=(30, 1))
    problem = ConvexProblem(K, y, np.ones(30), Squared(), KernelNorm(K, 0.5))
    c = np.linalg.solve(K + 0.5 * np.eye(30), y[:, 0])
    exact = problem.point(c)
    assert abs(problem.value(exact) - problem.lower_bound(exact)) <= 1e-12
    found = better_solution(problem, problem.point(np.zeros(30)), 300)
    assert problem.value(exact) - 1e-12 <= problem.value(found) <= problem.value(exact) * (1.0 + 1e-6)


def _recompute(certificate: Certificate, gap: float, data: Any) -> None:
    X, y, weights = training_data(data)
    loss = Logistic() if certificate.inputs["loss"] == "logistic" else Squared()
    problem = ConvexProblem(X, y[:, None], weights, loss, GroupL2(GROUPS, 3.0), intercept=True)
    at = problem.point(kept_array(certificate, "coef"), kept_array(certificate, "intercept"))
    check_solution(certificate, gap, [(problem, at)])


GROUP_RULE = GapRule("gap-of-groups", {DUALITY: DualValue}, _recompute)


@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=lambda loss: loss.name)
def test_a_new_penalty_needs_a_rule_only(loss: Any) -> None:
    problem, zero = problem_for(loss, GroupL2(GROUPS, 3.0))
    best = better_solution(problem, zero, 2000)
    value = problem.value(best)
    evidence = GapEvidence(value, problem.value(zero), DualValue(problem.lower_bound(best), 1e-12))
    stored = {"coef": best.W[0], "intercept": float(best.b[0] - best.W[0] @ problem.mean)}
    certificate = GROUP_RULE.certificate(evidence, {"loss": loss.name}, stored)
    X, y, s = problem.X + problem.mean, problem.y[:, 0], problem.s
    assert certificate.check()
    assert certificate.check((X, y, s))
    assert evidence.gap <= 1e-6 * problem.value(zero)
    with pytest.raises(CertificateError, match="another solution is better"):
        certificate.check((X, -y, s))
    moved = {**certificate.witness, "coef": (0.9 * best.W[0]).astype(float).tolist()}
    with pytest.raises(CertificateError, match="another solution is better"):
        dataclasses.replace(certificate, witness=moved).check((X, y, s))
    lower = {**certificate.witness, "objective": 0.5 * value, "dual": 0.5 * value - evidence.gap}
    with pytest.raises(CertificateError, match="the objective on these data"):
        dataclasses.replace(certificate, witness=lower).check((X, y, s))


def test_stored_dual_points() -> None:
    problem, zero = problem_for(Hinge(), L2(3.0), intercept=False)
    everywhere = np.zeros((ROWS, 1))
    u = -0.25 * problem.y * np.linspace(0.0, 1.0, len(problem.s))[:, None]
    everywhere[problem.counted] = u
    gap = problem.value(zero) - problem.dual_value(u, zero)
    evidence = GapEvidence(problem.value(zero), problem.value(zero), DualValue(problem.dual_value(u, zero)))
    certificate = GROUP_RULE.certificate(evidence, {"loss": "hinge"}, {})
    check_dual_points(certificate, gap, [(problem, zero, everywhere)])
    with pytest.raises(CertificateError, match="the gap is"):
        check_dual_points(certificate, 0.9 * gap, [(problem, zero, everywhere)])
    with pytest.raises(CertificateError, match="not feasible"):
        check_dual_points(certificate, math.inf, [(problem, zero, -everywhere)])
    check_dual_points(certificate, gap, [(problem, zero, everywhere * (1.0 + 1e-16))])
