"""Letting a policy act."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import resolve_seed
from certus.guarantees.records import check_count
from certus.reinforce import _native_calls
from certus.reinforce.episodes import Episode
from certus.reinforce.learning.table_learner import policy_shares
from certus.reinforce.learning.worlds import EnvironmentWorld, KnownWorld, world_of


def rollout(
    environment: Any, policy: ArrayLike, *, episodes: int, horizon: int, random_state: Any = None
) -> list[Episode]:
    """Follow a policy.

    Parameters
    ----------
    environment : MDP or environment of gymnasium
        Where to act.
    policy : array of shape (S,) or (S, A)
        Actions, or their probabilities.
    episodes : int
        How many episodes.
    horizon : int
        Largest number of steps of each.
    random_state : int, RandomState instance, default=None
        Seed of all that is drawn; in a known process the first episodes do not depend on how many there are.

    Returns
    -------
    list of Episode
        What happened. In an `MDP` the last reward contains what the terminal state pays, discounted once.

    Examples
    --------
    >>> from certus.reinforce import GridWorld, rollout, solve, utility
    >>> world = GridWorld(["...+", ".#.-", "S..."], slip=0.0)
    >>> episode, = rollout(world, solve(world).policy, episodes=1, horizon=100)
    >>> [world.state_names[s] for s in episode.states], round(utility(episode.rewards), 2)
    ([(1, 1), (1, 2), (1, 3), (2, 3), (3, 3)], 0.8)
    """
    count = check_count(episodes, "episodes", minimum=1)
    horizon = check_count(horizon, "horizon", minimum=1)
    world = world_of(environment)
    shares = policy_shares(world, policy)
    seed = resolve_seed(random_state)
    if isinstance(world, EnvironmentWorld):
        return _in_environment(world, shares, count, horizon, seed)
    return _in_process(world, shares, count, horizon, seed)


def _in_process(world: KnownWorld, shares: NDArray[np.float64], count: int, horizon: int, seed: int) -> list[Episode]:
    paths = _native_calls.follow(world.native, shares, count, horizon, seed)
    cuts = paths.ends[:-1]
    parts = (np.split(part, cuts) for part in (paths.states, paths.actions, paths.rewards, paths.probabilities))
    return [Episode(*each) for each in zip(*parts, strict=True)]


def _in_environment(
    world: EnvironmentWorld, shares: NDArray[np.float64], count: int, horizon: int, seed: int
) -> list[Episode]:
    rng = np.random.default_rng(seed)
    found = []
    for episode in range(count):
        state, _ = world.env.reset(seed=seed % 2**31) if episode == 0 else world.env.reset()
        steps: list[tuple[int, int, float, float]] = []
        for _ in range(horizon):
            action = int(rng.choice(world.n_actions, p=shares[state]))
            following, reward, terminated, truncated, _ = world.env.step(action)
            steps.append((state, action, float(reward), float(shares[state, action])))
            state = following
            if terminated or truncated:
                break
        found.append(Episode(*(np.array(part) for part in zip(*steps, strict=True))))
    return found
