"""Environments of gymnasium: solved by their tables, learned step by step, wrapped or not."""

from __future__ import annotations

import time

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from certus.reinforce import (  # noqa: E402  without gymnasium nothing below is asked
    MDP,
    SARSA,
    ADPAgent,
    Constant,
    EpsilonGreedy,
    PassiveADP,
    PassiveTD,
    QLearning,
    evaluate,
    rollout,
    solve,
)


@pytest.fixture(scope="module", params=["FrozenLake-v1", "FrozenLake8x8-v1", "Taxi-v4", "CliffWalking-v1"])
def env(request: pytest.FixtureRequest):
    return gymnasium.make(request.param)


def test_tables_are_solved_and_checked(env) -> None:
    for discount in (1.0, 0.99):
        mdp = MDP.from_gymnasium(env, discount)
        plans = [solve(mdp, method) for method in ("auto", "value-iteration", "policy-iteration", "gauss-seidel")]
        for plan in plans:
            assert plan.converged
            assert plan.report.check(mdp)
            np.testing.assert_allclose(plan.values, plans[0].values, atol=1e-6)
        np.testing.assert_allclose(evaluate(mdp, plans[0].policy), plans[0].values, atol=1e-6)
    assert mdp.n_states == env.observation_space.n + 1


def test_known_optima() -> None:
    cliff = MDP.from_gymnasium(gymnasium.make("CliffWalking-v1"))
    assert solve(cliff).values[36] == pytest.approx(-13.0)
    lake = MDP.from_gymnasium(gymnasium.make("FrozenLake-v1"))
    assert solve(lake).values[0] == pytest.approx(14.0 / 17.0)
    wrapped = MDP.from_gymnasium(gymnasium.wrappers.TimeLimit(gymnasium.make("FrozenLake-v1"), 5))
    assert solve(wrapped).values[0] == pytest.approx(14.0 / 17.0)


def test_the_plan_earns_what_it_says() -> None:
    env = gymnasium.make("FrozenLake-v1", max_episode_steps=1000)
    mdp = MDP.from_gymnasium(env)
    policy = solve(mdp).policy
    episodes = rollout(env, policy[:-1], episodes=600, horizon=1000, random_state=0)
    won = np.mean([episode.rewards.sum() for episode in episodes])
    assert won == pytest.approx(14.0 / 17.0, abs=0.06)


def test_learners_of_tables() -> None:
    env = gymnasium.make("CliffWalking-v1")
    mdp = MDP.from_gymnasium(env)
    learner = QLearning(step=Constant(0.5), random_state=0).fit(env, episodes=400)
    assert evaluate(mdp, np.append(learner.policy_, 0))[36] == pytest.approx(-13.0)
    again = QLearning(step=Constant(0.5), random_state=0).fit(env, episodes=400)
    np.testing.assert_array_equal(learner.q_, again.q_)
    assert not learner.report_
    policy = np.append(solve(mdp).policy[:-1], -1)[:-1]
    for other in (SARSA(0.9), ADPAgent(0.9), PassiveADP(policy, 0.9), PassiveTD(policy, 0.9)):
        fitted = other.set_params(random_state=0).fit(env, episodes=20, horizon=200)
        assert np.isfinite(fitted.values_).all()


def test_a_truncated_episode_is_no_end() -> None:
    env = gymnasium.make("CliffWalking-v1", max_episode_steps=3)
    learner = QLearning(step=Constant(0.5), exploration=EpsilonGreedy(1.0), random_state=0).fit(env, episodes=3000)
    assert learner.values_[36] < -1.5  # it goes on behind the third step


def test_steps_cost_little_beside_those_of_the_environment() -> None:
    env = gymnasium.make("CliffWalking-v1").unwrapped
    learner = QLearning(exploration=EpsilonGreedy(1.0), random_state=0)
    start = time.process_time()
    learner.fit(env, episodes=20, horizon=2000)
    ours = (time.process_time() - start) / learner.lengths_.sum()
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(4, size=20_000).tolist()
    start = time.process_time()
    for action in actions:
        if env.step(action)[2]:
            env.reset()
    assert ours - (time.process_time() - start) / len(actions) < 20e-6  # 5 on a quiet machine


def test_spaces_that_tables_cannot_have() -> None:
    with pytest.raises(ValueError, match="its states are not numbered"):
        QLearning().fit(gymnasium.make("CartPole-v1"), episodes=1)
    with pytest.raises(ValueError, match="its states are not numbered"):
        QLearning().fit(gymnasium.make("Pendulum-v1"), episodes=1)
    with pytest.raises(ValueError, match="does not show its transitions"):
        MDP.from_gymnasium(gymnasium.make("CartPole-v1"))
