"""The one place of this family that calls compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native

Floats = NDArray[np.float64]
Pairs = NDArray[np.int32]


def process(starts: NDArray[np.int64], rewards: Floats, discount: float, rows: Any) -> Any:
    """A table of pairs as kernels read it."""
    if sparse.issparse(rows):
        entries = rows.indptr.astype(np.int64, copy=False), rows.indices.astype(np.int32, copy=False), rows.data
        return _native.Process(starts, rewards, discount, *entries)
    return _native.Process(starts, rewards, discount, np.ascontiguousarray(rows))


class LivePairs:
    """The pairs that may still be best; kernels drop others."""

    def __init__(self, starts: NDArray[np.int64]) -> None:
        self.pairs: Pairs = np.arange(starts[-1], dtype=np.int32)
        self.counts: Pairs = np.diff(starts).astype(np.int32)


class Swept(NamedTuple):
    """T U, the best pairs, and between what numbers T U - U lies."""

    values: Floats
    best: Pairs
    least: float
    most: float


def sweep(
    held: Any,
    values: Floats,
    live: LivePairs,
    threads: int,
    *,
    between: tuple[float, float] | None = None,
    margin: float = 0.0,
) -> Swept:
    """One Bellman sweep; ``between`` bounds U* - U, so that pairs that are proved bad can be dropped."""
    out, best = np.empty_like(values), np.empty(len(values), dtype=np.int32)
    lower, upper = between or (0.0, 0.0)
    least, most, _ = _native.bellman_sweep(
        held, values, out, best, live.pairs, live.counts, lower, upper, margin, between is not None, threads
    )
    return Swept(out, best, float(least), float(most))


def policy_sweeps(held: Any, pairs: Pairs, values: Floats, times: int, enough: float, threads: int) -> None:
    """Apply the operator of a policy in place, until all values change nearly alike, or so many times."""
    _native.policy_sweeps(held, pairs, values, np.empty_like(values), times, enough, threads)


def gauss_seidel(held: Any, order: NDArray[np.int64], values: Floats, live: LivePairs, times: int) -> float:
    """Sweep in place, forwards and backwards; the largest change of the last time."""
    return float(_native.gauss_seidel(held, order, values, live.pairs, live.counts, times))


def pair_values(held: Any, values: Floats, pairs: int, threads: int = 1) -> Floats:
    """The value of every pair."""
    out = np.empty(pairs)
    _native.pair_values(held, values, out, threads)
    return out


def certified_pairs(
    held: Any, lower: Floats, upper: Floats, chosen: Pairs, margin: float, threads: int
) -> NDArray[np.bool_]:
    """In which states the chosen pair is best whatever the values between the two vectors."""
    proved = np.zeros(len(chosen), dtype=np.uint8)
    _native.certified_pairs(held, lower, upper, chosen, margin, proved, threads)
    return proved.astype(bool)


def prioritized_sweeping(
    held: Any, before_starts: NDArray[np.int64], before: Pairs, values: Floats, least: float, most: int
) -> int:
    """Update the state with the largest violation in place until none exceeds ``least``; the number of updates."""
    return int(_native.prioritized_sweeping(held, before_starts, before, values, least, most))


def world(held: Any, pairs: Pairs, paid: Floats, fixed: Floats, start: Floats) -> Any:
    """A known process as the world of agents."""
    return _native.World(held, pairs, paid, fixed, start)


def train(native: Any, agent: Any, episodes: int, horizon: int, seed: int) -> tuple[Floats, NDArray[np.int64]]:
    """Let an agent learn in a known process; the sum of rewards and the length of every episode."""
    returns, lengths = np.zeros(episodes), np.zeros(episodes, dtype=np.int64)
    native.train(agent, horizon, seed, returns, lengths)
    return returns, lengths


class Paths(NamedTuple):
    """Episodes one after the other; ``ends`` says where each ends."""

    states: Pairs
    actions: Pairs
    rewards: Floats
    probabilities: Floats
    ends: NDArray[np.int64]


def follow(native: Any, policy: Floats, episodes: int, horizon: int, seed: int) -> Paths:
    """Episodes of a policy in a known process."""
    room = episodes * horizon
    paths = Paths(
        np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room), np.empty(room), np.empty(episodes, np.int64)
    )
    native.follow(policy, horizon, seed, *paths)
    end = int(paths.ends[-1]) if episodes else 0
    states, actions, rewards, probabilities, ends = paths
    return Paths(states[:end], actions[:end], rewards[:end], probabilities[:end], ends)


CONTROL_KINDS = ("q-learning", "sarsa", "double")  # as numbered by the kernels


def control_agent(
    kind: str,
    discount: float,
    steps: Any,
    exploration: Any,
    pairs: Pairs,
    tables: tuple[Floats, Floats, Any],
    seed: int,
) -> Any:
    """A learner of Q that writes into the given tables: Q, a second one for double Q-learning, and visits."""
    q, second, visits = tables
    return _native.ControlAgent(CONTROL_KINDS.index(kind), discount, steps, exploration, pairs, q, second, visits, seed)


def policy_agent(
    discount: float, lambda_: float, steps: Any, policy: Floats, values: Floats, visits: NDArray[np.int64], seed: int
) -> Any:
    """TD(lambda) for a policy, writing into the given tables."""
    return _native.PolicyAgent(discount, lambda_, steps, policy, values, visits, seed)


class ModelTables(NamedTuple):
    """What adaptive dynamic programming writes into."""

    q: Floats
    values: Floats
    visits: NDArray[np.int64]


def model_agent(
    discount: float, exploration: Any, pairs: Pairs, policy: Floats | None, tables: ModelTables, updates: int, seed: int
) -> Any:
    """Adaptive dynamic programming, for a policy or for a choice of its own."""
    given = np.empty((0, pairs.shape[1])) if policy is None else policy
    return _native.ModelAgent(discount, exploration, pairs, given, *tables, updates, 1e-12, seed)


def linear_control_agent(
    kind: str,
    discount: float,
    rules: tuple[Any, Any],
    pairs: Pairs,
    features: Floats,
    weights: Floats,
    visits: NDArray[np.int64],
    seed: int,
) -> Any:
    """A learner of Q that is linear in the features of the states, writing into the given weights."""
    steps, exploration = rules
    return _native.LinearControlAgent(
        CONTROL_KINDS.index(kind), discount, steps, exploration, pairs, features, weights, visits, seed
    )


def linear_policy_agent(
    discount: float,
    steps: Any,
    policy: Floats,
    features: Floats,
    weights: Floats,
    visits: NDArray[np.int64],
    seed: int,
) -> Any:
    """TD(0) for values that are linear in features."""
    return _native.LinearPolicyAgent(discount, steps, policy, features, weights, visits, seed)


def gradient_agent(
    discount: float,
    steps: tuple[Any, Any],
    pairs: Pairs,
    tables: tuple[Floats, Floats, Floats],
    moving: bool,
    seed: int,
) -> Any:
    """A softmax policy that follows its gradient: features, weights and baseline, the last two written into."""
    return _native.GradientAgent(discount, *steps, pairs, *tables, moving, seed)


def replay_memory(parts: tuple[NDArray[Any], ...], seed: int) -> Any:
    """A ring of transitions over the given tables, truth values as bytes."""
    return _native.ReplayMemory(_bytes_for_truth(parts), seed)


def draw_transitions(memory: Any, out: tuple[NDArray[Any], ...]) -> None:
    """Fill a batch with transitions, with repetition."""
    memory.draw(_bytes_for_truth(out))


def _bytes_for_truth(parts: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
    return tuple(part.view(np.uint8) if part.dtype == bool else part for part in parts)
