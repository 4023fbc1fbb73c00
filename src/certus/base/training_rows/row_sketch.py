"""The smallest hashes of the training rows: a sample of the distinct rows that does not depend on anybody's choice."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.catalogue import register_part

Hashes = NDArray[np.uint64]

SIZE = 4096


@register_part("base")
class RowSketch:
    """The 4096 smallest distinct hashes of the rows of a table, and how often each occurs.

    Parameters
    ----------
    hashes : array of uint64
        The hash of every row.

    Attributes
    ----------
    rows : int
        How many rows there were.
    kept : array of uint64
        Hashes of all rows of a small table; else the smallest distinct ones, in order.
    counts : array of int64 or None
        How many rows have each hash, where they are distinct.
    complete : bool
        Whether no row is left out.
    """

    _state = ("rows", "kept", "counts", "complete")
    rows: int
    kept: Hashes
    counts: NDArray[np.int64] | None
    complete: bool

    def __init__(self, hashes: Hashes) -> None:
        self.rows = len(hashes)
        self.kept, self.counts, self.complete = hashes, None, True
        if len(hashes) > SIZE:
            self.kept, self.counts, self.complete = _smallest(hashes)

    def distinct(self) -> tuple[Hashes, NDArray[np.int64]]:
        """The distinct hashes in order, and their counts."""
        if self.counts is not None:
            return self.kept, self.counts
        kept, counts = np.unique(self.kept, return_counts=True)
        return kept, counts.astype(np.int64)

    def joined(self, other: RowSketch) -> RowSketch:
        """The sketch of the rows of both; small batches are merged once there are enough of them."""
        if vars(other).get("counts", other) is not None:
            return self._merged(other)
        base, later = vars(self).get("_batches") or (self, ())
        joined = object.__new__(RowSketch)
        joined.rows = self.rows + other.rows
        joined._batches = (base, (*later, other.kept))
        if joined.rows - base.rows >= SIZE:
            joined._merge_batches()
        return joined

    _batches: tuple[RowSketch, tuple[Hashes, ...]]

    def _merge_batches(self) -> None:
        base, later = self.__dict__.pop("_batches")
        whole = base._merged(RowSketch(np.concatenate(later)))
        self.kept, self.counts, self.complete = whole.kept, whole.counts, whole.complete

    def _before_saving(self) -> None:
        if "_batches" in vars(self):
            self._merge_batches()

    def __getattr__(self, name: str) -> Any:
        """What batches that wait to be merged still lack."""
        if name not in ("kept", "counts", "complete") or "_batches" not in vars(self):
            raise AttributeError(name)
        self._merge_batches()
        return vars(self)[name]

    def _merged(self, other: RowSketch) -> RowSketch:
        (first, first_counts), (second, second_counts) = self.distinct(), other.distinct()
        kept, places = np.unique(np.concatenate([first, second]), return_inverse=True)
        counts = np.bincount(places, np.concatenate([first_counts, second_counts])).astype(np.int64)
        # Beyond the last hash of a sketch that is not complete nothing is known.
        ends = [part[-1] for part, whole in ((first, self.complete), (second, other.complete)) if not whole]
        known = len(kept) if not ends else int(np.searchsorted(kept, min(ends), side="right"))
        size = min(known, SIZE)
        joined = object.__new__(RowSketch)
        joined.rows = self.rows + other.rows
        joined.complete = not ends and len(kept) <= SIZE
        joined.kept, joined.counts = kept[:size], counts[:size]
        return joined

    def same_rows(self, other: RowSketch) -> bool:
        """Whether both are sketches of the same rows, as far as they tell."""
        if self.rows != other.rows:
            return False
        return all(np.array_equal(one, two) for one, two in zip(self.distinct(), other.distinct(), strict=True))

    def _restored(self) -> None:
        if type(self.rows) is not int or type(self.complete) is not bool or self.rows < 0:
            raise ValueError("rows and complete are not a count and a truth value.")
        kept, counts = self.kept, self.counts
        if not _is_vector(kept, "u") or kept.dtype != np.uint64 or len(kept) > SIZE:
            raise ValueError(f"kept is not a vector of at most {SIZE} hashes.")
        if counts is None:
            if len(kept) != self.rows or not self.complete:
                raise ValueError("kept does not have one hash per row.")
            return
        if not _is_vector(counts, "i") or counts.shape != kept.shape or (counts < 1).any():
            raise ValueError("counts are not positive numbers, one for every hash.")
        if (kept[1:] <= kept[:-1]).any():
            raise ValueError("kept is not in ascending order.")
        total = sum(counts.tolist())
        if total > self.rows or self.complete != (total == self.rows):
            raise ValueError("counts do not fit the number of rows.")

    def __repr__(self) -> str:
        return f"<RowSketch of {self.rows} rows>"


def _is_vector(value: Any, kind: str) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == kind


def _smallest(hashes: Hashes) -> tuple[Hashes, NDArray[np.int64], bool]:
    """The smallest distinct hashes and their counts: those below a limit that is doubled until there are enough."""
    share = 2.0 * SIZE / len(hashes)
    while True:
        below = hashes if share >= 1.0 else hashes[hashes < np.uint64(int(share * 2.0**64))]
        kept, counts = np.unique(below, return_counts=True)
        if len(kept) > SIZE or share >= 1.0:
            return kept[:SIZE].copy(), counts[:SIZE].astype(np.int64), len(kept) <= SIZE
        share *= 4.0
