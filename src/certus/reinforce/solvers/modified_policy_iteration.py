"""Modified policy iteration (Puterman, Shin 1978): an improving sweep, then some with the policy that it chose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.reinforce import _native_calls
from certus.reinforce.solvers.search import Search

Floats = NDArray[np.float64]
MOST_SWEEPS = 60
ENOUGH = 0.05  # of the differences that an improving sweep left: more sweeps with its policy gain little


def modified_policy_iteration(search: Search, values: Floats, *, patience: int | None = None) -> tuple[Floats, bool]:
    """Improve until the bounds are close, or for at most ``patience`` rounds; the values, and whether they are good."""
    first = search.rounds
    while not search.exhausted and (patience is None or search.rounds < first + patience):
        swept, done = search.sweep(values)
        values = swept.values
        if done:
            return values, True
        enough = ENOUGH * (swept.most - swept.least)
        _native_calls.policy_sweeps(search.held, swept.best, values, MOST_SWEEPS, enough, search.threads)
        search.forget()
    return values, False
