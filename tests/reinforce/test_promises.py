"""Intervals for values without a model: simulated coverage, mutants, tightness, and what is refused."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from certus.guarantees import CertificateError
from certus.reinforce import (
    MDP,
    Episode,
    GridWorld,
    evaluate,
    model_interval,
    monte_carlo_values,
    off_policy_value,
    policy_value,
    rollout,
    solve,
    utility,
)
from certus.reinforce.evidence.importance_weights import doubly_robust, weighted
from certus.reinforce.evidence.nonnegative_means import nonnegative_lower

of_model = importlib.import_module("certus.reinforce.model_interval")  # the functions have these names as well
of_policy = importlib.import_module("certus.reinforce.off_policy_value")
HORIZON, RANGE = 4, (-1.0, 2.0)
TRANSITIONS = np.array([[[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0, 0, 1]], [[0.1, 0.7, 0.2], [0.5, 0.3, 0.2], [0, 0, 1.0]]])
REWARDS = np.array([[0.0, 1.0], [2.0, -1.0], [0.0, 0.0]])
PROCESS = MDP(TRANSITIONS, REWARDS, 0.9, terminal=[2], start=0)
BEHAVIOUR = np.array([[0.5, 0.5], [0.4, 0.6], [0.5, 0.5]])
TARGET = np.array([[0.2, 0.8], [0.9, 0.1], [0.5, 0.5]])


def finite_value(policy: np.ndarray) -> float:
    """The exact value over the horizon."""
    values = np.zeros(3)
    for _ in range(HORIZON):
        worth = REWARDS + 0.9 * np.einsum("ast,t->sa", TRANSITIONS, values)
        values = np.where(np.arange(3) == 2, 0.0, (policy * worth).sum(axis=1))
    return float(values[0])


TRUE = finite_value(TARGET)


def misses(runs: int, confidence: float, episodes: int = 120) -> int:
    everything = rollout(PROCESS, BEHAVIOUR, episodes=runs * episodes, horizon=HORIZON, random_state=0)
    found = 0
    for run in range(runs):
        mine = everything[run * episodes : (run + 1) * episodes]
        options = {"reward_range": RANGE, "horizon": HORIZON, "discount": 0.9, "confidence": confidence}
        low, high = off_policy_value(mine, TARGET, **options).value
        found += not low <= TRUE <= high
    return found


def test_off_policy_intervals_hold() -> None:
    assert misses(300, 0.8) <= 300 * 0.2


def test_mutated_off_policy_intervals_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_weights(*arguments):
        found = weighted(*arguments)
        return found._replace(weights=np.ones_like(found.weights))

    monkeypatch.setattr(of_policy, "weighted", without_weights)
    assert misses(60, 0.8) > 22
    monkeypatch.undo()
    monkeypatch.setattr(of_policy, "nonnegative_lower", lambda sums, level: float(sums.mean()))
    assert misses(60, 0.8) > 22


def test_lower_bounds_of_heavy_tails_hold_and_mutants_fail() -> None:
    rng = np.random.default_rng(0)
    draws = rng.pareto(1.5, size=(500, 100))  # mean 2, no variance
    level = np.log(1.0 / 0.1)
    assert sum(nonnegative_lower(row, level) > 2.0 for row in draws) <= 50
    assert sum(nonnegative_lower(row, level / 8.0) > 2.0 for row in draws) > 50


def test_tighter_than_hoeffding_and_not_narrower_than_the_truth_allows() -> None:
    episodes = rollout(PROCESS, BEHAVIOUR, episodes=2000, horizon=HORIZON, random_state=1)
    certificate = off_policy_value(episodes, TARGET, reward_range=RANGE, horizon=HORIZON, discount=0.9)
    low, high = certificate.value
    weights, rewards = weighted(episodes, TARGET, HORIZON)
    estimates = (weights * rewards * 0.9 ** np.arange(HORIZON)).sum(axis=1)
    largest = (TARGET / BEHAVIOUR).max() ** HORIZON * 3.0 * HORIZON
    hoeffding = 2.0 * largest * np.sqrt(np.log(2.0 / 0.05) / (2.0 * len(episodes)))
    rng = np.random.default_rng(0)
    means = [rng.choice(estimates, len(estimates)).mean() for _ in range(500)]
    bootstrap = np.quantile(means, 0.975) - np.quantile(means, 0.025)
    assert bootstrap < high - low < 0.1 * hoeffding
    assert high - low < 3.5 * bootstrap
    assert low < TRUE < high
    assert certificate.inputs["estimate"] == pytest.approx(TRUE, abs=0.1)


def test_doubly_robust_estimates_vary_less_than_weighted_ones() -> None:
    robust, plain = [], []
    for seed in range(40):
        episodes = rollout(PROCESS, BEHAVIOUR, episodes=200, horizon=HORIZON, random_state=seed)
        robust.append(doubly_robust(episodes, TARGET, 0.9, HORIZON))
        weights, rewards = weighted(episodes, TARGET, HORIZON)
        plain.append((weights * rewards * 0.9 ** np.arange(HORIZON)).sum(axis=1).mean())
    assert np.std(robust) < 0.8 * np.std(plain)
    assert np.mean(robust) == pytest.approx(TRUE, abs=0.05)


def test_certificates_of_values_are_checked() -> None:
    from dataclasses import replace

    episodes = rollout(PROCESS, BEHAVIOUR, episodes=200, horizon=HORIZON, random_state=3)
    for side in ("both", "lower", "upper"):
        options = {"reward_range": RANGE, "horizon": HORIZON, "discount": 0.9, "side": side}
        certificate = off_policy_value(episodes, TARGET, **options)
        assert certificate.check()
        assert certificate.check((episodes, TARGET))
        with pytest.raises(CertificateError):
            certificate.check((episodes[::-1][:-1], TARGET))
    with pytest.raises(CertificateError):
        replace(certificate, value=certificate.value - 0.2).check()


def test_on_policy_values() -> None:
    held = 0
    everything = rollout(PROCESS, TARGET, episodes=200 * 50, horizon=HORIZON, random_state=0)
    for run in range(200):
        mine = everything[run * 50 : (run + 1) * 50]
        options = {"reward_range": RANGE, "horizon": HORIZON, "discount": 0.9, "confidence": 0.8}
        low, high = policy_value(mine, **options).value
        held += low <= TRUE <= high
    assert held >= 160


def sampled_counts(rng: np.random.Generator, visits: int) -> np.ndarray:
    return np.array([[rng.multinomial(visits, TRANSITIONS[a, s]) for a in range(2)] for s in range(3)])


def test_intervals_from_counts_hold_and_shrink() -> None:
    rng = np.random.default_rng(0)
    mdp = MDP(TRANSITIONS, REWARDS, 0.8)
    optimum, policy = solve(mdp).values, np.array([1, 0, 0])
    own = evaluate(mdp, policy)
    widths = []
    for visits in (50, 5000):
        for _ in range(25):
            counts = sampled_counts(rng, visits)
            found = model_interval(counts, REWARDS, discount=0.8)
            assert (found.lower <= optimum).all()
            assert (optimum <= found.upper).all()
            given = model_interval(counts, REWARDS, discount=0.8, policy=policy)
            assert (given.lower <= own).all()
            assert (own <= given.upper).all()
            fixed = model_interval(counts, REWARDS, discount=0.8, design="fixed")
            assert (fixed.upper - fixed.lower <= found.upper - found.lower).all()
        widths.append((found.upper - found.lower).max())
        assert found.report.check()
    assert widths[1] < 0.3 * widths[0]


def test_mutated_radii_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    optimum = solve(MDP(TRANSITIONS, REWARDS, 0.8)).values
    honest = of_model.l1_radii
    monkeypatch.setattr(of_model, "l1_radii", lambda *given: honest(*given) / 20.0)
    found = [model_interval(sampled_counts(rng, 50), REWARDS, discount=0.8) for _ in range(40)]
    assert sum(not ((each.lower <= optimum) & (optimum <= each.upper)).all() for each in found) > 10


def test_l1_deviations_stay_within_the_radius_at_all_times() -> None:
    rng = np.random.default_rng(0)
    failures = 0
    for _ in range(200):
        draws = rng.choice(3, size=400, p=[0.5, 0.3, 0.2])
        n = np.arange(1, 401)
        shares = np.cumsum(np.eye(3)[draws], axis=0) / n[:, None]
        radii = of_model.l1_radii(n.astype(float), (3, 1, 3), 0.3 * 3, "adaptive")  # 3 pairs share the failure
        failures += bool((np.abs(shares - [0.5, 0.3, 0.2]).sum(axis=1) > radii).any())
    assert failures <= 200 * 0.3


def test_an_untried_pair_says_how_many_visits_would_help() -> None:
    counts = np.zeros((2, 2, 2))
    found = model_interval(counts, [0.0, 1.0], discount=0.9)
    certificate = found.report["widest interval of a value"]
    assert "would help" in certificate.why_vacuous()


def test_monte_carlo_utilities_agree_with_the_linear_system() -> None:
    world = GridWorld()
    policy = solve(world).policy
    episodes = rollout(world, policy, episodes=4000, horizon=500, random_state=0)
    found, visits = monte_carlo_values(episodes, world.n_states)
    often = visits > 1000
    assert often.sum() >= 5
    np.testing.assert_allclose(found[often], evaluate(world, policy)[often], atol=0.04)
    assert utility(episodes[0].rewards) == pytest.approx(sum(episodes[0].rewards))
    few = rollout(world, policy, episodes=10, horizon=500, random_state=0)
    assert all((a.states == b.states).all() for a, b in zip(few, episodes, strict=False))


def test_errors() -> None:
    options = {"reward_range": (0.0, 1.0), "horizon": 2}
    with pytest.raises(ValueError, match=r"probabilities must lie in \(0, 1\]; step 0 is 0"):
        Episode([0], [0], [1.0], [0.0])
    with pytest.raises(ValueError, match="as many states as actions"):
        Episode([0, 1], [0], [1.0], [0.5])
    with pytest.raises(ValueError, match=r"reward_range \[0, 1\]; episode 1, step 0 is 2"):
        off_policy_value([Episode([0], [0], [1], [0.5]), Episode([0], [0], [2], [0.5])], [0], **options)
    with pytest.raises(ValueError, match="episode 0 has 3 steps, more than the horizon 2"):
        policy_value([Episode([0] * 3, [0] * 3, [1] * 3, [1] * 3)], **options)
    with pytest.raises(ValueError, match="which the target policy"):
        off_policy_value([Episode([5], [0], [1], [0.5])], [0], **options)
    with pytest.raises(ValueError, match="counts must be whole numbers"):
        model_interval(np.full((2, 1, 2), 0.5), [0, 1], discount=0.9)
    with pytest.raises(ValueError, match=r"discount must lie in \[0, 1\)"):
        model_interval(np.ones((2, 1, 2)), [0, 1], discount=1.0)
