"""What is said of arms after play holds at its confidence, at every look, whatever rule played."""

import math

import numpy as np
import pytest

from certus.guarantees import CertificateError
from certus.online import UCB1, EpsilonGreedy, stochastic_rewards
from certus.online.bandits.arm_intervals import PRIOR, arm_intervals, best_other, mixture_evidence, regret_of

MEANS = np.array([0.5, 0.55, 0.45])


def worst_evidence(make, runs, trials):
    """Per run the largest log evidence against a true mean, over arms and looks; intervals are where it is small."""
    rng, worst = np.random.default_rng(0), np.full(runs, -np.inf)
    for run in range(runs):
        model = make(run)
        model._ready()
        for part in np.split((rng.random((trials, 3)) < MEANS).astype(float), 8):
            model._run(part)
            seen = model.counts_ > 0
            evidence = mixture_evidence(model.sums_[seen], model.counts_[seen].astype(float), MEANS[seen], PRIOR)
            worst[run] = max(worst[run], evidence.max())
    return worst


@pytest.mark.parametrize("runs", [800, pytest.param(10_000, marks=pytest.mark.slow)])
def test_intervals_of_arms_hold_together_at_every_look(runs):
    """At a confidence of 1 - delta, with log(K/delta) to exceed; without the K, or at half of the level, they fail."""
    worst = worst_evidence(lambda seed: EpsilonGreedy(3, epsilon=0.3, random_state=seed), runs, 400)
    for delta in (0.1, 0.3):
        assert (worst >= math.log(3 / delta)).mean() <= delta
    assert (worst >= 0.4 * math.log(3 / 0.1)).mean() > 0.1  # a level too small by a constant is seen


@pytest.mark.parametrize("runs", [60, pytest.param(400, marks=pytest.mark.slow)])
def test_pseudo_regret_is_covered_by_its_certificate(runs):
    failed = wrongly = 0
    for seed in range(runs):
        model = UCB1(3, random_state=seed)
        model.run(stochastic_rewards(MEANS, 300, seed=seed))
        truth = float((model.counts_ * (MEANS.max() - MEANS)).sum())
        failed += truth > model.report(0.8)["pseudo-regret"].value
        wrongly += 1 in model.not_best(0.8)
    assert failed <= 0.2 * runs
    assert wrongly <= 0.2 * runs


def test_the_bound_is_not_much_above_the_truth():
    """After 20 000 rewards with gaps of 0.3 it is below a tenth of the trivial bound, and names the worse arms."""
    model = UCB1(3, random_state=0)
    model.run(stochastic_rewards([0.3, 0.6, 0.9], 20_000, seed=1))
    assert model.report()["pseudo-regret"].value < 0.1 * 20_000
    assert model.not_best() == [0, 1]
    assert model.not_best(0.999) == [0, 1]


def test_certificates_are_derived_again_and_refuse_other_rewards():
    rewards = stochastic_rewards(MEANS, 200, seed=3)
    model = UCB1(3)
    arms = model.run(rewards)
    found = model.report()["pseudo-regret"]
    pairs = [(int(arm), rewards[t, arm]) for t, arm in enumerate(arms)]
    assert found.check(pairs)
    with pytest.raises(CertificateError, match="do not give the sums"):
        found.check(pairs[:-1])
    from dataclasses import replace

    with pytest.raises(CertificateError, match="the second route gives"):
        replace(found, value=0.99 * found.value).check()


def test_intervals_and_their_sum_by_hand():
    counts, sums = np.array([50, 0, 100]), np.array([25.0, 0.0, 90.0])
    low, high = arm_intervals(counts, sums, 0.95)
    assert (low[1], high[1]) == (0.0, 1.0)
    assert low[0] < 0.5 < high[0] < low[2] < 0.9 < high[2]
    assert best_other(np.array([1.0, 3.0, 2.0])).tolist() == [3.0, 2.0, 3.0]
    assert best_other(np.array([1.0])).tolist() == [-np.inf]
    assert regret_of(counts, low, high) == pytest.approx(50 * (1 - low[0]) + 100 * (1 - low[2]))
    assert regret_of(np.array([9]), np.array([0.2]), np.array([0.8])) == 0.0
