"""Gauss-Seidel sweeps, in an order in which states come after those that they lead to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from certus.reinforce import _native_calls
from certus.reinforce.processes.pair_table import PairTable
from certus.reinforce.processes.state_graphs import backward_search, state_graph
from certus.reinforce.solvers.search import Search

Floats = NDArray[np.float64]
SWEEPS = 8  # between two looks at the bounds


def sweep_order(table: PairTable) -> NDArray[np.int64]:
    """States that are not terminal: strong components after those that they lead to, within one by distance to the end.

    Components come from scipy in an order in which no component leads to a later one.
    """
    graph = state_graph(table)
    _, labels = connected_components(graph, directed=True, connection="strong")
    reached = backward_search(graph, np.flatnonzero(table.terminal))
    distance = np.full(table.n_states, table.n_states)
    distance[reached.order] = np.arange(len(reached.order))
    order = np.lexsort((distance, _topological(graph, labels)[labels]))
    return order[~table.terminal[order]].astype(np.int64)


def _topological(graph: Any, labels: NDArray[np.int32]) -> NDArray[np.int64]:
    """The rank of every component: each after all that it leads to (Kahn 1962)."""
    count = int(labels.max(initial=-1)) + 1
    edges = graph.tocoo()
    between = labels[edges.row] != labels[edges.col]
    ones = np.ones(int(between.sum()))
    arcs = (ones, (labels[edges.row][between], labels[edges.col][between]))
    onward = sparse.csr_array(arcs, shape=(count, count))
    back = onward.T.tocsr()
    missing = np.diff(onward.indptr).astype(np.int64)
    rank, ready, place = np.zeros(count, dtype=np.int64), list(np.flatnonzero(missing == 0)), 0
    while ready:
        component = ready.pop()
        rank[component] = place
        place += 1
        for before in back.indices[back.indptr[component] : back.indptr[component + 1]]:
            missing[before] -= 1
            if missing[before] == 0:
                ready.append(before)
    return rank


def gauss_seidel(search: Search, values: Floats) -> Floats:
    """Sweep in place until the bounds are close."""
    order = sweep_order(search.table)
    values = values.copy()
    while not search.exhausted:
        _native_calls.gauss_seidel(search.held, order, values, search.live, SWEEPS)
        search.rounds += SWEEPS - 1
        search.forget()
        swept, done = search.sweep(values)
        values = swept.values
        if done:
            break
    return values
