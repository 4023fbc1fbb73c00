"""Every method against the enumeration of all policies in rational arithmetic; mutated bounds fail."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from certus.guarantees import CertificateError
from certus.reinforce import Solution, bellman_bounds, policy_loss, solve
from certus.reinforce.evidence import residual_bounds
from tests.reinforce.oracle import INF, NoLimit, SmallProcess, random_process
from tests.reinforce.test_grid_world import METHODS

DISCOUNTS = (0.0, 0.5, 0.9, 0.999999, 1.0, 1.0)


def fraction(value: float) -> Fraction:
    return INF if value == np.inf else -INF if value == -np.inf else Fraction(float(value))


def small_process(seed: int) -> SmallProcess:
    discount = Fraction(DISCOUNTS[seed % len(DISCOUNTS)])
    return random_process(np.random.default_rng(seed), discount=discount)


def assert_true(process: SmallProcess, plan: Solution, optimum: list[Fraction]) -> None:
    mine = tuple(0 if s in process.fixed else process.actions[s].index(plan.policy[s]) for s in range(process.size))
    own = process.policy_values(mine)
    for state, best in enumerate(optimum):
        assert fraction(plan.lower[state]) <= best <= fraction(plan.upper[state])
        assert fraction(plan.lower[state]) <= own[state]
        if plan.certified_actions[state] and state not in process.fixed and abs(best) < INF:
            action = process.rewards[state][mine[state]] + process.discount * sum(
                share * optimum[t] for t, share in process.rows[state][mine[state]].items()
            )
            assert action == best


def check_seed(seed: int, methods: tuple[str, ...]) -> bool:
    process = small_process(seed)
    mdp = process.mdp(dense=seed % 2 == 0)
    try:
        optimum = process.optimum()
    except NoLimit:
        return False
    for method in methods:
        plan = solve(mdp, method, tol=1e-6)
        assert plan.converged
        assert_true(process, plan, optimum)
        assert plan.report.check(mdp)
        assert plan.report.check()
    return True


def test_methods_against_all_policies() -> None:
    assert sum(check_seed(seed, METHODS) for seed in range(150)) > 125


@pytest.mark.slow
def test_methods_against_all_policies_of_thousands_of_processes() -> None:
    found = sum(check_seed(seed, ("auto", METHODS[1 + seed % 6])) for seed in range(1000, 3500))
    assert found > 2000


def test_bounds_from_any_values_hold_the_optimum() -> None:
    checked = 0
    for seed in itertools.chain(*(range(start, 300, 6) for start in (0, 1, 2, 3))):  # discounts below 1
        process = small_process(seed)
        optimum = process.optimum()
        values = np.random.default_rng(seed).normal(scale=3.0, size=process.size)
        lower, upper = bellman_bounds(process.mdp(), values)
        assert all(fraction(a) <= u <= fraction(b) for a, u, b in zip(lower, optimum, upper, strict=True))
        checked += 1
    assert checked == 200


def violations(bounds_of: object) -> int:
    found = 0
    for seed in range(2, 900, 6):
        process = small_process(seed)
        optimum, mdp = process.optimum(), process.mdp()
        values = np.random.default_rng(seed).normal(scale=3.0, size=process.size)
        start = np.where(mdp.terminal, mdp.pairs.fixed, values)
        held = mdp.pairs.native(mdp.discount)
        found_bounds = bounds_of(mdp.pairs, held, mdp.discount, start)  # type: ignore[operator]
        ends = zip(found_bounds.lower, optimum, found_bounds.upper, strict=True)
        found += not all(fraction(a) <= u <= fraction(b) for a, u, b in ends)
    return found


def test_mutated_bounds_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = residual_bounds.shifts
    assert violations(residual_bounds.discounted_bounds) == 0

    def without_terminal_states(table, discount, swept):
        lower, upper = (discount * end / (1.0 - discount) for end in (swept.least, swept.most))
        return lower, upper, 0.0

    def one_power_less(table, discount, swept):
        lower, upper, error = honest(table, discount, swept)
        return lower * discount, upper * discount, error

    for mutant in (without_terminal_states, one_power_less):
        monkeypatch.setattr(residual_bounds, "shifts", mutant)
        assert violations(residual_bounds.discounted_bounds) > 0


def test_forged_certificates_are_refused() -> None:
    from dataclasses import replace

    for seed in (2, 4, 5, 10):
        process = small_process(seed)
        mdp = process.mdp()
        plan = solve(mdp)
        for certificate in plan.report:
            shifted = dict(certificate.witness)
            moved = [value + 1e-3 for value in shifted["lower"]]
            shifted["lower"], shifted["upper"] = moved, [value + 1e-3 for value in shifted["upper"]]
            with pytest.raises(CertificateError):
                replace(certificate, witness=shifted).check(mdp)
    narrow = solve(process.mdp()).report["loss of the policy"]
    with pytest.raises(CertificateError):
        replace(narrow, value=narrow.value / 2.0 - 1.0).check()


def test_loss_of_policies_against_enumeration() -> None:
    checked = 0
    for seed in range(300):
        process = small_process(seed)
        rng = np.random.default_rng(seed)
        try:
            optimum = process.optimum()
        except NoLimit:
            continue
        mine = tuple(int(rng.integers(max(1, len(rows)))) for rows in process.rows)
        own = process.policy_values(mine)
        if any(abs(value) == INF for value in [*own, *optimum]):
            continue
        mdp = process.mdp()
        policy = np.array([process.actions[s][k] if process.actions[s] else 0 for s, k in enumerate(mine)])
        certificate = policy_loss(mdp, policy)
        true = float(max(best - value for best, value in zip(optimum, own, strict=True)))
        scale = max(1.0, *(abs(float(value)) for value in [*own, *optimum]))
        assert true <= certificate.value <= true + 1e-6 * scale
        assert certificate.check(mdp)
        checked += 1
    assert checked > 150
