"""Who can get where: graphs of the states of a process."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from certus.reinforce.processes.pair_table import PairTable

Mask = NDArray[np.bool_]


class Entries(NamedTuple):
    """The possible transitions: the pair and the next state of each."""

    pairs: NDArray[np.int64]
    following: NDArray[np.int64]


def entries_of(table: PairTable) -> Entries:
    """The transitions with a positive probability."""
    rows = table.rows.tocoo() if sparse.issparse(table.rows) else sparse.coo_array(table.rows)
    possible = rows.data > 0.0
    return Entries(rows.row[possible].astype(np.int64), rows.col[possible].astype(np.int64))


def state_graph(table: PairTable, allowed: Mask | None = None, entries: Entries | None = None) -> Any:
    """A graph with an edge from each state to those that (allowed) pairs can lead to."""
    pairs, following = entries or entries_of(table)
    if allowed is not None:
        taken = allowed[pairs]
        pairs, following = pairs[taken], following[taken]
    edges = (np.ones(len(pairs), dtype=np.int8), (table.states[pairs], following))
    graph = sparse.csr_array(edges, shape=(table.n_states,) * 2, dtype=np.int64)
    graph.data[:] = 1
    return graph


class Reached(NamedTuple):
    """States from which a target can be reached: in order of distance, and the next state on the way of each."""

    order: NDArray[np.int64]
    onward: NDArray[np.int64]


def backward_search(graph: Any, targets: NDArray[np.int64]) -> Reached:
    """Breadth-first search from targets along the edges of a graph turned around."""
    count = graph.shape[0]
    back = graph.T.tocoo()
    rows = np.concatenate([back.row, np.full(len(targets), count)])
    columns = np.concatenate([back.col, targets])
    full = sparse.csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(count + 1, count + 1))
    order, before = breadth_first_order(full, count, directed=True, return_predecessors=True)
    onward = np.where((before < 0) | (before == count), -1, before)[:count]
    return Reached(order[1:].astype(np.int64), onward.astype(np.int64))


def first_pairs(table: PairTable, entries: Entries, allowed: Mask, onward: NDArray[np.int64]) -> NDArray[np.int32]:
    """For every state with a next one on the way, its first allowed pair that can lead there; -1 for the others."""
    fits = allowed[entries.pairs] & (entries.following == onward[table.states[entries.pairs]])
    found = np.full(table.n_states, np.iinfo(np.int32).max, dtype=np.int64)
    np.minimum.at(found, table.states[entries.pairs[fits]], entries.pairs[fits])
    return np.where(found == np.iinfo(np.int32).max, -1, found).astype(np.int32)


def sure_to_reach(
    table: PairTable, entries: Entries, targets: NDArray[np.int64], allowed: Mask
) -> tuple[Mask, Mask, Reached]:
    """States from which some policy reaches a target with probability 1, the pairs that stay among them, the ways."""
    inside = np.ones(table.n_states, dtype=bool)
    while True:
        leaves = np.zeros(len(table.rewards), dtype=bool)
        leaves[entries.pairs[~inside[entries.following]]] = True
        staying = allowed & ~leaves & inside[table.states]
        reached = backward_search(state_graph(table, staying, entries), targets)
        now = np.zeros(table.n_states, dtype=bool)
        now[reached.order] = True
        if (now == inside).all():
            return inside, staying, reached
        inside = now
