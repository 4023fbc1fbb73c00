"""Learners of tables: what the textbooks say of them, and what they promise as learners of Certus."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import certus
from certus.base import ParameterError
from certus.reinforce import (
    MDP,
    SARSA,
    ADPAgent,
    Constant,
    EpsilonGreedy,
    Greedy,
    GridWorld,
    Linear,
    OneHot,
    Optimistic,
    PassiveADP,
    PassiveTD,
    PolicyGradient,
    Power,
    QLearning,
    Softmax,
    evaluate,
    solve,
)
from tests.persistence.forging import Forgery, npy

WORLD = GridWorld()
PLAN = solve(WORLD)
LEARNERS: dict[str, Any] = {
    "QLearning": QLearning(0.9, random_state=0),
    "double": QLearning(0.9, double=True, exploration=Softmax(0.5), random_state=0),
    "SARSA": SARSA(0.9, step=Linear(0.5), random_state=0),
    "ADPAgent": ADPAgent(0.9, exploration=Optimistic(1.0, 3), random_state=0),
    "PolicyGradient": PolicyGradient(OneHot(11), 0.9, random_state=0),
    "PassiveADP": PassiveADP(PLAN.policy, 0.9, random_state=0),
    "PassiveTD": PassiveTD(PLAN.policy, 0.9, lambda_=0.5, random_state=0),
}
every_learner = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)


def cliff() -> MDP:
    """4 x 12 cells; the lower edge between start and end is a cliff: -100, and back to the start."""
    height, width, start = 4, 12, 36
    transitions, rewards = np.zeros((4, 48, 48)), np.full((48, 4), -1.0)
    for state in range(48):
        row, column = divmod(state, width)
        for action, (down, right) in enumerate([(-1, 0), (0, 1), (1, 0), (0, -1)]):
            y, x = min(max(row + down, 0), height - 1), min(max(column + right, 0), width - 1)
            falls = y == 3 and 1 <= x <= 10
            transitions[action, state, start if falls else y * width + x] = 1.0
            rewards[state, action] = -100.0 if falls else -1.0
    return MDP(transitions, rewards, 1.0, terminal=[47], start=start)


def tables(learner: Any) -> list[np.ndarray]:
    return [getattr(learner, name) for name in learner._state]


def test_sarsa_pays_for_its_exploration_and_q_learning_does_not() -> None:
    world = cliff()
    learners = {kind: kind(step=Constant(0.5), random_state=0).fit(world, episodes=2000) for kind in (SARSA, QLearning)}
    on_policy, off_policy = learners[SARSA], learners[QLearning]
    assert on_policy.history_[-500:].mean() > off_policy.history_[-500:].mean() + 10.0
    assert evaluate(world, off_policy.policy_)[36] == pytest.approx(-13.0)
    assert evaluate(world, on_policy.policy_)[36] < -14.0


def test_first_q_learner_of_a_deterministic_world() -> None:
    world = GridWorld("...+\n.#.-\n....", slip=0.0, living_reward=-0.04)
    learner = QLearning(exploration=EpsilonGreedy(1.0), step=Constant(1.0), random_state=0).fit(world, episodes=500)
    assert_allclose(learner.values_, solve(world).values, atol=1e-12)
    assert learner.report_["loss of the policy"].value < 1e-9


def test_values_of_a_policy_come_nearer_by_a_model_than_by_differences() -> None:
    for episodes in (20, 100):
        errors = {"td": [], "adp": []}
        for seed in range(8):
            model = PassiveADP(PLAN.policy, random_state=seed).fit(WORLD, episodes=episodes)
            plain = PassiveTD(PLAN.policy, random_state=seed).fit(WORLD, episodes=episodes)
            seen = model.visits_.sum(axis=1) > 0
            for name, learner in (("adp", model), ("td", plain)):
                errors[name].append(np.sqrt(np.mean((learner.values_ - PLAN.values)[seen] ** 2)))
        assert np.mean(errors["adp"]) < 0.7 * np.mean(errors["td"])


@pytest.mark.parametrize("lambda_", [0.0, 0.8])
def test_temporal_differences_find_the_values(lambda_: float) -> None:
    learner = PassiveTD(PLAN.policy, lambda_=lambda_, random_state=0).fit(WORLD, episodes=30_000)
    often = learner.visits_ > 3000
    assert often.sum() >= 6
    assert_allclose(learner.values_[often], PLAN.values[often], atol=0.06)


def test_greedy_agents_are_worst_and_optimistic_ones_best() -> None:
    corner = WORLD.state(1, 1)

    def found(exploration: Any) -> int:
        agents = [ADPAgent(exploration=exploration, random_state=seed).fit(WORLD, episodes=100) for seed in range(20)]
        return sum(abs(evaluate(WORLD, agent.policy_)[corner] - PLAN.values[corner]) < 0.01 for agent in agents)

    greedy, sometimes, optimistic = found(Greedy()), found(EpsilonGreedy(0.1)), found(Optimistic(2.0, 5))
    assert greedy < sometimes < optimistic
    assert greedy <= 4
    assert optimistic >= 10


def test_double_q_learning_overestimates_less() -> None:
    def estimate(double: bool) -> float:
        settings = {"double": double, "step": Constant(0.1), "exploration": EpsilonGreedy(1.0)}
        found = [QLearning(**settings, random_state=seed).fit(noisy_choice(), episodes=2000) for seed in range(10)]
        return float(np.mean([learner.q_[0, 0] for learner in found]))

    assert solve(noisy_choice()).q()[0, 0] == pytest.approx(-0.1)
    assert estimate(double=False) > estimate(double=True) + 0.1
    assert abs(estimate(double=True) + 0.1) < 0.1


def noisy_choice() -> MDP:
    """State 0: go to 1 or end with 0. State 1: eight actions that pay +1 or -1.2 at random, and end."""
    transitions, rewards = np.zeros((8, 4, 4)), np.zeros((8, 4, 4))
    transitions[:, 0, 2], transitions[0, 0] = 1.0, [0.0, 1.0, 0.0, 0.0]
    transitions[:, 1, 2] = transitions[:, 1, 3] = 0.5
    rewards[:, 1, 2], rewards[:, 1, 3] = 1.0, -1.2
    return MDP(transitions, rewards, 1.0, terminal=[2, 3], start=0)


@every_learner
def test_equal_seeds_give_equal_bits(learner: Any) -> None:
    one, other = (clone(learner).fit(WORLD, episodes=50) for _ in range(2))
    for mine, theirs in zip(tables(one), tables(other), strict=True):
        assert_array_equal(mine, theirs)
    third = clone(learner).set_params(random_state=1).fit(WORLD, episodes=50)
    assert not np.array_equal(one.history_, third.history_)


@every_learner
def test_save_load_and_pickle(learner: Any, tmp_path: Path) -> None:
    fitted = clone(learner).fit(WORLD, episodes=50)
    certus.save(fitted, tmp_path / "model.certus")
    for again in (certus.load(tmp_path / "model.certus"), pickle.loads(pickle.dumps(fitted))):
        assert type(again) is type(fitted)
        assert repr(again) == repr(fitted)
        assert again.report_ == fitted.report_
        for mine, theirs in zip(tables(again), tables(fitted), strict=True):
            assert_array_equal(mine, theirs)
        if hasattr(fitted, "policy_"):
            assert_array_equal(again.predict([0, 1, 2]), fitted.predict([0, 1, 2]))


@every_learner
def test_reports_tell_the_exact_loss_of_the_policy(learner: Any) -> None:
    fitted = clone(learner).fit(WORLD, episodes=200)
    if not hasattr(fitted, "policy_"):
        assert not fitted.report_
        return
    world = WORLD.with_discount(0.9)
    true = (solve(world).values - evaluate(world, fitted.policy_)).max()
    certificate = fitted.report_["loss of the policy"]
    assert certificate.value == pytest.approx(true, abs=1e-8)
    assert certificate.check(world)
    assert fitted.certify(WORLD)["loss of the policy"].value == certificate.value


@every_learner
def test_all_states_and_actions_are_asked_for_correctly(learner: Any) -> None:
    available = np.ones((3, 2), dtype=bool)
    available[0, 1] = available[1, 0] = False
    transitions = np.zeros((2, 3, 3))
    transitions[0, 0, 1] = transitions[1, 1, 2] = 1.0
    mdp = MDP(transitions, np.array([0.0, 0.0, 5.0]), 1.0, terminal=[2], available=available)
    policy = {"policy": [0, 1, -1]} if "policy" in learner.get_params() else {}
    fitted = clone(learner).set_params(**policy).fit(mdp, episodes=400)
    assert fitted.values_[2] == 5.0
    assert_allclose(fitted.values_, [0.81 * 5.0, 0.9 * 5.0, 5.0], atol=0.2)
    assert fitted.history_[0] == 5.0  # what the end pays counts


@every_learner
def test_a_forged_file_is_refused(learner: Any, tmp_path: Path) -> None:
    fitted = clone(learner).fit(WORLD, episodes=5)
    if not hasattr(fitted, "policy_"):
        return
    forged = Forgery(fitted)
    member = forged.manifest["model"]["state"]["policy_"]["member"]
    forged.members[member] = npy(np.zeros((2, 2)), version=(1, 0))
    with pytest.raises(certus.CertusFileError):
        certus.load(forged.write(tmp_path / "forged.certus"))


def test_ctrl_c_leaves_a_learner_unfitted() -> None:
    code = """
import threading, time, os, signal
from certus.reinforce import GridWorld, QLearning
learner = QLearning(0.9, random_state=0).fit(GridWorld(), episodes=10)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.perf_counter()
try:
    learner.fit(GridWorld(), episodes=10**9)
except KeyboardInterrupt:
    assert not hasattr(learner, "q_")
    assert time.perf_counter() - start < 5.0
    print("stopped")
"""
    start = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, preexec_fn=start, check=False)
    assert done.stdout == "stopped\n", done.stderr


def test_errors() -> None:
    with pytest.raises(ValueError, match="environment must be an MDP"):
        QLearning().fit(3, episodes=1)
    with pytest.raises(ValueError, match="episodes must be a whole number"):
        QLearning().fit(WORLD, episodes=0)
    with pytest.raises(ParameterError, match="discount"):
        QLearning(1.5).fit(WORLD, episodes=1)
    with pytest.raises(ParameterError, match="step"):
        QLearning(step=0.1).fit(WORLD, episodes=1)
    with pytest.raises(ValueError, match="epsilon must lie in"):
        QLearning(exploration=EpsilonGreedy(2.0)).fit(WORLD, episodes=1)
    with pytest.raises(ValueError, match="temperature must be above 0"):
        QLearning(exploration=Softmax(0.0)).fit(WORLD, episodes=1)
    with pytest.raises(ValueError, match="p must lie in"):
        QLearning(step=Power(2.0)).fit(WORLD, episodes=1)
    with pytest.raises(ValueError, match="policy must hold an action for each of the 11 states"):
        PassiveTD([0, 1]).fit(WORLD, episodes=1)
    with pytest.raises(ValueError, match=r"states must be whole numbers in 0 \.\. 10"):
        QLearning().fit(WORLD, episodes=1).predict([11])
