"""Sequences as users give them, as batches that fit into memory.

A table with ``lengths`` and a list of sequences are one batch. Anything else that can be iterated over, and a function
that returns such a thing, is a stream of sequences: it is read once per pass over the data, in batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.graphical.sequences.known_states import allowed_states
from certus.graphical.sequences.observed_rows import ObservedRows

BATCH = 200_000  # rows of a stream that are held at a time
_NOTHING = object()


@dataclass(frozen=True)
class SequenceBatch:
    """Some whole sequences, one below the other.

    Parameters
    ----------
    rows : ObservedRows
        Their rows.
    begins : array of int64
        The first row of each, and the number of rows.
    allowed : array of bool of shape (n_rows, n_states) or None
        States that are possible by what is known.
    weights : array of float
        Weights of the sequences; empty if all are 1.
    """

    rows: ObservedRows
    begins: NDArray[np.int64]
    allowed: NDArray[np.bool_] | None
    weights: NDArray[np.float64]

    @property
    def sequences(self) -> int:
        """How many there are."""
        return len(self.begins) - 1

    @property
    def total_weight(self) -> float:
        """Sum of the weights."""
        return float(self.weights.sum()) if len(self.weights) else float(self.sequences)


class SequenceInput:
    """Sequences in any form, as something that gives batches at every pass.

    Parameters
    ----------
    read : callable
        Turns a table into `ObservedRows`, or refuses it.
    states : int
        Number of states, which ``y`` is compared with.
    X, y, lengths, sample_weight
        As given to ``fit``.
    passes : {"one", "many"}
        Whether the sequences are read again.
    wide : bool
        Whether rows have several columns; if not, a list of vectors is a list of sequences.
    """

    def __init__(
        self,
        read: Callable[[Any], ObservedRows],
        states: int,
        X: Any,
        *,
        y: Any = None,
        lengths: Any = None,
        sample_weight: Any = None,
        passes: str = "one",
        wide: bool = True,
    ) -> None:
        self._read, self._states, self._wide = read, states, wide
        self._batches: list[SequenceBatch] | None = None
        if _is_stream(X):
            if lengths is not None:
                raise ValueError("lengths must be None for a stream, whose items are sequences, got lengths.")
            if passes == "many":
                for name, stream in (("X", X), ("y", y)):
                    _refuse_used_up(stream, name)
            self._stream, self._states_stream, self._weights = X, y, sample_weight
        elif _is_list_of_sequences(X, wide):
            if lengths is not None:
                raise ValueError("lengths must be None for a list of sequences, got lengths.")
            self._batches = [self._of_list(list(X), _flat_states(y, X), sample_weight)]
        else:
            rows = read(_column(X) if not wide else X)
            self._batches = [self._of_rows(rows, _lengths(lengths, len(rows)), y, sample_weight)]

    def __iter__(self) -> Iterator[SequenceBatch]:
        return iter(self._batches) if self._batches is not None else self._read_stream()

    def _read_stream(self) -> Iterator[SequenceBatch]:
        weights = None if self._weights is None else np.asarray(self._weights, dtype=np.float64)
        held: list[Any] = []
        known: list[Any] = []
        rows = done = 0
        states = () if self._states_stream is None else _iterator(self._states_stream)
        pairs: Iterator[tuple[Any, Any]] = zip_longest(_iterator(self._stream), states, fillvalue=_NOTHING)
        for sequence, state in pairs:
            if sequence is _NOTHING or (state is _NOTHING and self._states_stream is not None):
                raise ValueError("y must hold the states of as many sequences as X, got another number.")
            held.append(sequence)
            known.append(None if state is _NOTHING else state)
            rows += len(sequence)
            if rows >= BATCH:
                yield self._of_list(held, _joined(known), None if weights is None else weights[done : done + len(held)])
                done += len(held)
                held, known, rows = [], [], 0
        if held:
            yield self._of_list(held, _joined(known), None if weights is None else weights[done : done + len(held)])
            done += len(held)
        if not done:
            raise ValueError("X must hold at least one sequence, got an empty stream.")
        if weights is not None and weights.shape != (done,):
            raise ValueError(f"sample_weight must hold a weight per sequence ({done}), got the shape {weights.shape}.")

    def _of_list(self, sequences: list[Any], y: Any, weights: Any) -> SequenceBatch:
        tables = [np.asarray(sequence) for sequence in sequences]
        if not self._wide:
            tables = [table.reshape(-1, 1) if table.ndim == 1 else table for table in tables]
        for place, table in enumerate(tables):
            if table.ndim != 2 or not len(table) or table.shape[1] != tables[0].shape[1]:
                width = tables[0].shape[1] if tables[0].ndim == 2 else "d"
                raise ValueError(
                    f"X must be a list of sequences of shape (rows, {width}), got the shape {table.shape} for sequence "
                    f"{place}."
                )
        lengths = np.array([len(table) for table in tables], dtype=np.int64)
        return self._of_rows(self._read(np.concatenate(tables)), lengths, y, weights)

    def _of_rows(self, rows: ObservedRows, lengths: NDArray[np.int64], y: Any, weights: Any) -> SequenceBatch:
        allowed = allowed_states(y, len(rows), self._states)
        factors = _weights(weights, lengths)
        if len(factors) and not factors.all():  # a weight of 0 removes a sequence
            kept = factors > 0.0
            places = np.repeat(kept, lengths)
            rows, lengths, factors = rows[places], lengths[kept], factors[kept]
            allowed = None if allowed is None else allowed[places]
        begins = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return SequenceBatch(rows, begins, allowed, factors)


def _is_stream(X: Any) -> bool:
    if callable(X) and not hasattr(X, "__array__"):
        return True
    table = any(hasattr(X, name) for name in ("__len__", "__array__", "shape", "__dataframe__"))
    return isinstance(X, Iterable) and not table


def _iterator(stream: Any) -> Iterator[Any]:
    return iter(stream() if callable(stream) else stream)


def _refuse_used_up(stream: Any, name: str) -> None:
    if stream is not None and not callable(stream) and iter(stream) is stream:
        raise ValueError(
            f"{name} must be something that can be read more than once, got {type(stream).__name__}, which is used up "
            "after one pass.\n"
            "Hint: give the function that makes the generator, or an object whose __iter__ starts anew."
        )


def _is_list_of_sequences(X: Any, wide: bool) -> bool:
    if not isinstance(X, list | tuple) or not X:
        return False
    if wide:
        return all(np.ndim(item) == 2 for item in X)
    if all(isinstance(item, np.ndarray) and item.ndim == 1 for item in X):
        return any(len(item) != 1 for item in X)
    if all(isinstance(item, list | tuple | np.ndarray) for item in X) and len({len(item) for item in X}) > 1:
        return all(np.ndim(entry) == 0 for item in X for entry in item)  # no table has rows of different lengths
    return all(np.ndim(item) == 2 for item in X)


def _column(X: Any) -> Any:
    """A vector of symbols as a column."""
    return np.asarray(X).reshape(-1, 1) if np.ndim(X) == 1 else X


def _flat_states(y: Any, X: Any) -> Any:
    if y is None or not isinstance(y, list | tuple) or not y or np.ndim(y[0]) == 0:
        return y
    if len(y) != len(X):
        raise ValueError(f"y must hold the states of {len(X)} sequences, got {len(y)}.")
    return _joined(list(y))


def _joined(states: list[Any]) -> Any:
    return None if any(state is None for state in states) else np.concatenate([np.asarray(state) for state in states])


def _lengths(lengths: Any, rows: int) -> NDArray[np.int64]:
    if lengths is None:
        return np.array([rows], dtype=np.int64)
    found = np.asarray(lengths)
    if found.ndim != 1 or not len(found) or found.dtype.kind not in "iu" or (found < 1).any():
        raise ValueError(f"lengths must be positive whole numbers, one per sequence, got {lengths!r}.")
    if int(found.sum()) != rows:
        raise ValueError(
            f"lengths must add up to the number of rows of X, {rows}, got lengths with the sum {int(found.sum())}."
        )
    return found.astype(np.int64)


def _weights(weights: Any, lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    if weights is None:
        return np.empty(0)
    found = np.asarray(weights, dtype=np.float64)
    if found.ndim == 0:
        found = np.full(len(lengths), float(found))
    if found.shape != lengths.shape:
        raise ValueError(
            f"sample_weight must hold a weight per sequence ({len(lengths)}), got the shape {found.shape}.\n"
            "Hint: rows of one sequence cannot be weighted apart."
        )
    if not np.isfinite(found).all() or (found < 0.0).any() or not found.any():
        raise ValueError("sample_weight must be finite numbers that are not negative and not all 0.")
    return found
