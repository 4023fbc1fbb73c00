"""Which rows represent the others in a Nystrom approximation: uniform draws, leverage scores, pivoted Cholesky."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from certus.base import RandomStateLike, resolve_seed
from certus.kernels._native_calls import Array

Integers = NDArray[np.int64]
Columns = Callable[[Integers], Array]  # kernel values of all rows with some
EPSILON = float(np.finfo(np.float64).eps)


def generator(random_state: RandomStateLike) -> np.random.RandomState:
    """The generator whose draws scikit-learn would make from this seed."""
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.RandomState(resolve_seed(random_state) % 2**32)
    return np.random.RandomState(random_state)


def uniform(rows: int, wanted: int, draws: np.random.RandomState) -> Integers:
    """Rows that are all equally likely."""
    return np.asarray(draws.permutation(rows)[:wanted], dtype=np.int64)


def leverage(columns: Columns, diagonal: Array, wanted: int, draws: np.random.RandomState) -> Integers:
    """Rows drawn with probabilities proportional to their ridge leverage scores.

    The score of a row is the i-th diagonal entry of K (K + ridge I)^-1; uniformly drawn rows S estimate it by
    (k_ii - k_iS (K_SS + ridge |S| / n I)^-1 k_Si) / ridge (Musco, Musco 2017). The ridge is the trace of K
    over the wanted number, so that the scores add up to that number at most.
    """
    rows = len(diagonal)
    pilot = uniform(rows, wanted, draws)
    across = columns(pilot)
    own = across[pilot]
    ridge = max(float(diagonal.sum()) / wanted, np.finfo(np.float64).tiny)
    shifted = own + ridge * len(pilot) / rows * np.eye(len(pilot))
    explained = np.einsum("ij,ji->i", across, linalg.solve(shifted, across.T, assume_a="sym"))
    scores = np.clip((diagonal - explained) / ridge, 1e-12, 1.0)
    return np.asarray(draws.choice(rows, size=wanted, replace=False, p=scores / scores.sum()), dtype=np.int64)


def pivoted_cholesky(columns: Columns, diagonal: Array, wanted: int) -> Integers:
    """Greedily the row whose feature is worst explained by those taken so far; fewer rows if all are explained."""
    left = diagonal.copy()
    factor = np.zeros((len(diagonal), wanted))
    taken: list[int] = []
    floor = 4.0 * len(diagonal) * EPSILON * float(diagonal.max(initial=0.0))
    for step in range(wanted):
        pivot = int(left.argmax())
        if not left[pivot] > floor:
            break
        column = columns(np.array([pivot]))[:, 0] - factor[:, :step] @ factor[pivot, :step]
        factor[:, step] = column / np.sqrt(left[pivot])
        left = np.maximum(left - factor[:, step] ** 2, 0.0)
        left[pivot] = 0.0
        taken.append(pivot)
    return np.array(taken or [0], dtype=np.int64)
