"""What learners of functions that are linear in features share."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import InstanceOf, fit_method, predict_method, resolve_seed
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.guarantees.records import check_count
from certus.reinforce import _native_calls
from certus.reinforce.exploration import Exploration
from certus.reinforce.learning.table_learner import TableLearner
from certus.reinforce.learning.worlds import Diary, KnownWorld, World, world_of
from certus.reinforce.mdp import MDP
from certus.reinforce.state_features import OneHot, StateFeatures
from certus.reinforce.step_lengths import StepLength

Floats = NDArray[np.float64]


def features_of(features: StateFeatures, world: World) -> Floats:
    """The features of all states of a world: by number for `OneHot`, else by their names, which must be numbers."""
    if isinstance(features, OneHot):
        return features.transform(np.arange(world.n_states))
    names = world.mdp.state_names if isinstance(world, KnownWorld) else range(world.n_states)
    try:
        places = np.array(list(names), dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            "environment: features need states whose names are numbers or vectors of numbers.\n"
            "Hint: give the MDP such state_names, or use OneHot(n_states)."
        ) from None
    return features.transform(places if places.ndim == 2 else places[:, None])


class BoxWorld:
    """An environment of gymnasium with vectors of numbers as observations and numbered actions.

    The agent knows two states, whose features are written here in turn.

    Parameters
    ----------
    env : environment
        With ``reset``, ``step`` and ``action_space.n``.
    features : StateFeatures
        Of its observations.
    """

    def __init__(self, env: Any, features: StateFeatures) -> None:
        actions = getattr(getattr(env, "action_space", None), "n", None)
        if actions is None:
            raise ValueError(
                f"environment: its actions are not numbered (action_space is {getattr(env, 'action_space', None)!r}).\n"
                "Hint: only discrete actions can be compared one by one; divide the range into a few."
            )
        self.env, self.features, self.n_actions, self.n_states = env, features, int(actions), 2
        self.pairs = np.zeros((2, self.n_actions), dtype=np.int32)
        self.fixed = np.zeros(2)
        width = features.transform(np.asarray(env.reset()[0], dtype=np.float64)[None]).shape[1]
        self.table = np.zeros((2, width))

    def train(self, agent: Any, episodes: int, horizon: int, seed: int) -> Diary:
        """Let the agent learn, step by step."""
        returns, lengths = np.zeros(episodes), np.zeros(episodes, dtype=np.int64)
        for episode in range(episodes):
            agent.set_progress(episode / episodes)
            seen, _ = self.env.reset(seed=seed % 2**31) if episode == 0 else self.env.reset()
            place = self._write(0, seen)
            action, total, length = agent.begin(place), 0.0, 0
            for length in range(1, horizon + 1):  # noqa: B007  the number of the last step is kept
                seen, reward, terminated, truncated, _ = self.env.step(action)
                place = self._write(1 - place, seen)
                action = agent.step(float(reward), place, bool(terminated), 0.0)
                total += float(reward)
                if terminated or truncated:
                    break
            returns[episode], lengths[episode] = total, length
        return Diary(returns, lengths)

    def _write(self, place: int, seen: Any) -> int:
        self.table[place] = self.features.transform(np.asarray(seen, dtype=np.float64)[None])[0]
        return place


def featured_world(features: StateFeatures, environment: Any) -> tuple[Any, Floats, bool]:
    """The world behind what a user gave, the features that agents read, and whether its states are numbered."""
    numbered = hasattr(getattr(environment, "observation_space", None), "n")
    if numbered or isinstance(environment, MDP) or not hasattr(environment, "step"):
        world = world_of(environment)
        return world, np.ascontiguousarray(features_of(features, world)), True
    box = BoxWorld(environment, features)
    return box, box.table, False


class LinearControlLearner(TableLearner):
    """Learns Q(s, a) = features(s) . weights(a).

    Parameters
    ----------
    features : StateFeatures
        What Q is linear in: `OneHot`, `TileCoding`, `FourierFeatures`, `Polynomial`.
    step : StepLength, default Power(0.7)
        How far weights move; lengths that depend on visits need numbered states.
    exploration : Exploration, default EpsilonGreedy(0.1)
        How actions are chosen on the way.

    Attributes
    ----------
    weights_ : ndarray of shape (n_actions, n_features)
        The weights.
    """

    _constraints = {**TableLearner._constraints, "features": [InstanceOf(StateFeatures)]}
    _state: ClassVar[tuple[str, ...]] = ("weights_", "values_", "policy_", "history_", "lengths_")
    _arguments: ClassVar[dict[str, str]] = {
        "predict": """observations : array-like
    Numbers of states or vectors, as the features take them.
""",
    }

    features: StateFeatures
    step: StepLength
    exploration: Exploration
    weights_: Floats

    def _kind(self) -> str:
        raise NotImplementedError

    @fit_method
    def fit(self, environment: Any, *, episodes: int, horizon: int = 1000) -> Any:
        """Learn from episodes."""
        episodes = check_count(episodes, "episodes", minimum=1)
        horizon = check_count(horizon, "horizon", minimum=1)
        seed = resolve_seed(self.random_state)
        world, table, numbered = featured_world(self.features, environment)
        self.weights_ = np.zeros((world.n_actions, table.shape[1]))
        visits = np.zeros((world.n_states, world.n_actions), dtype=np.int64)
        rules = (self.step.rule(), self.exploration.rule())
        agent = _native_calls.linear_control_agent(
            self._kind(), float(self.discount), rules, world.pairs, table, self.weights_, visits, seed
        )
        self.history_, self.lengths_ = world.train(agent, episodes, horizon, seed)
        if numbered:
            self._name_states(world, table)
        self.report_ = self._report(world) if numbered else Report()
        return self

    def _name_states(self, world: World, table: Floats) -> None:
        q = np.where(world.pairs >= 0, table @ self.weights_.T, -np.inf)
        acts = (world.pairs >= 0).any(axis=1)
        self.policy_ = np.where(acts, np.argmax(q, axis=1), -1)
        self.values_ = np.where(acts, q.max(axis=1), world.fixed)

    @predict_method
    def predict(self, observations: ArrayLike) -> NDArray[np.int64]:
        """The actions that were learned.

        Returns
        -------
        ndarray
            One action for every observation.
        """
        worth = self.features.transform(observations) @ self.weights_.T
        if isinstance(self.features, OneHot):  # numbered states, which may lack actions
            return self.policy_[np.asarray(observations)]
        return np.argmax(worth, axis=1)

    def _restored(self) -> None:
        if "weights_" in vars(self):
            check_shapes(self, weights_=(None, None))
