"""The method that is chosen by size, density, discount, and by how fast the first rounds were."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.reinforce import _native_calls
from certus.reinforce.solvers.linear_solves import LARGE
from certus.reinforce.solvers.modified_policy_iteration import modified_policy_iteration
from certus.reinforce.solvers.policy_iteration import policy_iteration
from certus.reinforce.solvers.search import Search

Floats = NDArray[np.float64]
SMALL = 200  # states for which exact policies cost nothing
FIRST_SWEEPS = 20  # before them, which leave fewer policies to try
TRIED = 30  # rounds of sweeps before exact policies take over, where they can


def automatic(search: Search, values: Floats) -> Floats:
    """Sweeps first; exact policies for small processes, and where sweeps come on slowly."""
    states = search.table.n_states
    if states <= SMALL:
        values = values.copy()
        _native_calls.gauss_seidel(
            search.held, np.flatnonzero(~search.table.terminal), values, search.live, FIRST_SWEEPS
        )
        return policy_iteration(search, values)
    exact = states <= LARGE
    values, done = modified_policy_iteration(search, values, patience=TRIED if exact else None)
    return values if done or not exact else policy_iteration(search, values)
