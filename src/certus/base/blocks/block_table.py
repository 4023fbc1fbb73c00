"""A table in blocks of rows, which are read when they are needed, where they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class Selection:
    """Which columns of a block: those of ``only`` or all, but none of ``without``; ``single``: one, as a vector.

    ``place``: of blocks that are tuples, such as ``(X, y)``, the entry that is meant.
    """

    only: tuple[Any, ...] | None = None
    without: tuple[Any, ...] = ()
    single: bool = False
    place: int | None = None

    def names(self, present: Sequence[Any]) -> list[Any]:
        """The columns that are meant, in the table's order; a ValueError if one is missing."""
        wanted = present if self.only is None else self.only
        missing = [name for name in (*wanted, *self.without) if name not in present]
        if missing:
            raise ValueError(
                f"column {missing[0]!r} is missing; there are {', '.join(map(repr, present[:20]))}.\n"
                "Hint: all blocks of a table must have the same columns."
            )
        return [name for name in wanted if name not in self.without]

    def pick(self, block: Any) -> Any:
        """These columns of a data frame, an array or a sparse matrix."""
        if self.place is not None:
            block = block[self.place]
        if self.only is None and not self.without:
            return block
        if nw.dependencies.is_into_dataframe(block):
            frame = nw.from_native(block, eager_only=True)
            names = self.names(list(frame.columns))
            return frame[names[0]].to_numpy() if self.single else frame.select(names).to_native()
        table = block.tocsc() if sparse.issparse(block) else np.asarray(block)
        places = self.names(range(table.shape[1]))
        return table[:, places[0]] if self.single else table[:, places]


class Part(Protocol):
    """One block, not yet read. It travels to the worker that reads it, so it must be picklable."""

    @property
    def name(self) -> str:
        """What errors call it, such as a path with the number of a row group."""
        ...

    def load(self, selections: Sequence[Selection]) -> list[Any]:
        """The block's columns for every selection; only what is needed is read."""
        ...


class BlockSource(Protocol):
    """Where blocks come from."""

    @property
    def columns(self) -> tuple[Any, ...] | None:
        """Names (or places) of the columns, if they are known without reading."""
        ...

    def parts(self) -> Iterable[Any]:
        """The blocks in their order. A source that cannot be read twice raises an error the second time."""
        ...


class BlockTable:
    """A table whose rows come in blocks: pass it to ``fit``, ``predict`` and the verbs like any other table.

    Made by `certus.scale.read` and `certus.scale.blocks`. Iterating reads block after block.

    Parameters
    ----------
    source : BlockSource
        Where the blocks come from.
    selection : Selection
        Which of its columns belong to this table.
    """

    def __init__(self, source: BlockSource, selection: Selection | None = None) -> None:
        self.source = source
        self.selection = selection or Selection()

    @property
    def columns(self) -> tuple[Any, ...] | None:
        """Names (or places) of the columns, if they are known without reading."""
        known = self.source.columns
        return None if known is None else tuple(self.selection.names(known))

    def __getitem__(self, columns: Any) -> BlockTable:
        """One column as a vector in blocks, or some columns as a table."""
        single = not isinstance(columns, list)
        wanted = (columns,) if single else tuple(columns)
        if self.columns is not None:
            Selection(wanted).names(self.columns)
        return BlockTable(self.source, replace(self.selection, only=wanted, without=(), single=single))

    def xy(self, target: Any = None, weights: Any = None) -> tuple[BlockTable, ...]:
        """The other columns and the target (and the weights): ``model.fit(*table.xy("y"))``.

        Parameters
        ----------
        target : str or int, optional
            The column to be predicted; a list of columns for several targets. Blocks that are pairs ``(X, y)`` need
            none.
        weights : str or int, optional
            The column with the weights of the rows; True for blocks that are triples ``(X, y, weights)``.

        Returns
        -------
        tuple of BlockTable
            ``(X, y)``, or ``(X, y, sample_weight)``.
        """
        if target is None:
            return tuple(BlockTable(self.source, Selection(place=place)) for place in range(2 + bool(weights)))
        targets = tuple(target) if isinstance(target, list) else (target,)
        taken = targets if weights is None else (*targets, weights)
        if self.columns is not None:
            Selection(taken).names(self.columns)
        rest = replace(self.selection, without=(*self.selection.without, *taken))
        if rest.only is not None:
            rest = replace(rest, only=tuple(name for name in rest.only if name not in taken), without=())
        tables = (BlockTable(self.source, rest), self[target])
        return tables if weights is None else (*tables, self[weights])

    def map(self, function: Callable[[Any], Any]) -> BlockTable:
        """A table in the same blocks, each the (picklable) function of the block here; computed when it is read."""
        return BlockTable(MappedSource(self, function))

    def __iter__(self) -> Iterator[Any]:
        for part in self.source.parts():
            yield part.load([self.selection])[0]

    def __repr__(self) -> str:
        columns = self.columns
        return f"<{type(self).__name__}{'' if columns is None else f' of {len(columns)} columns'}, read in blocks>"


@dataclass(frozen=True)
class MappedPart:
    """A function of a block."""

    part: Part
    selection: Selection
    function: Callable[[Any], Any]

    @property
    def name(self) -> str:
        """As the block that it is made of."""
        return self.part.name

    def load(self, selections: Sequence[Selection]) -> list[Any]:
        """The function is computed once for all selections."""
        block = self.function(self.part.load([self.selection])[0])
        return [selection.pick(block) for selection in selections]


@dataclass(frozen=True)
class MappedSource:
    """Blocks that are functions of others."""

    table: BlockTable
    function: Callable[[Any], Any]
    columns: tuple[Any, ...] | None = None

    def parts(self) -> Iterator[MappedPart]:
        """The blocks in their order."""
        for part in self.table.source.parts():
            yield MappedPart(part, self.table.selection, self.function)


@dataclass(frozen=True)
class JointPart:
    """What is needed of one block of rows: columns of one part, or of several parts with the same rows."""

    parts: tuple[Any, ...]
    selections: tuple[tuple[Selection, ...], ...]

    @property
    def name(self) -> str:
        """As the first of them."""
        return self.parts[0].name

    def load(self) -> list[Any]:
        """The pieces in the order of the tables that were joined."""
        return [piece for part, chosen in zip(self.parts, self.selections, strict=True) for piece in part.load(chosen)]


def joint_parts(tables: Sequence[BlockTable]) -> Iterator[JointPart]:
    """The blocks of tables with the same rows, side by side; a source that several have is read once."""
    sources: list[Any] = []
    chosen: list[list[Selection]] = []
    for table in tables:
        at = next((place for place, source in enumerate(sources) if source is table.source), None)
        if at is None:
            sources.append(table.source)
            chosen.append([table.selection])
        elif at == len(sources) - 1:
            chosen[at].append(table.selection)
        else:  # pieces are handed over in the order of the tables
            sources.append(table.source)
            chosen.append([table.selection])
    selections = tuple(tuple(each) for each in chosen)
    ended = object()
    streams = [iter(source.parts()) for source in sources]
    while True:
        parts = [next(stream, ended) for stream in streams]
        if all(part is ended for part in parts):
            return
        if any(part is ended for part in parts):
            raise ValueError(
                "X, y and sample_weight must come in the same blocks, got different numbers of blocks.\n"
                "Hint: take them from one table, as in model.fit(*table.xy('y'))."
            )
        yield JointPart(tuple(parts), selections)
