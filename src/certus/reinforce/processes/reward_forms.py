"""Rewards in any form, as one number per pair and one per terminal state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.reinforce.processes.pair_table import stacked

Floats = NDArray[np.float64]
Paid = tuple[Floats, Floats, Floats | None]


def rewards_of(
    rewards: Any,
    rows: Any,
    states: NDArray[np.int64],
    actions: NDArray[np.int64],
    ends: NDArray[np.bool_],
    shape: tuple[int, int],
    name_of: Callable[[Any, Any], str],
) -> Paid:
    """Expected rewards of the pairs, values of terminal states, and what transitions pay where it differs."""
    n_actions, n_states = shape
    if isinstance(rewards, (list, tuple)) and any(sparse.issparse(each) for each in rewards):
        given = stacked(rewards, n_states)[actions * n_states + states]
        _finite(given.data, "rewards")
        entries = _entries_of(given, rows)
        return _by_transition(entries, rows, n_states)
    array = np.asarray(rewards, dtype=np.float64)
    if array.shape == (n_states,):
        _finite(array, "rewards")
        return array[states], np.where(ends, array, 0.0), None
    if array.shape == (n_states, n_actions):
        found = array[states, actions]
        if not np.isfinite(found).all():
            pair = int(np.flatnonzero(~np.isfinite(found))[0])
            raise ValueError(f"rewards: for {name_of(states[pair], actions[pair])} it is {found[pair]}.")
        return found, np.zeros(n_states), None
    if array.shape == (n_actions, n_states, n_states):
        if sparse.issparse(rows):
            pairs = np.repeat(np.arange(len(states)), np.diff(rows.indptr))
            entries = array[actions[pairs], states[pairs], rows.indices]
        else:
            entries = array[actions, states]
        possible = entries[(rows.data if sparse.issparse(rows) else rows) > 0.0]
        _finite(possible, "rewards of possible transitions")
        return _by_transition(entries, rows, n_states)
    raise ValueError(
        f"rewards must have the shape ({n_states},), ({n_states}, {n_actions}) or ({n_actions}, {n_states}, "
        f"{n_states}), "
        f"got {array.shape}."
    )


def _finite(values: Floats, name: str) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ValueError(f"{name}: place {bad[0]} is {values.ravel()[bad[0]]}, must be finite.")


def _entries_of(given: sparse.csr_array, rows: Any) -> Floats:
    """The given rewards at the places of the entries of `rows`."""
    if not sparse.issparse(rows):
        return np.asarray(given.toarray())
    pairs = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return np.asarray(given[pairs, rows.indices]).ravel()


def _by_transition(entries: Floats, rows: Any, n_states: int) -> Paid:
    if not sparse.issparse(rows):
        entries = np.where(rows > 0.0, entries, 0.0)
        return np.einsum("ij,ij->i", rows, entries), np.zeros(n_states), entries
    entries = np.where(rows.data > 0.0, entries, 0.0)
    return np.add.reduceat(rows.data * entries, rows.indptr[:-1]), np.zeros(n_states), np.ascontiguousarray(entries)
