"""End components: sets of states in which one can stay for ever."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from certus.reinforce.processes.pair_table import PairTable
from certus.reinforce.processes.state_graphs import Entries, entries_of, state_graph

Mask = NDArray[np.bool_]


def end_components(table: PairTable, allowed: Mask, entries: Entries | None = None) -> tuple[NDArray[np.int64], Mask]:
    """The maximal end components of the allowed pairs: for each state its number, -1 outside; and the pairs inside.

    Strong components whose pairs lead outside lose these pairs, again and again (de Alfaro 1997).
    """
    entries = entries or entries_of(table)
    inside = allowed.copy()
    while True:
        _, labels = connected_components(state_graph(table, inside, entries), directed=True, connection="strong")
        leaves = np.zeros(len(inside), dtype=bool)
        own = labels[table.states[entries.pairs]]
        leaves[entries.pairs[labels[entries.following] != own]] = True
        kept = inside & ~leaves
        if (kept == inside).all():
            break
        inside = kept
    has = np.zeros(table.n_states, dtype=bool)
    has[table.states[inside]] = True
    numbers = np.full(table.n_states, -1, dtype=np.int64)
    if has.any():
        numbers[has] = np.unique(labels[has], return_inverse=True)[1]
    return numbers, inside


def quotient(numbers: NDArray[np.int64], states: Mask) -> NDArray[np.int64]:
    """The number that each state gets when components become single states; -1 for states that are left out."""
    place = np.full(len(numbers), -1, dtype=np.int64)
    single = states & (numbers < 0)
    place[single] = np.arange(int(single.sum()))
    grouped = states & (numbers >= 0)
    if grouped.any():
        place[grouped] = int(single.sum()) + np.unique(numbers[grouped], return_inverse=True)[1]
    return place
