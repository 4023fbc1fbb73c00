"""The one place of this family that calls compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native

Floats = NDArray[np.float64]
Pairs = NDArray[np.int32]


def process(starts: NDArray[np.int64], rewards: Floats, discount: float, rows: Any) -> Any:
    """A table of pairs as kernels read it."""
    if sparse.issparse(rows):
        entries = rows.indptr.astype(np.int64, copy=False), rows.indices.astype(np.int32, copy=False), rows.data
        return _native.Process(starts, rewards, discount, *entries)
    return _native.Process(starts, rewards, discount, np.ascontiguousarray(rows))


class LivePairs:
    """The pairs that may still be best; kernels drop others."""

    def __init__(self, starts: NDArray[np.int64]) -> None:
        self.pairs: Pairs = np.arange(starts[-1], dtype=np.int32)
        self.counts: Pairs = np.diff(starts).astype(np.int32)


class Swept(NamedTuple):
    """T U, the best pairs, and between what numbers T U - U lies."""

    values: Floats
    best: Pairs
    least: float
    most: float


def sweep(
    held: Any,
    values: Floats,
    live: LivePairs,
    threads: int,
    *,
    between: tuple[float, float] | None = None,
    margin: float = 0.0,
) -> Swept:
    """One Bellman sweep; ``between`` bounds U* - U, so that pairs that are proved bad can be dropped."""
    out, best = np.empty_like(values), np.empty(len(values), dtype=np.int32)
    lower, upper = between or (0.0, 0.0)
    least, most, _ = _native.bellman_sweep(
        held, values, out, best, live.pairs, live.counts, lower, upper, margin, between is not None, threads
    )
    return Swept(out, best, float(least), float(most))


def policy_sweeps(held: Any, pairs: Pairs, values: Floats, times: int, threads: int) -> None:
    """Apply the operator of a policy so many times, in place."""
    _native.policy_sweeps(held, pairs, values, np.empty_like(values), times, threads)


def gauss_seidel(held: Any, order: NDArray[np.int64], values: Floats, live: LivePairs, times: int) -> float:
    """Sweep in place, forwards and backwards; the largest change of the last time."""
    return float(_native.gauss_seidel(held, order, values, live.pairs, live.counts, times))


def pair_values(held: Any, values: Floats, pairs: int, threads: int = 1) -> Floats:
    """The value of every pair."""
    out = np.empty(pairs)
    _native.pair_values(held, values, out, threads)
    return out


def certified_pairs(
    held: Any, lower: Floats, upper: Floats, chosen: Pairs, margin: float, threads: int
) -> NDArray[np.bool_]:
    """In which states the chosen pair is best whatever the values between the two vectors."""
    proved = np.zeros(len(chosen), dtype=np.uint8)
    _native.certified_pairs(held, lower, upper, chosen, margin, proved, threads)
    return proved.astype(bool)


def prioritized_sweeping(
    held: Any, before_starts: NDArray[np.int64], before: Pairs, values: Floats, least: float, most: int
) -> int:
    """Update the state with the largest violation in place until none exceeds ``least``; the number of updates."""
    return int(_native.prioritized_sweeping(held, before_starts, before, values, least, most))
