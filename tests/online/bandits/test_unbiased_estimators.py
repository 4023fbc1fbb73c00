"""Estimators that are right on average, by enumeration; the value of policies; benches."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from certus.online import (
    LinUCB,
    bandit_policy_value,
    contextual_rewards,
    drifting_rewards,
    german_tank,
    importance_weighted,
)


def test_german_tank_is_unbiased():
    for n in (1, 5, 9):
        draws = range(1, n + 1)
        assert np.mean([german_tank([x]) for x in draws]) == pytest.approx(n)  # 2X - 1
        assert np.mean(list(draws)) == pytest.approx((n + 1) / 2)  # the likeliest n is too small
        for size in range(1, min(n, 3) + 1):
            found = [german_tank(list(drawn)) for drawn in itertools.combinations(draws, size)]
            assert np.mean(found) == pytest.approx(n)
    for bad in ([0], [1.5], [], [2, 2]):
        with pytest.raises(ValueError, match="numbers must be"):
            german_tank(bad)


def test_hallucinated_losses_by_enumeration():
    """E l^ = l, E l^2 = l_i^2/v_i, and E sum v_i l^_i^2 = sum l_i^2."""
    v, losses = np.array([0.5, 0.3, 0.2]), np.array([0.9, 0.4, 0.7])
    drawn = [importance_weighted(losses[arm], arm, v) for arm in range(3)]
    assert sum(p * found for p, found in zip(v, drawn, strict=True)) == pytest.approx(losses)
    squares = sum(p * found**2 for p, found in zip(v, drawn, strict=True))
    assert squares == pytest.approx(losses**2 / v)
    assert v @ squares == pytest.approx((losses**2).sum())
    with pytest.raises(ValueError, match="positive probability"):
        importance_weighted(0.5, 2, [0.5, 0.5, 0.0])


def logged(seed, rows):
    rng = np.random.default_rng(seed)
    chances = np.array([0.5, 0.3, 0.2])
    arms = rng.choice(3, rows, p=chances)
    means = np.array([0.2, 0.5, 0.9])
    rewards = (rng.random(rows) < means[arms]).astype(float)
    policy = np.array([0.1, 0.2, 0.7])
    return rewards, chances[arms], policy[arms], means[arms], float(policy @ means)


@pytest.mark.parametrize("method", ["ips", "snips", "dr"])
def test_intervals_cover_the_value_of_a_policy(method):
    missed = 0
    for seed in range(60):
        rewards, drawn, wanted, guess, value = logged(seed, 300)
        more = {"model": np.clip(guess + 0.1, 0, 1), "expected": np.full(300, 0.85)} if method == "dr" else {}
        if method == "dr":
            more["expected"] = np.full(300, float(np.array([0.1, 0.2, 0.7]) @ np.clip([0.3, 0.6, 1.0], 0, 1)))
        found = bandit_policy_value(rewards, drawn, wanted, method=method, least_propensity=0.2, confidence=0.9, **more)
        missed += not found.value[0] <= value <= found.value[1]
        assert found.guaranteed == (method != "snips")
    assert missed <= 12  # 6 are expected at most; 13 or more have a chance of 0.5%


def test_bad_logs_are_refused():
    rewards, drawn, wanted, *_ = logged(0, 20)
    with pytest.raises(ValueError, match="propensities of row 0"):
        bandit_policy_value(rewards, drawn * 0, wanted, least_propensity=0.2)
    with pytest.raises(ValueError, match="rewards of row"):
        bandit_policy_value(rewards + np.nan, drawn, wanted, least_propensity=0.2)
    with pytest.raises(ValueError, match="one number per row"):
        bandit_policy_value(rewards[1:], drawn, wanted, least_propensity=0.2)
    with pytest.raises(ValueError, match="needs model"):
        bandit_policy_value(rewards, drawn, wanted, method="dr", least_propensity=0.2)
    with pytest.raises(ValueError, match="least_propensity"):
        bandit_policy_value(rewards, drawn, wanted, least_propensity=0.0)


def test_sampled_means_of_drifting_arms_are_biased():
    """The mean over rounds in which an arm looked good is not its mean over all rounds."""
    table = drifting_rewards(2, 4000, step=0.03, seed=1)
    means = table.reshape(40, 100, 2).mean(axis=1)
    good = means[:-1, 0] > means[:-1, 1]
    assert abs(means[1:, 0][good].mean() - means[:, 0].mean()) > 0.05


def test_lin_ucb_finds_what_contexts_say():
    contexts, rewards = contextual_rewards(3, 4, 3000, seed=2)
    model = LinUCB(["a", "b", "c"], alpha=0.5)
    arms = model.run(contexts, rewards)
    paid = rewards[np.arange(3000), ["abc".index(arm) for arm in arms]].mean()
    assert paid > rewards.mean(axis=0).max() + 0.1
    inverse = np.linalg.inv(np.eye(4) + contexts[arms == "a"].T @ contexts[arms == "a"])
    assert model.roots_[0] @ model.roots_[0].T == pytest.approx(inverse, abs=1e-10)
    with pytest.raises(ValueError, match="context must have 4 numbers"):
        model.select([1.0])
    with pytest.raises(ValueError, match="no arm is called 'd'"):
        model.update("d", 1.0, contexts[0])
    with pytest.raises(ValueError, match="must be finite"):
        model.update("a", np.nan, contexts[0])


def _exact_choices(contexts, rewards, arms, alpha):
    """LinUCB in exact fractions (the root of the variance excepted), following the arms that were played."""
    width = contexts.shape[1]
    tables = [[[Fraction(int(i == j)) for j in range(width)] for i in range(width)] for _ in range(rewards.shape[1])]
    sums = [[Fraction(0)] * width for _ in tables]

    def solved(table, right):
        rows = [[*row, value] for row, value in zip(table, right, strict=True)]
        for at in range(width):
            pivot = rows[at][at]
            rows[at] = [value / pivot for value in rows[at]]
            for other in range(width):
                if other != at:
                    rows[other] = [a - rows[other][at] * b for a, b in zip(rows[other], rows[at], strict=True)]
        return [row[-1] for row in rows]

    margins = []
    for x, given, arm in zip(contexts, rewards, arms, strict=True):
        x = [Fraction(value) for value in x]
        scores = []
        for table, total in zip(tables, sums, strict=True):
            towards = solved(table, x)
            spread = sum(a * b for a, b in zip(x, towards, strict=True))
            mean = sum(a * b for a, b in zip(total, towards, strict=True))
            scores.append(float(mean) + alpha * math.sqrt(spread))
        margins.append((int(np.argmax(scores)), np.ptp(sorted(scores)[-2:])))
        for i in range(width):
            for j in range(width):
                tables[arm][i][j] += x[i] * x[j]
            sums[arm][i] += Fraction(float(given[arm])) * x[i]
    return margins


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
def test_lin_ucb_far_from_the_origin_chooses_as_exact_numbers_do(offset):
    rng = np.random.default_rng(3)
    contexts = rng.normal(size=(120, 2)) + offset
    rewards = (contexts - offset > 0).astype(float)
    arms = LinUCB(2).run(contexts, rewards)
    for arm, (best, margin) in zip(arms, _exact_choices(contexts, rewards, arms, 1.0), strict=True):
        assert arm == best or margin < 1e-5
    assert rewards[np.arange(120), arms][60:].mean() > 0.6
