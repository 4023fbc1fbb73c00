"""Prioritized sweeping (Moore, Atkeson 1993): states whose equations are violated most come first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.reinforce import _native_calls
from certus.reinforce.processes.state_graphs import state_graph
from certus.reinforce.solvers.search import Search

Floats = NDArray[np.float64]


def prioritized_sweeping(search: Search, values: Floats) -> Floats:
    """Update states by priority until the bounds are close; a round is as many updates as there are states."""
    before = state_graph(search.table).T.tocsr()
    starts, states = before.indptr.astype(np.int64), before.indices.astype(np.int32)
    values = values.copy()
    least = search.allowed(values) * max(1.0 - search.discount, 1e-3)
    while not search.exhausted:
        budget = search.table.n_states * 50
        _native_calls.prioritized_sweeping(search.held, starts, states, values, least, budget)
        search.forget()
        swept, done = search.sweep(values)
        values = swept.values
        if done:
            break
        least /= 4.0
    return values
