"""Policies that follow their gradient: the estimate is that of the exact gradient, and the report judges honestly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import certus
from certus.reinforce import MDP, Constant, GridWorld, OneHot, PolicyGradient, Polynomial, evaluate, policy_loss, solve

WORLD = GridWorld(discount=0.9)


def process() -> MDP:
    """Three states and an end; the last state lacks an action."""
    rng = np.random.default_rng(4)
    transitions = rng.dirichlet(np.ones(4), (2, 4))
    available = np.array([[True, True], [True, True], [True, False], [True, True]])
    rewards = rng.normal(size=(4, 2))
    return MDP(transitions, rewards, 0.7, terminal=[3], available=available, start=0, state_names=[0.0, 0.5, 1.0, 1.5])


def exact_gradient(mdp: MDP, table: Any) -> Any:
    """Of the value of the start by the weights at 0: central differences of exact values."""

    def value(weights: Any) -> float:
        scores = np.where(mdp.available, table @ weights.T, -np.inf)
        scores[3] = 0.0
        shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        return float(evaluate(mdp, shares)[0])

    gradient = np.zeros((mdp.n_actions, table.shape[1]))
    for place in np.ndindex(gradient.shape):
        step = np.zeros_like(gradient)
        step[place] = 1e-4
        gradient[place] = (value(step) - value(-step)) / 2e-4
    return gradient


@pytest.mark.parametrize("baseline", [True, False])
@pytest.mark.parametrize("features", [OneHot(4), Polynomial(0.0, 2.0, degree=1)])
def test_the_mean_of_the_steps_is_the_exact_gradient(baseline: bool, features: Any) -> None:
    mdp, step, episodes = process(), 1e-9, 100_000
    learner = PolicyGradient(features, 0.7, step=Constant(step), baseline=baseline, random_state=0)
    learner.fit(mdp, episodes=episodes)
    seen = np.arange(4) if isinstance(features, OneHot) else np.array(mdp.state_names)[:, None]
    wanted = exact_gradient(mdp, features.transform(seen))
    # One episode's step has a standard deviation below 2; four of them, for a mean of so many.
    assert_allclose(learner.weights_ / (step * episodes), wanted, atol=4 * 2.0 / np.sqrt(episodes))
    assert np.abs(wanted).max() > 0.1


def test_the_baseline_makes_steps_less_noisy() -> None:
    mdp = process()

    def spread(baseline: bool) -> float:
        found = []
        for seed in range(200):
            learner = PolicyGradient(OneHot(4), 0.7, step=Constant(1e-9), baseline=baseline, random_state=seed)
            found.append(learner.fit(mdp, episodes=50).weights_)
        return float(np.var(found, axis=0).sum())

    assert spread(True) < 0.9 * spread(False)


def test_what_is_cut_off_goes_on_and_what_ends_does_not() -> None:
    forever = MDP(np.ones((1, 1, 1)), [[1.0]], 0.5)
    learner = PolicyGradient(OneHot(1), 0.5, random_state=0).fit(forever, episodes=500, horizon=3)
    assert_allclose(learner.values_, 2.0, atol=1e-6)
    once = MDP(np.array([[[0.0, 1.0], [0.0, 1.0]]]), [[1.0], [0.0]], 0.5, terminal=[1], start=0)
    assert_allclose(PolicyGradient(OneHot(2), 0.5, random_state=0).fit(once, episodes=500).values_, [1.0, 0.0])


def test_it_learns_the_grid_and_the_report_is_the_exact_loss() -> None:
    learner = PolicyGradient(OneHot(11), 0.9, random_state=0).fit(WORLD, episodes=5000)
    loss = learner.report_["loss of the policy"]
    assert loss.value == policy_loss(WORLD, learner.policy_).value
    best, own = solve(WORLD).values, evaluate(WORLD, learner.policy_)
    assert_allclose(loss.value, (best - own).max(), atol=1e-8)
    assert loss.value < 0.1
    learner.report_.check(WORLD)
    assert_array_equal(learner.predict(np.arange(11)), learner.policy_)
    acting = ~WORLD.terminal
    assert_allclose(learner.predict_proba(np.arange(11))[acting].sum(axis=1), 1.0)


def test_actions_that_a_state_lacks_are_not_chosen() -> None:
    learner = PolicyGradient(OneHot(4), 0.7, random_state=0).fit(process(), episodes=200)
    assert_array_equal(learner.shares_[2], [1.0, 0.0])
    assert_array_equal(learner.shares_[3], [0.0, 0.0])
    assert learner.policy_[3] == -1


def test_equal_seeds_give_equal_bits_and_files_keep_all(tmp_path: Path) -> None:
    features = Polynomial([1, 1], [4, 3], degree=2)
    learner = PolicyGradient(features, 0.9, random_state=5).fit(WORLD, episodes=300)
    again = PolicyGradient(features, 0.9, random_state=5).fit(WORLD, episodes=300)
    assert_array_equal(learner.weights_, again.weights_)
    certus.save(learner, tmp_path / "model.certus")
    loaded = certus.load(tmp_path / "model.certus")
    assert_array_equal(loaded.predict_proba([[1, 1], [3, 2]]), learner.predict_proba([[1, 1], [3, 2]]))
    assert loaded.report_ == learner.report_


def test_errors() -> None:
    forever = MDP(np.ones((1, 1, 1)), [[1.0]], 0.5, state_names=[1.0])
    with pytest.raises(ValueError, match=r"step, baseline_step: the weights grew without bound"):
        PolicyGradient(Polynomial(0.0, 1.0, degree=3), 0.5, baseline_step=Constant(1.0)).fit(forever, episodes=50)
    with pytest.raises(ValueError, match="states must be whole numbers"):
        PolicyGradient(OneHot(11), random_state=0).fit(WORLD, episodes=2).predict([0.5])
    with pytest.raises(ValueError, match="environment must be an MDP or an environment of gymnasium, got str"):
        PolicyGradient(OneHot(11)).fit("world", episodes=2)
