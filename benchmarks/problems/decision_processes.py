"""Decision processes as tables: a row is a pair of a state and an action, its next states and their probabilities."""

from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.measure.task import Data, Quality

_SEED = 0


def random_pairs(states: int, actions: int, successors: int) -> Data:
    """Random next states."""
    rng = np.random.default_rng(_SEED)
    columns = rng.integers(0, states, (states * actions, successors)).astype(float)
    shares = rng.random((states * actions, successors))
    return {"X": np.hstack([columns, shares / shares.sum(axis=1, keepdims=True)]), "y": rng.random(states * actions)}


def grid_pairs(side: int) -> Data:
    """A square with walls on a tenth of the cells, moves that slip, and an end in a corner, which pays nothing."""
    rng = np.random.default_rng(_SEED)
    walls = rng.random((side, side)) < 0.1
    walls[0, 0] = walls[-1, -1] = False
    row, column = np.divmod(np.arange(side * side), side)
    after = []
    for down, right in ((-1, 0), (0, 1), (1, 0), (0, -1)):
        y, x = np.clip(row + down, 0, side - 1), np.clip(column + right, 0, side - 1)
        after.append(np.where(walls[y, x], row * side + column, y * side + x))
    moves = np.array(after)
    columns = np.stack([moves, np.roll(moves, 1, axis=0), np.roll(moves, -1, axis=0)], axis=2).transpose(1, 0, 2)
    columns[-1] = side * side - 1
    rewards = np.full((side * side, 4), -0.04)
    rewards[-1] = 0.0
    shares = np.tile([0.8, 0.1, 0.1], (side * side * 4, 1))
    return {"X": np.hstack([columns.reshape(-1, 3).astype(float), shares]), "y": rewards.ravel()}


def transitions(X: np.ndarray, actions: int) -> sparse.csr_array:
    """The probabilities of all pairs."""
    width = X.shape[1] // 2
    columns, shares = X[:, :width].astype(np.int32), np.ascontiguousarray(X[:, width:])
    starts = np.arange(0, columns.size + 1, width, dtype=np.int32)
    found = sparse.csr_array((shares.ravel(), columns.ravel(), starts), shape=(len(X), len(X) // actions))
    found.sum_duplicates()
    return found


def _error(model: Any, _prediction: Any, data: Data) -> float:
    from certus.reinforce import MDP, bellman_bounds

    pairs = np.arange(len(data["y"]))
    states, chosen = np.divmod(pairs, model.actions)
    mdp = MDP.from_pairs(transitions(data["X"], model.actions), data["y"], model.discount, states, chosen)
    lower, upper = bellman_bounds(mdp, model.values_)
    return float(np.max(np.maximum(upper - model.values_, model.values_ - lower)))


PROVED = Quality("proved error of the values", _error, wanted=1e-6)
