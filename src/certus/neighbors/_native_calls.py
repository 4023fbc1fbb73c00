"""The one place of this family that calls compiled code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus import _native

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


def vote_winners(neighbors: Rows, weights: Floats | None, codes: Rows, classes: int, threads: int) -> Rows:
    """The class with the greatest total weight among each query's neighbors, the first of equals."""
    winner = np.empty(len(neighbors), dtype=np.intp)
    _native.vote_winners(neighbors, weights, codes, classes, threads, winner)
    return winner


def vote_shares(neighbors: Rows, weights: Floats | None, codes: Rows, classes: int, threads: int) -> Floats:
    """Each class's share of the total weight of each query's neighbors."""
    shares = np.empty((len(neighbors), classes))
    _native.vote_shares(neighbors, weights, codes, threads, shares)
    return shares
