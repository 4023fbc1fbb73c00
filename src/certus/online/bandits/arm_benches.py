"""Rewards to try bandits on, all fixed before play: by an adversary, by chance, drifting, or by context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def oblivious_bench(make: Callable[[int], Any], rewards: ArrayLike, replays: int = 10) -> Floats:
    """The regret of a learner in several replays of one table of rewards that was fixed before.

    Parameters
    ----------
    make : callable
        Gives a fresh learner for a seed; its ``run(rewards)`` gives the arms that it chose.
    rewards : array-like of shape (n_trials, n_arms)
        What an adversary wrote down, who may know the rule but not its draws.
    replays : int, default=10
        How often.

    Returns
    -------
    ndarray of shape (replays,)
        Rewards of the best single arm minus those of the learner.

    Examples
    --------
    >>> from certus.online import UCB1, oblivious_bench
    >>> oblivious_bench(lambda seed: UCB1(2, random_state=seed), np.tile([0.0, 1.0], (50, 1)), replays=2)
    array([4., 4.])
    """
    table = np.array(rewards, dtype=np.float64)
    table.flags.writeable = False
    places = np.arange(len(table))
    best = table.sum(axis=0).max()
    return np.array([best - table[places, make(seed).run(table)].sum() for seed in range(replays)])


def stochastic_rewards(means: ArrayLike, trials: int, seed: int = 0) -> Floats:
    """Rewards 0 or 1 with one mean per arm.

    Parameters
    ----------
    means : array-like of shape (n_arms,)
        Their means.
    trials : int
        How many.
    seed : int, default=0
        Of the draws.

    Returns
    -------
    ndarray of shape (trials, n_arms)

    Examples
    --------
    >>> stochastic_rewards([0.0, 1.0], 2)
    array([[0., 1.],
           [0., 1.]])
    """
    chances = np.asarray(means, dtype=np.float64)
    return (np.random.default_rng(seed).random((trials, len(chances))) < chances).astype(np.float64)


def drifting_rewards(arms: int, trials: int, step: float = 0.02, seed: int = 0) -> Floats:
    """Rewards 0 or 1 whose means walk at random inside [0, 1]: sampled means are biased there.

    Parameters
    ----------
    arms, trials : int
        Their numbers.
    step : float, default=0.02
        Standard deviation of a mean's step.
    seed : int, default=0
        Of the draws.

    Returns
    -------
    ndarray of shape (trials, arms)

    Examples
    --------
    >>> drifting_rewards(3, 100).shape
    (100, 3)
    """
    rng = np.random.default_rng(seed)
    walk = rng.random(arms) + np.cumsum(rng.normal(0.0, step, (trials, arms)), axis=0)
    means = 1.0 - np.abs(1.0 - np.mod(walk, 2.0))  # reflected at 0 and 1
    return (rng.random((trials, arms)) < means).astype(np.float64)


def contextual_rewards(arms: int, width: int, trials: int, seed: int = 0) -> tuple[Floats, Floats]:
    """Contexts, and rewards 0 or 1 whose means are logistic in them.

    Parameters
    ----------
    arms, width, trials : int
        Numbers of arms, of numbers in a context, and of trials.
    seed : int, default=0
        Of the draws.

    Returns
    -------
    contexts : ndarray of shape (trials, width)
    rewards : ndarray of shape (trials, arms)

    Examples
    --------
    >>> [part.shape for part in contextual_rewards(3, 2, 10)]
    [(10, 2), (10, 3)]
    """
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(trials, width))
    means = 1.0 / (1.0 + np.exp(-2.0 * contexts @ rng.normal(size=(width, arms))))
    return contexts, (rng.random((trials, arms)) < means).astype(np.float64)
