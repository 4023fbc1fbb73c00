"""Where agents act: a known process, simulated in compiled code, or an environment of gymnasium."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from certus.reinforce import _native_calls
from certus.reinforce.mdp import MDP

Floats = NDArray[np.float64]


class Diary(NamedTuple):
    """Of every episode the sum of its rewards and its length."""

    returns: Floats
    lengths: NDArray[np.int64]


class World(Protocol):
    """States, actions, and a way to let an agent learn."""

    n_states: int
    n_actions: int
    pairs: NDArray[np.int32]  # of shape (S, A), below 0 where a state does not have the action
    fixed: Floats

    def train(self, agent: Any, episodes: int, horizon: int, seed: int) -> Diary:
        """Let the agent learn for so many episodes of at most so many steps."""
        ...


class KnownWorld:
    """A known process as a world.

    Parameters
    ----------
    mdp : MDP
        The process.
    """

    def __init__(self, mdp: MDP) -> None:
        table = mdp.pairs
        self.mdp, self.n_states, self.n_actions, self.fixed = mdp, mdp.n_states, mdp.n_actions, table.fixed
        self.pairs = np.full((mdp.n_states, mdp.n_actions), -1, dtype=np.int32)
        self.pairs[table.states, table.actions] = np.arange(len(table.actions))
        paid = np.zeros(0) if table.paid is None else np.ascontiguousarray(table.paid).ravel()
        self.native = _native_calls.world(table.native(mdp.discount), self.pairs, paid, table.fixed, mdp.start)

    def train(self, agent: Any, episodes: int, horizon: int, seed: int) -> Diary:
        """Let the agent learn, in compiled code."""
        return Diary(*_native_calls.train(self.native, agent, episodes, horizon, seed))


class EnvironmentWorld:
    """An environment of gymnasium with numbered states and actions.

    Parameters
    ----------
    env : environment
        With ``reset``, ``step``, ``observation_space.n`` and ``action_space.n``.
    """

    def __init__(self, env: Any) -> None:
        self.env = env
        self.n_states = _size(env, "observation_space", "states")
        self.n_actions = _size(env, "action_space", "actions")
        self.pairs = np.zeros((self.n_states, self.n_actions), dtype=np.int32)
        self.fixed = np.zeros(self.n_states)

    def train(self, agent: Any, episodes: int, horizon: int, seed: int) -> Diary:
        """Let the agent learn, step by step; truncated episodes end without an end of the process."""
        returns, lengths = np.zeros(episodes), np.zeros(episodes, dtype=np.int64)
        step, learn, known = self.env.step, agent.step, self.n_states
        for episode in range(episodes):
            agent.set_progress(episode / episodes)
            state, _ = self.env.reset(seed=seed % 2**31) if episode == 0 else self.env.reset()
            self._require(state)
            action, total, length = agent.begin(state), 0.0, 0
            for length in range(1, horizon + 1):  # noqa: B007  the number of the last step is kept
                state, reward, terminated, truncated, _ = step(action)
                if not 0 <= state < known:
                    self._require(state)
                action = learn(reward, state, terminated, 0.0)
                total += reward
                if terminated or truncated:
                    break
            returns[episode], lengths[episode] = total, length
        return Diary(returns, lengths)

    def _require(self, state: Any) -> None:
        if not 0 <= state < self.n_states:
            raise ValueError(
                f"environment: it showed state {state!r}, but its states are 0 .. {self.n_states - 1}.\n"
                "Hint: observation_space.n must count all of them."
            )


def _size(env: Any, space: str, what: str) -> int:
    found = getattr(getattr(env, space, None), "n", None)
    if found is None:
        raise ValueError(
            f"environment: its {what} are not numbered ({space} is {getattr(env, space, None)!r}).\n"
            "Hint: tables need a Discrete space; for numbers as observations use the learners with features or DQN."
        )
    if getattr(getattr(env, space), "start", 0) != 0:
        raise ValueError(
            f"environment: its {what} are not numbered from 0 ({space} is {getattr(env, space)!r}).\n"
            "Hint: gymnasium.wrappers.TransformObservation or TransformAction moves them."
        )
    return int(found)


def world_of(environment: Any) -> KnownWorld | EnvironmentWorld:
    """The world behind what a user gave."""
    if isinstance(environment, MDP):
        return KnownWorld(environment)
    if not (hasattr(environment, "reset") and hasattr(environment, "step")):
        raise ValueError(
            f"environment must be an MDP or an environment of gymnasium, got {type(environment).__name__}.\n"
            "Hint: MDP(transitions, rewards), or gymnasium.make(name)."
        )
    return EnvironmentWorld(environment)
