"""The chunks of a Dask array, or the partitions of a Dask data frame, as blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from certus.base.blocks import Selection


@dataclass(frozen=True)
class Chunk:
    """A chunk that Dask computes; ``value`` is a delayed object, or what it was computed to."""

    value: Any
    name: str

    def load(self, selections: Sequence[Selection]) -> list[Any]:
        """The columns of every selection."""
        return [selection.pick(self.value) for selection in selections]


class DaskSource:
    """A Dask collection.

    Parameters
    ----------
    collection : dask.array.Array, dask.dataframe.DataFrame or Series
        An array with one chunk across its columns.
    """

    foreign = True

    def __init__(self, collection: Any) -> None:
        self.collection = collection
        names = getattr(collection, "columns", None)
        self.columns = None if names is None or collection.ndim == 1 else tuple(names)

    def parts(self) -> list[Chunk]:
        """The chunks in their order."""
        kind = type(self.collection).__name__
        pieces = self.collection.to_delayed()
        return [Chunk(piece, f"block {number} of the Dask {kind}") for number, piece in enumerate(_flat(pieces))]


def _flat(pieces: Any) -> list[Any]:
    return list(pieces.ravel()) if hasattr(pieces, "ravel") else list(pieces)
