"""Blocks from anything that can be iterated: lists of arrays, generators, readers of streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from certus.base.blocks import Selection


@dataclass(frozen=True)
class Item:
    """A block that is in memory already."""

    block: Any
    name: str

    def load(self, selections: Sequence[Selection]) -> list[Any]:
        """The columns of every selection."""
        return [selection.pick(self.block) for selection in selections]


class IterableSource:
    """The items of an iterable, or of what a function returns every time it is called.

    Parameters
    ----------
    items : iterable or callable
        An iterator gives its items once only.
    """

    columns = None

    def __init__(self, items: Iterable[Any] | Callable[[], Iterable[Any]]) -> None:
        self._items = items
        self._once = not callable(items) and iter(items) is items
        self._begun = False

    def parts(self) -> Iterator[Item]:
        """The blocks in their order."""
        if self._once and self._begun:
            raise ValueError(
                "The blocks come from an iterator, which can be read once only, and this needs another pass.\n"
                "Hint: pass certus.scale.blocks a list, or a function that returns a new iterator every time."
            )
        self._begun = True
        items = self._items() if callable(self._items) else self._items
        return (Item(block, f"block {number}") for number, block in enumerate(items))
