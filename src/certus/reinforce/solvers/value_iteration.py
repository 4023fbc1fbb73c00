"""Value iteration (Bellman 1957): U := T U."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.reinforce.solvers.search import Search

Floats = NDArray[np.float64]


def value_iteration(search: Search, values: Floats) -> Floats:
    """Sweep until the bounds are close."""
    while not search.exhausted:
        swept, done = search.sweep(values)
        values = swept.values
        if done:
            break
    return values
