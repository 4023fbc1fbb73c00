"""What an undiscounted process is made of: states of unbounded value, states that cannot end, and the rest as one in
which every policy that does not end loses for ever.

With discount 1 the equations of Bellman have many solutions as soon as one can stay somewhere for nothing, and none
where one can stay at a profit. So end components are found first. One of positive gain makes every state that can
reach it, and is sure to end otherwise, worth +inf. States from which no policy is sure to reach an end, or a place
to stay for nothing, are worth -inf. Where one can stay for nothing, all states are as one, with one more action: to
stop there, for 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.reinforce.processes.component_gain import component_gain
from certus.reinforce.processes.end_components import end_components, quotient
from certus.reinforce.processes.pair_table import PairTable, compact
from certus.reinforce.processes.state_graphs import (
    Entries,
    backward_search,
    entries_of,
    first_pairs,
    state_graph,
    sure_to_reach,
)

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
STOP = -1  # the pair of a collapsed process that stands for staying where nothing is paid


class Undiscounted(NamedTuple):
    """The parts of an undiscounted process.

    Parameters
    ----------
    unbounded, endless : boolean arrays of shape (S,)
        States worth +inf and -inf.
    profit : array
        Pairs of the original table whose cycles are paid for ever.
    reduced : PairTable
        The rest, with places to stay for nothing collapsed; its last state is the stop.
    place : array of shape (S,)
        The state of the reduced table for each one; -1 for the infinite.
    origin : array
        The original pair of each reduced pair, or STOP.
    defaults : array of shape (S,)
        Pairs for the states of infinite value, and those that stay for nothing.
    resting : boolean array of shape (S,)
        States in places to stay for nothing.
    at_rest : boolean array
        The original pairs that stay there.
    """

    unbounded: Mask
    endless: Mask
    profit: NDArray[np.int64]
    reduced: PairTable
    place: NDArray[np.int64]
    origin: NDArray[np.int64]
    defaults: NDArray[np.int32]
    resting: Mask
    at_rest: Mask


def undiscounted(table: PairTable) -> Undiscounted:
    """Take an undiscounted process apart."""
    entries = entries_of(table)
    everything = np.ones(len(table.rewards), dtype=bool)
    profit, earning, at_rest, groups = _places_to_stay(table, entries)
    rich = np.zeros(table.n_states, dtype=bool)
    rich[table.states[earning]] = True
    resting = groups >= 0
    targets = np.flatnonzero(table.terminal | resting | rich)
    inside, staying, _ = sure_to_reach(table, entries, targets, everything)
    to_profit = backward_search(state_graph(table, staying, entries), np.flatnonzero(rich))
    unbounded = np.zeros(table.n_states, dtype=bool)
    unbounded[to_profit.order] = True
    unbounded &= inside
    defaults = _first_of_each(table, everything)
    ways = first_pairs(table, entries, staying, to_profit.onward)
    defaults = np.where(unbounded & (ways >= 0), ways, defaults)
    defaults = np.where(rich, _profitable(table, entries, profit, earning), defaults)
    defaults = np.where(resting & ~unbounded, _first_of_each(table, at_rest), defaults)
    normal = inside & ~unbounded
    place, reduced, origin = _reduced(table, groups, normal, staying & ~at_rest)
    return Undiscounted(
        unbounded, ~inside, profit, reduced, place, origin, defaults.astype(np.int32), resting & normal, at_rest
    )


def _profitable(table: PairTable, entries: Entries, profit: NDArray[np.int64], earning: Mask) -> NDArray[np.int64]:
    """Pairs that earn for ever: those of the cycle, and ways to it that never leave its component."""
    cycle = np.zeros(len(earning), dtype=bool)
    cycle[profit] = True
    onward = backward_search(state_graph(table, earning, entries), np.unique(table.states[profit])).onward
    chosen = _first_of_each(table, cycle)
    return np.where(chosen >= 0, chosen, first_pairs(table, entries, earning, onward))


def _places_to_stay(table: PairTable, entries: Entries) -> tuple[NDArray[np.int64], Mask, Mask, NDArray[np.int64]]:
    """Pairs that are paid for ever, all pairs of their components, those that stay for nothing, and their groups."""
    numbers, inside = end_components(table, np.ones(len(table.rewards), dtype=bool), entries)
    free = inside & (table.rewards == 0.0)
    groups, free = end_components(table, free, entries)
    of_pair = np.where(inside, numbers[table.states], -1)
    count = int(numbers.max(initial=-1)) + 1
    positive = np.bincount(of_pair[inside & (table.rewards > 0.0)], minlength=count) > 0
    paid, earning = [], np.zeros(len(inside), dtype=bool)
    for component in np.flatnonzero(positive):
        found = component_gain(table, np.flatnonzero(of_pair == component))
        if found.sign == "gain":
            paid.append(found.pairs)
            earning |= of_pair == component
        elif found.sign == "nothing":
            state = int(table.states[found.pairs[0]]) if len(found.pairs) else 0
            raise ValueError(
                f"discount=1: around state {state} there is a cycle whose rewards are not 0 but sum to 0, so that "
                f"the total "
                "of staying there for ever has no limit.\nHint: use a discount below 1, or end that cycle."
            )
    profit = np.concatenate(paid) if paid else np.zeros(0, dtype=np.int64)
    return profit, earning, free, groups


def _first_of_each(table: PairTable, among: Mask) -> NDArray[np.int64]:
    """The first pair of each state among some, -1 where it has none."""
    found = np.full(table.n_states, len(among), dtype=np.int64)
    chosen = np.flatnonzero(among)
    np.minimum.at(found, table.states[chosen], chosen)
    return np.where(found == len(among), -1, found)


def _reduced(
    table: PairTable, groups: NDArray[np.int64], states: Mask, kept: Mask
) -> tuple[NDArray[np.int64], PairTable, NDArray[np.int64]]:
    place = quotient(groups, states)
    count = int(place.max(initial=-1)) + 1
    origin = np.flatnonzero(kept & states[table.states] & ~table.terminal[table.states])
    by = place[table.states[origin]]
    resting = np.unique(place[states & (groups >= 0)])
    order = np.argsort(np.append(by, resting), kind="stable")
    origin_all = np.append(origin, np.full(len(resting), STOP))[order]
    chosen = sparse.csr_array(table.rows[origin])
    mapped = np.flatnonzero(place >= 0)
    merge = sparse.csr_array((np.ones(len(mapped)), (mapped, place[mapped])), shape=(table.n_states, count + 1))
    stops = sparse.csr_array(
        (np.ones(len(resting)), (np.arange(len(resting)), np.full(len(resting), count))),
        shape=(len(resting), count + 1),
    )
    rows = sparse.csr_array(sparse.vstack([chosen @ merge, stops], format="csr"))[order]
    counts = np.bincount(np.append(by, resting), minlength=count + 1)
    fixed = np.zeros(count + 1)
    ends = np.flatnonzero(table.terminal & states)
    fixed[place[ends]] = table.fixed[ends]
    actions = np.where(origin_all == STOP, -1, table.actions[np.maximum(origin_all, 0)]) if len(order) else origin_all
    reduced = PairTable(
        starts=np.append(0, np.cumsum(counts)).astype(np.int64),
        actions=actions.astype(np.int32),
        rewards=np.where(origin_all == STOP, 0.0, table.rewards[np.maximum(origin_all, 0)])
        if len(order)
        else np.zeros(0),
        rows=compact(rows),
        fixed=fixed,
        merged=table.longest_row,
        largest=table.reward_size,
    )
    return place, reduced, origin_all


def policy_of_all(table: PairTable, parts: Undiscounted, pairs: NDArray[np.int32]) -> NDArray[np.int32]:
    """The pairs of the original states that do what those of the reduced states say.

    Where a group of states stays for nothing, its members go to the one whose pair was chosen, or stay.
    """
    found = parts.defaults.copy()
    normal = (parts.place >= 0) & ~table.terminal
    chosen = np.full(table.n_states, STOP, dtype=np.int64)
    chosen[normal] = parts.origin[pairs[parts.place[normal]]]
    single = normal & ~parts.resting
    found[single] = chosen[single]
    leaving = parts.resting & (chosen >= 0)
    if leaving.any():
        doors = np.unique(table.states[chosen[leaving]])
        entries = entries_of(table)
        inner = parts.at_rest & leaving[table.states]
        reached = backward_search(state_graph(table, inner, entries), doors)
        ways = first_pairs(table, entries, inner, reached.onward)
        found[leaving] = ways[leaving]
        found[doors] = chosen[doors]
    found[table.terminal] = -1
    return found
