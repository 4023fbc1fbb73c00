"""Deep Q-learning on worlds written here, so that gymnasium is not needed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import certus
from certus.reinforce import DQN, EpsilonGreedy
from certus.reinforce.learning.replay_memory import ReplayMemory
from tests.persistence.forging import Forgery, npy


class Corridor:
    """Five places in a row, seen as one of five: right of the last waits 1, left of the first nothing; both end."""

    def __init__(self, *, masked: bool = False, width: int = 5) -> None:
        self.action_space, self.observation_space = SimpleNamespace(n=2), SimpleNamespace(shape=(width,))
        self.masked, self.place, self.taken = masked, 2, []

    def reset(self, seed: int | None = None) -> Any:
        self.place = 2
        return np.eye(5)[self.place], self.info()

    def info(self) -> dict[str, Any]:
        return {"action_mask": np.array([self.place > 1, True])} if self.masked else {}

    def step(self, action: int) -> Any:
        self.taken.append((self.place, action))
        self.place += 2 * action - 1
        ended = not 0 <= self.place < 5
        reward = float(self.place == 5)
        return np.eye(5)[min(max(self.place, 0), 4)], reward, ended, False, self.info()


OPTIONS = {"learning_starts": 50, "target_every": 50, "train_every": 1, "evaluate_every": 0, "random_state": 0}
RIGHT = 0.9 ** np.arange(4, -1, -1)  # what going right is worth


def test_values_of_a_corridor() -> None:
    agent = DQN((16,), discount=0.9, exploration=EpsilonGreedy(0.5), **OPTIONS).fit(Corridor(), steps=3000)
    assert_allclose(agent.action_values(np.eye(5))[:, 1], RIGHT, atol=0.1)
    assert agent.predict(np.eye(5)).tolist() == [1] * 5
    assert agent.steps_ == 3000
    assert len(agent.history_) > 100


def test_the_plain_algorithm_without_hidden_layers_is_q_learning() -> None:
    options = {"buffer_size": 0, "target_every": 0, "learning_rate": 0.1, "discount": 0.9, "evaluate_every": 0}
    agent = DQN((), exploration=EpsilonGreedy(1.0), random_state=0, **options).fit(Corridor(), steps=20_000)
    values = agent.action_values(np.eye(5))
    assert_allclose(values[:, 1], RIGHT, atol=0.05)
    assert_allclose(values[1:, 0], 0.9 * RIGHT[:-1], atol=0.05)
    assert len(agent.memory_[0]) == 1


def test_one_step_is_the_formula() -> None:
    options = {"buffer_size": 0, "target_every": 0, "learning_rate": 0.25, "discount": 0.9, "evaluate_every": 0}
    first = DQN((), exploration=EpsilonGreedy(1.0), random_state=3, **options).fit(Corridor(), steps=1)
    world = Corridor()
    again = DQN((), exploration=EpsilonGreedy(1.0), random_state=3, **options)
    again.fit(world, steps=1)
    place, action = world.taken[0]
    start = DQN((), exploration=EpsilonGreedy(1.0), random_state=3, **{**options, "learning_rate": 1e-12})
    before = start.fit(Corridor(), steps=1).action_values(np.eye(5)).astype(float)
    following = place + 2 * action - 1
    error = before[place, action] - 0.9 * before[following].max()
    # The weight of the place and the intercept of the action both move by rate * error.
    assert first.action_values(np.eye(5))[place, action] == pytest.approx(before[place, action] - 0.5 * error, abs=1e-6)


def test_forbidden_actions_are_neither_taken_nor_counted() -> None:
    world = Corridor(masked=True)
    agent = DQN((16,), discount=0.9, exploration=EpsilonGreedy(0.5), **OPTIONS).fit(world, steps=1500)
    assert (1, 0) not in world.taken
    assert (0, 0) not in world.taken
    allowed = np.array([[True, False]])
    assert agent.predict(np.eye(5)[4:], allowed=allowed).tolist() == [0]


def test_a_saved_agent_goes_on(tmp_path: Path) -> None:
    def fresh() -> DQN:
        return DQN((8,), exploration=EpsilonGreedy(1.0, final=0.1, fraction=0.5), **OPTIONS)

    first = fresh().fit(Corridor(), steps=400)
    certus.save(first, tmp_path / "agent.certus")
    loaded = certus.load(tmp_path / "agent.certus")
    assert_array_equal(loaded.action_values(np.eye(5)), first.action_values(np.eye(5)))
    one, other = first.fit(Corridor(), steps=200, resume=True), loaded.fit(Corridor(), steps=200, resume=True)
    assert_array_equal(one.parameters_, other.parameters_)
    assert one.steps_ == other.steps_ == 600
    assert one.exploration_rate_ == pytest.approx(0.1)  # it stays where it had fallen to
    assert len(one.memory_[0]) == 600
    assert one.learning_[4] > 500


def test_equal_seeds_give_equal_bits() -> None:
    one, other, third = (
        DQN((8,), **{**OPTIONS, "random_state": seed}).fit(Corridor(), steps=300).parameters_ for seed in (0, 0, 1)
    )
    assert_array_equal(one, other)
    assert not np.array_equal(one, third)


def test_the_best_network_is_kept() -> None:
    options = {**OPTIONS, "evaluate_every": 100, "evaluation_episodes": 1}
    agent = DQN((16,), discount=0.9, exploration=EpsilonGreedy(0.5), **options).fit(Corridor(), steps=1500)
    assert agent.evaluations_.shape == (15, 2)
    assert agent.evaluations_[:, 1].max() == 1.0
    assert agent.predict(np.eye(5)[2:3]).tolist() == [1]


def test_ctrl_c_keeps_what_was_learned() -> None:
    class Stopping(Corridor):
        def step(self, action: int) -> Any:
            if len(self.taken) == 120:
                raise KeyboardInterrupt
            return super().step(action)

    agent = DQN((8,), **OPTIONS)
    with pytest.raises(KeyboardInterrupt):
        agent.fit(Stopping(), steps=500)
    assert agent.steps_ == 120
    assert agent.predict(np.eye(5)).shape == (5,)
    assert agent.fit(Corridor(), steps=30, resume=True).steps_ == 150


def test_the_memory_is_a_ring() -> None:
    memory = ReplayMemory(3, 1, 2, 0)
    for number in range(5):
        memory.add([number], number, number, [number + 1], False, None)
    assert memory.kept()[1].tolist() == [2, 3, 4]
    again = ReplayMemory(3, 1, 2, 0)
    again.fill(memory.kept())
    assert again.kept()[1].tolist() == [2, 3, 4]
    assert len(again) == 3
    drawn = again.draw(3000)
    assert_array_equal(drawn.seen[:, 0], drawn.actions)
    assert_array_equal(drawn.following[:, 0], drawn.actions + 1)
    assert drawn.allowed.all()
    assert (np.bincount(drawn.actions, minlength=5)[2:] > 850).all()  # of 1000 each; 150 are six deviations
    with pytest.raises(ValueError, match="nothing is remembered yet"):
        ReplayMemory(3, 1, 2, 0).draw(1)
    with pytest.raises(ValueError, match=r"an observation must have 1 entries, got 2"):
        memory.add([1, 2], 0, 0.0, [1], False, None)
    with pytest.raises(ValueError, match="an observation or a reward is NaN or infinite"):
        memory.add([np.nan], 0, 0.0, [1], False, None)
    with pytest.raises(ValueError, match=r"action_mask must have 2 entries, got 3"):
        memory.add([1], 0, 0.0, [1], False, [True, True, False])


def test_a_forged_file_is_refused(tmp_path: Path) -> None:
    forged = Forgery(DQN((8,), **OPTIONS).fit(Corridor(), steps=20))
    member = forged.manifest["model"]["state"]["parameters_"]["member"]
    forged.members[member] = npy(np.zeros(3, np.float32), version=(1, 0))
    with pytest.raises(certus.CertusFileError):
        certus.load(forged.write(tmp_path / "forged.certus"))


def test_errors() -> None:
    agent = DQN((8,), **OPTIONS).fit(Corridor(), steps=20)
    with pytest.raises(ValueError, match=r"observations must have the shape \(n, 5\), got \(2, 3\)"):
        agent.predict(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="resume=True: the layers were"):
        agent.set_params(hidden_layer_sizes=(9,)).fit(Corridor(), steps=1, resume=True)
    with pytest.raises(ValueError, match="resume=True needs an agent that was fitted"):
        DQN().fit(Corridor(), steps=1, resume=True)
    continuous = Corridor()
    continuous.action_space = SimpleNamespace(shape=(1,))
    with pytest.raises(ValueError, match="its actions are not numbered"):
        DQN().fit(continuous, steps=1)
    picture = Corridor()
    picture.observation_space = SimpleNamespace(shape=(2, 2))
    with pytest.raises(ValueError, match="observations must be vectors"):
        DQN().fit(picture, steps=1)
