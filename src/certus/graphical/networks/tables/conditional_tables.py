"""Tables of conditional probabilities: checked once, stored one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

MOST_OFF = 1e-4  # what a row may miss 1 by; public files are up to 3e-7 off
UNIT = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class StoredTables:
    """All tables of a network in one array, and how many rows had to be rescaled in each of them.

    Parameters
    ----------
    values : ndarray
        The tables one after the other, each in C order with the axes of the parents first and the child last.
    begins : ndarray of shape (nodes + 1,)
        Where each table begins.
    rescaled : tuple of int
        Per node the rows that did not sum to 1 within rounding.
    """

    values: Floats
    begins: Whole
    rescaled: tuple[int, ...]


def table_begins(cards: Sequence[int], parents: Sequence[Sequence[int]]) -> Whole:
    """Where each table begins in one array of all; sizes are Python's whole numbers, which never overflow."""
    begins = [0]
    for node, own in enumerate(parents):
        size = cards[node]
        for parent in own:
            size *= cards[parent]
        begins.append(begins[-1] + size)
    if begins[-1] > 2**40:
        raise MemoryError(
            f"The tables of the network must fit in memory, got {begins[-1]:,} entries.\n"
            "Hint: give the nodes fewer parents or states."
        )
    return np.array(begins, dtype=np.int64)


def stored_tables(
    names: Sequence[str],
    labels: Sequence[Sequence[Any]],
    parents: Sequence[Sequence[int]],
    tables: Mapping[str, Any],
) -> StoredTables:
    """Check the table of every node and store them."""
    known = set(names)
    for name in tables:
        if name not in known:
            raise ValueError(f"tables names {name!r}, which is no node of the network.")
    cards = [len(found) for found in labels]
    begins = table_begins(cards, parents)
    values = np.empty(begins[-1])
    rescaled = []
    for node, name in enumerate(names):
        if name not in tables:
            raise ValueError(f"tables must hold a table for every node, got none for {name!r}.")
        shape = (*(cards[parent] for parent in parents[node]), cards[node])
        table = _checked(name, tables[name], shape, [names[parent] for parent in parents[node]])
        count = _rescale(name, table, [labels[parent] for parent in parents[node]])
        rescaled.append(count)
        values[begins[node] : begins[node + 1]] = table.ravel()
    values.flags.writeable = False
    return StoredTables(values, begins, tuple(rescaled))


def _checked(name: str, given: Any, shape: tuple[int, ...], parents: list[str]) -> Floats:
    try:
        table = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The table of {name!r} must be an array of numbers ({error}).") from None
    if table.shape != shape:
        axes = " x ".join([*map(repr, parents), repr(name)])
        raise ValueError(f"The table of {name!r} must have the shape {shape} ({axes}), got {table.shape}.")
    if not np.isfinite(table).all() or (table < 0).any():
        bad = float(table[~np.isfinite(table) | (table < 0)][0])
        raise ValueError(f"The table of {name!r} must hold probabilities, got {bad!r}.")
    return table


def _rescale(name: str, table: Floats, parent_labels: list[Sequence[Any]]) -> int:
    """Divide rows that are a little off by their sum, in place; how many were."""
    sums = table.sum(axis=-1)
    off = np.abs(sums - 1.0)
    worst = int(np.argmax(off))
    if off.flat[worst] > MOST_OFF:
        at = np.unravel_index(worst, sums.shape) if sums.shape else ()
        row = ", ".join(repr(found[int(place)]) for found, place in zip(parent_labels, at, strict=True))
        where = f" (parents {row})" if row else ""
        raise ValueError(
            f"Every row of the table of {name!r} must sum to 1, got {float(sums.flat[worst])!r}{where}.\n"
            "Hint: the child is the last axis, the parents come first in their order."
        )
    rows = off > 4.0 * UNIT * table.shape[-1]
    if rows.any():
        table[rows] /= sums[rows][..., None]
    return int(rows.sum())
