"""Deep Q-learning and linear functions balance a pole."""

from __future__ import annotations

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from certus.reinforce import (  # noqa: E402  without gymnasium nothing below is asked
    DQN,
    Constant,
    EpsilonGreedy,
    FourierFeatures,
    PolicyGradient,
    SemiGradientSARSA,
)


def mean_return(agent: DQN, episodes: int) -> float:
    """What the agent's own choice earns on average, from starts that it has not seen."""
    env, returns = gymnasium.make("CartPole-v1"), []
    for episode in range(episodes):
        seen, total, over = env.reset(seed=10_000 + episode)[0], 0.0, False
        while not over:
            seen, reward, ended, truncated, _ = env.step(int(agent.predict(seen[None])[0]))
            total, over = total + float(reward), ended or truncated
        returns.append(total)
    return float(np.mean(returns))


def test_deep_q_learning_comes_on() -> None:
    agent = DQN(learning_starts=500, evaluate_every=2000, random_state=0).fit(gymnasium.make("CartPole-v1"), steps=6000)
    assert mean_return(agent, 5) > 60.0  # at random: 22


@pytest.mark.slow
@pytest.mark.timeout(900)  # five trainings of fifty thousand steps
def test_deep_q_learning_balances_on_four_of_five_seeds() -> None:
    options = {"learning_rate": 2.3e-3, "train_every": 256, "gradient_steps": 128, "target_every": 10}
    exploration = EpsilonGreedy(1.0, final=0.04, fraction=0.16)
    found = []
    for seed in range(5):
        agent = DQN((256, 256), **options, exploration=exploration, random_state=seed)
        found.append(mean_return(agent.fit(gymnasium.make("CartPole-v1"), steps=50_000), 20))
        if sum(value >= 475.0 for value in found) == 4:
            break
    assert sum(value >= 475.0 for value in found) >= 4, found


def test_linear_functions_come_on() -> None:
    features = FourierFeatures([-2.4, -3.0, -0.21, -3.5], [2.4, 3.0, 0.21, 3.5], order=1)
    learner = SemiGradientSARSA(features, 0.99, step=Constant(0.005), exploration=EpsilonGreedy(0.1), random_state=0)
    learner.fit(gymnasium.make("CartPole-v1"), episodes=150)
    assert learner.history_[-30:].mean() > 1.3 * learner.history_[:30].mean()


def test_a_policy_that_follows_its_gradient_balances() -> None:
    features = FourierFeatures([-2.4, -3.0, -0.21, -3.5], [2.4, 3.0, 0.21, 3.5], order=1)
    learner = PolicyGradient(features, 0.99, step=Constant(0.01), baseline_step=Constant(0.01), random_state=0)
    learner.fit(gymnasium.make("CartPole-v1"), episodes=150)
    assert learner.history_[-30:].mean() > 3.0 * learner.history_[:30].mean()
    assert len(learner.report_) == 0
