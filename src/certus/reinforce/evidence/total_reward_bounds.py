"""Two-sided bounds on the optimal values of an undiscounted process in which not to end loses for ever.

From below, the exact value V of a policy that is sure to end, less what rounding can explain: with w(s) the expected
steps to the end, L = V - e w satisfies L <= T_pi L. From above, a vector U >= T U: the value of every policy that is
sure to end is at most U, and the others are worth -inf (Bertsekas, Tsitsiklis 1991). U = V + e w' works with w' the
most steps that actions as good as the best can take.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.reinforce import _native_calls
from certus.reinforce._native_calls import LivePairs
from certus.reinforce.evidence.residual_bounds import EPS, Bounds, rounding
from certus.reinforce.processes.pair_table import PairTable
from certus.reinforce.processes.state_graphs import backward_search, entries_of, first_pairs, state_graph, sure_to_reach
from certus.reinforce.solvers.linear_solves import PolicySystem, policy_rewards
from certus.reinforce.solvers.policy_improvement import improved

Floats = NDArray[np.float64]
Pairs = NDArray[np.int32]
MOST_ROUNDS = 200
SPARE = 16.0  # roundings of a sweep that vectors keep as a margin, half of them for whoever checks them
TIES = (
    1e-9,
    1e-7,
    1e-5,
    1e-11,
)  # differences of actions, as shares of the largest value, below which they count as equal


def total_reward_bounds(table: PairTable, held: Any, values: Floats) -> Bounds:
    """Bounds, after policy iteration from the policy that is greedy for some values."""
    if not len(table.rewards):
        return Bounds(table.fixed, table.fixed, np.full(table.n_states, -1, dtype=np.int32))
    pairs = ending_policy(table, _native_calls.sweep(held, values, LivePairs(table.starts), 1).best)
    for _ in range(MOST_ROUNDS):
        system = PolicySystem(table.chosen(pairs), table.terminal, 1.0)
        found = system.solve(policy_rewards(table, pairs), table.fixed)
        worth = _native_calls.pair_values(held, found, len(table.rewards))
        error = rounding(table, 1.0, float(np.max(np.abs(found), initial=0.0)))
        residual = float(np.max(np.abs(worth[pairs[pairs >= 0]] - found[pairs >= 0]), initial=0.0))
        changed, moved = improved(table, worth, pairs, 4.0 * error + 2.0 * residual)
        if not moved or not sure_to_end(table, changed).all():
            break
        pairs = changed
    steps = system.solve(np.where(table.terminal, 0.0, 1.0), np.zeros(table.n_states))
    lower = _below(table, held, pairs, found, steps)
    upper = _above(table, held, pairs, found, worth, steps)
    return Bounds(lower, upper, pairs)


def sure_to_end(table: PairTable, pairs: Pairs, ends: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
    """From which states a policy reaches a terminal state (or one of ``ends``) with probability 1."""
    graph = _policy_graph(table, pairs)
    found = np.zeros(table.n_states, dtype=bool)
    found[backward_search(graph, np.flatnonzero(table.terminal if ends is None else ends)).order] = True
    return found if found.all() else ~_leading_to(graph, ~found)


def staying(table: PairTable, pairs: Pairs, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The states of a set that a policy never leaves once it is in one of them."""
    return among & ~_leading_to(_policy_graph(table, pairs), ~among)


def _policy_graph(table: PairTable, pairs: Pairs) -> Any:
    chosen = np.zeros(len(table.rewards), dtype=bool)
    chosen[pairs[pairs >= 0]] = True
    return state_graph(table, chosen)


def _leading_to(graph: Any, targets: NDArray[np.bool_]) -> NDArray[np.bool_]:
    found = np.zeros(len(targets), dtype=bool)
    found[backward_search(graph, np.flatnonzero(targets)).order] = True
    return found


def ending_policy(table: PairTable, pairs: Pairs) -> Pairs:
    """The same policy, or one that goes straight to the end wherever it might not end."""
    sure = sure_to_end(table, pairs)
    if sure.all():
        return pairs
    entries = entries_of(table)
    allowed = np.ones(len(table.rewards), dtype=bool)
    _, staying, reached = sure_to_reach(table, entries, np.flatnonzero(table.terminal), allowed)
    ways = first_pairs(table, entries, staying, reached.onward)
    mixed = np.where(sure, pairs, ways)
    return mixed if sure_to_end(table, mixed).all() else np.where(table.terminal, -1, ways)


def _below(table: PairTable, held: Any, pairs: Pairs, values: Floats, steps: Floats) -> Floats:
    acting = pairs >= 0
    chosen = pairs[acting]
    nothing = np.full(table.n_states, -np.inf)
    nothing[table.terminal] = table.fixed[table.terminal]
    if not (np.isfinite(values).all() and np.isfinite(steps).all()):
        return nothing
    worth = _native_calls.pair_values(held, values, len(table.rewards))
    error = rounding(table, 1.0, float(np.abs(values).max(initial=0.0)))
    needed = float(np.max(values[acting] - worth[chosen], initial=0.0)) + SPARE * error
    for _ in range(8):
        lower = np.where(table.terminal, table.fixed, values - needed * np.maximum(steps, 1.0))
        if superharmonic_excess(table, held, lower, pairs) <= 0.0:
            return lower
        needed *= 2.0
    return nothing


def superharmonic_excess(table: PairTable, held: Any, vector: Floats, pairs: Pairs | None = None) -> float:
    """By how much T U exceeds U (without a policy) or L exceeds T_pi L somewhere, with a margin for rounding."""
    worth = _native_calls.pair_values(held, vector, len(table.rewards))
    error = rounding(table, 1.0, float(np.abs(vector).max(initial=0.0)))
    if pairs is None:
        return float(np.max(worth - vector[table.states], initial=-np.inf)) + SPARE / 2 * error
    acting = pairs >= 0
    return float(np.max(vector[acting] - worth[pairs[acting]], initial=-np.inf)) + SPARE / 2 * error


def _above(table: PairTable, held: Any, pairs: Pairs, values: Floats, worth: Floats, steps: Floats) -> Floats:
    nothing = np.where(table.terminal, table.fixed, np.inf)
    if not (np.isfinite(values).all() and np.isfinite(steps).all()):
        return nothing
    size = float(np.abs(values).max(initial=0.0))
    excess = worth - values[table.states]
    for share in TIES:
        near = excess >= -share * size
        near[pairs[pairs >= 0]] = True
        longest = _longest(table, near, pairs, steps)
        if longest is None:
            continue
        error = rounding(table, 1.0, size)
        needed = max(0.0, float(excess[near].max(initial=0.0))) + SPARE * error
        for _ in range(8):
            upper = np.where(table.terminal, table.fixed, values + needed * np.maximum(longest, 1.0))
            if superharmonic_excess(table, held, upper) <= 0.0:
                return upper
            needed *= 2.0
    return nothing


def _longest(table: PairTable, near: NDArray[np.bool_], pairs: Pairs, steps: Floats) -> Floats | None:
    """The most expected steps of policies made of some of the pairs; None where one of them may not end."""
    part = table.subset(near)
    counting = type(part)(part.starts, part.actions, np.ones(len(part.rewards)), part.rows, np.zeros(part.n_states))
    number = np.cumsum(near) - 1
    mine = np.where(pairs >= 0, number[np.maximum(pairs, 0)], -1).astype(np.int32)
    held = counting.native(1.0)
    for _ in range(MOST_ROUNDS):
        worth = _native_calls.pair_values(held, steps, len(counting.rewards))
        if not np.isfinite(worth).all():
            return None
        changed, moved = improved(counting, worth, mine, max(1e-3, 1e-9 * float(steps.max(initial=1.0))))
        if not moved:
            return steps * (1.0 + 64.0 * EPS) * 1.01
        if not sure_to_end(counting, changed).all():
            return None
        mine = changed
        steps = PolicySystem(counting.chosen(mine), counting.terminal, 1.0).solve(
            policy_rewards(counting, mine), np.zeros(part.n_states)
        )
    return None
