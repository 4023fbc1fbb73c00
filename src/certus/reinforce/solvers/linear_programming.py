"""Planning by linear programming, an independent route: min sum V subject to V(s) >= r + gamma P V for every pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from certus.reinforce.processes.pair_table import PairTable

Floats = NDArray[np.float64]


def linear_programming(table: PairTable, discount: float) -> Floats:
    """The optimal values, as HiGHS finds them."""
    count = len(table.rewards)
    own = sparse.csr_array((np.ones(count), (np.arange(count), table.states)), shape=(count, table.n_states))
    # gamma P V - V <= -r, in units of the largest reward: tolerances of HiGHS are absolute
    unit = max(float(np.max(np.abs(each), initial=0.0)) for each in (table.rewards, table.fixed)) or 1.0
    left = sparse.csr_array(discount * sparse.csr_array(table.rows) - own)
    ends = zip(table.fixed / unit, table.terminal, strict=True)
    limits = [(fixed, fixed) if end else (None, None) for fixed, end in ends]
    cost = (~table.terminal).astype(float)
    found = linprog(cost, A_ub=left, b_ub=-table.rewards / unit, bounds=limits, method="highs")
    if found.x is None:
        raise RuntimeError(f"linear programming: HiGHS says {found.message}\nHint: use another method.")
    return np.asarray(found.x) * unit
