"""The pairs of a state and an action, one row of probabilities for each: what every form of a process becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.reinforce import _native_calls

Floats = NDArray[np.float64]
SUM_TOLERANCE = 1e-9
SMALL = 100_000  # entries up to which a dense table is the faster one


@dataclass(frozen=True)
class PairTable:
    """Pairs in the order of their states, then of their actions; terminal states have none.

    Parameters
    ----------
    starts : array of shape (n_states + 1,)
        The pairs of state s are ``starts[s] .. starts[s + 1] - 1``.
    actions : array of shape (n_pairs,)
        The action of each pair.
    rewards : array of shape (n_pairs,)
        What it pays on average.
    rows : array or CSR array of shape (n_pairs, n_states)
        Probabilities of the next state.
    fixed : array of shape (n_states,)
        Values of terminal states; 0 elsewhere.
    paid : array, optional
        What each transition pays, in the order of the entries of `rows`, where that differs within a pair.
    merged : int, default=0
        Length of rows from which these were summed up; their rounding counts as well.
    largest : float, default=0.0
        The largest reward of which those of the pairs are averages; its rounding counts as well.
    """

    starts: NDArray[np.int64]
    actions: NDArray[np.int32]
    rewards: Floats
    rows: Any
    fixed: Floats
    paid: Floats | None = None
    merged: int = 0
    largest: float = 0.0

    @property
    def n_states(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def states(self) -> NDArray[np.int64]:
        """The state of each pair."""
        return np.repeat(np.arange(self.n_states), np.diff(self.starts))

    @cached_property
    def terminal(self) -> NDArray[np.bool_]:
        """Which states end everything."""
        return np.diff(self.starts) == 0

    @cached_property
    def longest_row(self) -> int:
        """The most transitions that a pair has; errors of rounding grow with it."""
        lengths = np.diff(self.rows.indptr) if sparse.issparse(self.rows) else [self.n_states]
        return max(int(np.max(lengths, initial=0)), self.merged)

    @cached_property
    def reward_size(self) -> float:
        """The largest reward, before averages were taken."""
        paid = 0.0 if self.paid is None else float(np.max(np.abs(self.paid), initial=0.0))
        return max(float(np.max(np.abs(self.rewards), initial=0.0)), paid, self.largest)

    def native(self, discount: float) -> Any:
        """The table as kernels read it."""
        return _native_calls.process(self.starts, self.rewards, discount, self.rows)

    def chosen(self, pairs: NDArray[np.int32]) -> Any:
        """The transition matrix of a policy, given its pair in every state that is not terminal, -1 elsewhere."""
        acting = np.flatnonzero(pairs >= 0)
        if not sparse.issparse(self.rows):
            matrix = np.zeros((self.n_states, self.n_states))
            matrix[acting] = self.rows[pairs[acting]]
            return matrix
        taken = self.rows[pairs[acting]]
        lengths = np.zeros(self.n_states + 1, dtype=taken.indptr.dtype)
        lengths[acting + 1] = np.diff(taken.indptr)
        return sparse.csr_array((taken.data, taken.indices, np.cumsum(lengths)), shape=(self.n_states,) * 2)

    def dense_if_small(self) -> PairTable:
        """The table with its rows as one array, where that is less work than a sparse matrix."""
        if not sparse.issparse(self.rows) or self.rows.shape[0] * self.n_states > SMALL:
            return self
        return replace(self, rows=self.rows.toarray(), merged=self.longest_row)

    def subset(self, kept: NDArray[np.bool_]) -> PairTable:
        """The table without some of the pairs."""
        counts = np.bincount(self.states[kept], minlength=self.n_states)
        return PairTable(
            starts=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            actions=self.actions[kept],
            rewards=self.rewards[kept],
            rows=self.rows[np.flatnonzero(kept)],
            fixed=self.fixed,
            merged=self.longest_row,
            largest=self.reward_size,
        )


def normalized_rows(rows: Any, name_of: Any) -> Any:
    """Rows of probabilities, each divided by its sum; ``name_of(pair)`` says in an error which one is wrong.

    A process is what its rows say divided by their sums, so that a sum that is off by rounding changes no meaning.
    """
    values = rows.data if sparse.issparse(rows) else rows
    sums = np.asarray(rows.sum(axis=1)).ravel()
    off = np.abs(sums - 1.0)
    fine = bool((off <= SUM_TOLERANCE).all() and values.min(initial=0.0) >= 0.0)  # False for NaN, too
    lowest = sums if fine else _row_minimum(rows)
    bad = np.flatnonzero(~((lowest >= 0.0) & (off <= SUM_TOLERANCE)))
    if bad.size:
        pair = int(bad[0])
        row = rows[[pair]].toarray()[0] if sparse.issparse(rows) else rows[pair]
        if np.isnan(row).any():
            what = f"a probability is NaN (of state {int(np.flatnonzero(np.isnan(row))[0])})"
        elif (row < 0.0).any():
            place = int(np.argmin(row))
            what = f"the probability of state {place} is {row[place]:g}, below 0"
        else:
            what = f"the probabilities sum to {sums[pair]:.12g}, not to 1"
        raise ValueError(
            f"transitions: for {name_of(pair)} {what} ({bad.size} of {rows.shape[0]} pairs are wrong).\n"
            "Hint: each row holds P(next state | state, action); list states that end everything in `terminal`, and "
            "actions that a state does not have in `available`."
        )
    longest = np.diff(rows.indptr).max(initial=0) if sparse.issparse(rows) else rows.shape[1]
    if (off <= longest / 4.0 * np.finfo(np.float64).eps).all():  # bounds count such an error as one of rounding
        return rows
    if sparse.issparse(rows):
        values = values / np.repeat(sums, np.diff(rows.indptr))
        return sparse.csr_array((values, rows.indices, rows.indptr), shape=rows.shape)
    return rows / sums[:, None]


def _row_minimum(rows: Any) -> Floats:
    if not sparse.issparse(rows):
        return np.asarray(rows.min(axis=1)) if rows.size else np.zeros(rows.shape[0])
    found = np.zeros(rows.shape[0])
    filled = np.flatnonzero(np.diff(rows.indptr))
    if filled.size:
        found[filled] = np.minimum.reduceat(rows.data, rows.indptr[filled])
    return found


def csr_of(matrix: Any, shape: tuple[int, int]) -> sparse.csr_array:
    """A matrix as CSR with 32-bit columns; a wrong shape is refused."""
    if matrix.shape != shape:
        raise ValueError(f"transitions: every matrix must have the shape {shape}, got {matrix.shape}.")
    return compact(sparse.csr_array(matrix, dtype=np.float64))


def compact(found: sparse.csr_array) -> sparse.csr_array:
    """The matrix with 32-bit indices, if they are enough."""
    if found.nnz >= 2**31 or (found.indices.dtype == found.indptr.dtype == np.int32):
        return found
    entries = (found.data, found.indices.astype(np.int32), found.indptr.astype(np.int32))
    return sparse.csr_array(entries, shape=found.shape)


def stacked(matrices: Sequence[Any], states: int) -> sparse.csr_array:
    """Sparse matrices of the actions, one below the other."""
    return csr_of(
        sparse.vstack([csr_of(each, (states, states)) for each in matrices], format="csr"),
        (len(matrices) * states, states),
    )
