"""Who computes on blocks: here one after the other, or whoever `certus.scale` registered.

A Dask collection is recognized by the module of its type, without importing Dask; `certus.scale` is loaded then, by
name, because imports go down and it lies above.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from certus.base.blocks.block_table import BlockTable, JointPart
from certus.base.blocks.reduction import TreeReduction

Task = Callable[[int, JointPart], Any]


class BlockError(ValueError):
    """A block cannot be read, or does not fit the others."""


class Runner(Protocol):
    """Computes on blocks."""

    def wanted(self) -> bool:
        """Whether it should compute now, for instance because a cluster is connected."""
        ...

    def adopt(self, tables: Sequence[Any]) -> list[Any]:
        """Foreign collections with the same rows as tables in the same blocks; others and None stay as they are."""
        ...

    def reduce(self, parts: Iterable[JointPart], task: Task, merge: Callable[[Any, Any], Any]) -> Any:
        """Statistics of all blocks, merged in the tree of `reduction`."""
        ...

    def predict(self, table: Any, function: Callable[[Any], Any]) -> Any:
        """A lazy collection of the kind of ``table``: a function of every block."""
        ...


class SerialRunner:
    """Block after block in this process; a table larger than memory needs no more."""

    def reduce(self, parts: Iterable[JointPart], task: Task, merge: Callable[[Any, Any], Any]) -> Any:
        """Statistics of all blocks, merged in the tree of `reduction`."""
        tree = TreeReduction(merge)
        for number, part in enumerate(parts):
            tree.add(task(number, part))
        return tree.result()


_registered: list[Runner] = []


def register_runner(runner: Runner) -> None:
    """Let this runner compute where it is wanted, and on its own collections."""
    _registered[:] = [runner]


def current_runner(tables: Sequence[BlockTable]) -> Runner | SerialRunner:
    """Who computes on these tables."""
    if any(getattr(table.source, "foreign", False) for table in tables):
        return foreign_runner()
    return next((runner for runner in _registered if runner.wanted()), SerialRunner())


def in_blocks(table: Any) -> bool:
    """Whether this is a table in blocks or a Dask collection."""
    return isinstance(table, BlockTable) or is_foreign(table)


def is_foreign(table: Any) -> bool:
    """Whether this is a Dask array, data frame or series."""
    return type(table).__module__.startswith("dask.") and hasattr(table, "__dask_graph__")


def foreign_runner() -> Runner:
    """The runner for Dask collections; its package says so if Dask is missing."""
    importlib.import_module("certus.scale")
    return _registered[0]


def as_block_tables(tables: Sequence[Any]) -> list[BlockTable | None]:
    """The tables in blocks behind what a user passed; None stays None."""
    if any(is_foreign(table) for table in tables):
        tables = foreign_runner().adopt(tables)
    for table in tables:
        if table is not None and not isinstance(table, BlockTable):
            raise TypeError(
                f"X, y and sample_weight must all be in blocks if one of them is, got {type(table).__name__}.\n"
                "Hint: take them from one table, as in model.fit(*table.xy('y')), or make each a Dask array."
            )
    return list(tables)
