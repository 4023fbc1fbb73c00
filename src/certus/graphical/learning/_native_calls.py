"""The one place of learning networks that calls compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import _native
from certus.base import resolve_threads

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Parents = Sequence[Sequence[int]]
LIKELIHOOD, BDEU, K2 = 0, 1, 2


def set_sums(columns: Codes, arities: Sequence[int], weights: Floats, score: int, size: float, penalty: float) -> Any:
    """Sums over contingency tables of coded columns (one per row of ``columns``), counted once."""
    return _native.SetSums(columns, np.array(arities, dtype=np.int32), weights, score, size, penalty)


def family_scores(sums: Any, children: Sequence[int], parents: Parents, threads: int) -> Floats:
    """The score of every family."""
    out = np.empty(len(children))
    sums.score(np.array(children, dtype=np.int32), *_listed(parents), out, threads)
    return out


def entropies(sums: Any, sets: Parents, threads: int) -> Floats:
    """``sum N ln N`` over the cells of every set of columns."""
    out = np.empty(len(sets))
    sums.entropies(*_listed(sets), out, threads)
    return out


def all_sums(sums: Any, columns: int, most: int, prior: int, threads: int) -> Floats:
    """The sums of all sets of at most ``most`` columns by their bits: -1 joint tables, else those of parents."""
    out = np.full(2**columns, np.nan)
    sums.all_sums(most, prior, out, threads)
    return out


def hill_climb(
    sums: Any,
    allowed: NDArray[np.uint8],
    required: NDArray[np.uint8],
    start: Parents,
    *,
    most_parents: Sequence[int],
    remembered: int,
    patience: int,
    restarts: int,
    seed: int,
    threads: int,
) -> tuple[float, list[list[int]]]:
    """The score and the parents of the best network that a climb finds."""
    begin = [sorted(own) for own in start]
    limits = (list(most_parents), remembered, patience, restarts, seed)
    score, parents = sums.hill_climb(allowed, required, begin, *limits, threads)
    return float(score), [list(own) for own in parents]


def best_parents(
    sums: Any, child: int, allowed: int, required: int, most: int, joint: Floats, parent: Floats
) -> tuple[Floats, NDArray[np.uint32]]:
    """The best score of parents within every set of other columns, and which parents they are, as bits."""
    best, which = np.empty(len(joint) // 2), np.empty(len(joint) // 2, dtype=np.uint32)
    sums.best_parents(child, allowed, required, most, joint, parent, best, which)
    return best, which


def best_network(best: Floats, which: NDArray[np.uint32]) -> tuple[float, list[int]]:
    """The score of the best network and the parents of every node, as bits."""
    parents = np.zeros(len(best), dtype=np.uint32)
    score = float(_native.best_network(best, which, parents))
    return score, parents.tolist()


def most_completions(network: Any, rows: Codes, *, observed_only: bool) -> float:
    """Completions of the largest group of missing cells that must be summed over together."""
    return float(_native.most_completions(network, rows, observed_only))


def row_likelihoods(network: Any, rows: Codes) -> Floats:
    """The log-probability of what is observed of every row."""
    out = np.empty(len(rows))
    _native.row_likelihoods(network, rows, out, _threads(rows))
    return out


def expected_counts(network: Any, rows: Codes, weights: Floats, cells: int) -> tuple[Floats, Floats]:
    """The log-probability of what is observed of every row, and the expected counts of all tables' entries."""
    out, counts = np.empty(len(rows)), np.zeros(cells)
    _native.expected_counts(network, rows, weights, out, counts, _threads(rows))
    return out, counts


def _listed(sets: Parents) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Ascending members of all sets one after the other, and where each set begins."""
    first = np.zeros(len(sets) + 1, dtype=np.int64)
    np.cumsum([len(own) for own in sets], out=first[1:])
    return first, np.array([member for own in sets for member in sorted(own)], dtype=np.int32)


def _threads(rows: Codes) -> int:
    """One thread for small tables: waking a second one would cost more than the work."""
    return resolve_threads() if rows.size > 20_000 else 1
