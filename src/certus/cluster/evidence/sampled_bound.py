"""A lower bound on the cost of any clustering of many rows, from random subsets of them.

For centers C the mean cost of s random rows is their share of the cost of all rows; the best centers of the subset
cost no more than that. So the bound of a subset, divided by s, is on average at most the least cost of all rows divided
by their total weight W, and so is its minimum with any cap (Mixon and Xie 2021 use Hoeffding's inequality; betting is
tighter). Rows of equal weight are drawn without replacement, others by weight.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from certus.cluster.evidence.dual_bound import DualBound, Relaxation

Floats = NDArray[np.float64]
FEWEST_ROWS, ROWS_PER_CLUSTER = 200, 40
CAP = 1.2  # over the mean cost that was found: a few subsets are cut off, and bets need a short range
STREAM = 1_957_747_793  # these draws are independent of those behind the clustering, which have another stream


def rows_of_a_subset(clusters: int, rows: int) -> int:
    """How many rows a subset has."""
    return min(rows, max(FEWEST_ROWS, ROWS_PER_CLUSTER * clusters))


def subsets(weights: Floats, size: int, count: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """The rows of every subset."""
    rng = np.random.default_rng([seed, STREAM])
    equal = bool((weights == weights[0]).all())
    chances = None if equal else weights / weights.sum()
    for _ in range(count):
        yield rng.choice(len(weights), size, replace=not equal, p=chances)


def bound_of(rows: Floats, clusters: int, rounds: int) -> DualBound:
    """The lower bound on the cost of one subset."""
    return Relaxation(rows, np.ones(len(rows)), clusters).ascend(rounds)
