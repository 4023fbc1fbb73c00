"""Per-decision importance weights: what another policy would have earned, from episodes of this one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from certus.reinforce.episodes import Episode

Floats = NDArray[np.float64]


class Weighted(NamedTuple):
    """Episodes as rows of equal length.

    Parameters
    ----------
    weights : array of shape (episodes, horizon)
        prod_{i <= t} target(a_i | s_i) / behavior(a_i | s_i); after the end the last one stays.
    rewards : array of shape (episodes, horizon)
        What was paid; 0 after the end.
    """

    weights: Floats
    rewards: Floats


def total_discount(discount: float, horizon: int) -> float:
    """1 + discount + discount^2 + ... of so many terms."""
    if discount in (0.0, 1.0):
        return 1.0 if discount == 0.0 else float(horizon)
    left = 1.0 - discount
    power = math.expm1(horizon * math.log(discount)) if left >= 0.5 else math.expm1(horizon * math.log1p(-left))
    return -power / left * (1.0 + 1e-12)  # outward: both ends are at most as narrow


def checked(episodes: Sequence[Episode], horizon: int, reward_range: tuple[float, float]) -> list[Episode]:
    """The episodes, if they fit horizon and range."""
    found = list(episodes)
    low, high = reward_range
    if not found:
        raise ValueError("episodes: there are none.\nHint: rollout makes some.")
    for place, episode in enumerate(found):
        if not isinstance(episode, Episode):
            raise ValueError(f"episodes: entry {place} is a {type(episode).__name__}, not an Episode.")
        if len(episode) > horizon:
            raise ValueError(
                f"episodes: episode {place} has {len(episode)} steps, more than the horizon {horizon}.\n"
                "Hint: the horizon is part of the question; fix it before looking."
            )
        bad = np.flatnonzero(~((episode.rewards >= low) & (episode.rewards <= high)))
        if bad.size:
            raise ValueError(
                f"rewards must lie in reward_range [{low:g}, {high:g}]; episode {place}, step {bad[0]} is "
                f"{episode.rewards[bad[0]]:g}.\nHint: declare a range that no reward can leave."
            )
    return found


def weighted(episodes: Sequence[Episode], target: Floats, horizon: int) -> Weighted:
    """Weights and rewards of all episodes for a target policy of shape (S, A)."""
    weights, rewards = np.ones((len(episodes), horizon)), np.zeros((len(episodes), horizon))
    for row, episode in enumerate(episodes):
        length = len(episode)
        if not length:
            continue
        inside = (episode.states >= 0) & (episode.states < target.shape[0])
        inside &= (episode.actions >= 0) & (episode.actions < target.shape[1])
        if not inside.all():
            step = int(np.argmin(inside))
            raise ValueError(
                f"episodes: episode {row}, step {step} has state {episode.states[step]} and action "
                f"{episode.actions[step]}, which the target policy of shape {target.shape} does not know."
            )
        running = np.cumprod(target[episode.states, episode.actions] / episode.probabilities)
        weights[row, :length], weights[row, length:] = running, running[-1]
        rewards[row, :length] = episode.rewards
    return Weighted(weights, rewards)


def doubly_robust(episodes: Sequence[Episode], target: Floats, discount: float, horizon: int) -> float:
    """The doubly robust estimate (Jiang, Li 2016): a model's values, corrected by weighted errors of the model.

    The model of every half of the episodes is estimated from the other half.
    """
    halves = [list(episodes[::2]), list(episodes[1::2])]
    if not halves[1]:
        halves[1] = halves[0]
    found = [_corrected(mine, target, discount, _model_values(other, target, discount, horizon))
             for mine, other in (halves, halves[::-1])]  # fmt: skip
    return float(np.mean(np.concatenate(found)))


def _model_values(episodes: Sequence[Episode], target: Floats, discount: float, horizon: int) -> Floats:
    """Q of the target on the estimated model, by time: of shape (horizon + 1, S, A)."""
    states, actions = target.shape
    counts, paid = np.zeros((states, actions, states + 1)), np.zeros((states, actions))
    for episode in episodes:
        following = np.append(episode.states[1:], states)  # the last row stands for the end
        np.add.at(counts, (episode.states, episode.actions, following[: len(episode)]), 1.0)
        np.add.at(paid, (episode.states, episode.actions), episode.rewards)
    total = np.maximum(counts.sum(axis=2), 1.0)
    shares, mean = counts[:, :, :states] / total[:, :, None], paid / total
    found = np.zeros((horizon + 1, states, actions))
    for time in range(horizon - 1, -1, -1):
        values = (target * found[time + 1]).sum(axis=1)
        found[time] = mean + discount * shares @ values
    return found


def _corrected(episodes: Sequence[Episode], target: Floats, discount: float, model: Floats) -> NDArray[np.float64]:
    estimates = np.zeros(len(episodes))
    for row, episode in enumerate(episodes):
        value = 0.0
        for step in range(len(episode) - 1, -1, -1):
            state, action = episode.states[step], episode.actions[step]
            expected = model[step, state]
            ratio = target[state, action] / episode.probabilities[step]
            value = target[state] @ expected + ratio * (episode.rewards[step] + discount * value - expected[action])
        estimates[row] = value
    return estimates
