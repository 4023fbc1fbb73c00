"""Computes on blocks with Dask: its schedulers in this process, or the cluster that a client is connected to.

Every pass is one graph: a task per block, and the tree of `certus.base.blocks.reduction` above them. Dask computes lost
tasks again, and the shape of the tree does not depend on the workers, so neither do the results.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from certus.base.blocks import BlockTable, JointPart, Task, in_blocks, merge_level, merged
from certus.scale.extra import require
from certus.scale.sources.dask_source import Chunk, DaskSource

WHAT = "Computing on Dask"


class DaskRunner:
    """The runner for Dask collections, and for all tables in blocks while a client is connected."""

    def wanted(self) -> bool:
        """Whether a client of a cluster is connected in this process."""
        return client() is not None

    def adopt(self, tables: Sequence[Any]) -> list[Any]:
        """Dask collections as tables in blocks; arrays get the chunks of the first one."""
        adopted: list[Any] = []
        rows = None
        for table in tables:
            if table is None or isinstance(table, BlockTable) or not in_blocks(table):
                adopted.append(table)
                continue
            if hasattr(table, "rechunk"):
                if table.ndim == 2:
                    table = table.rechunk({1: -1})
                known = not np.isnan(table.shape[0])
                if rows is not None and known and table.chunks[0] != rows and sum(rows) == table.shape[0]:
                    table = table.rechunk({0: rows})
                rows = table.chunks[0] if rows is None and known else rows
            adopted.append(BlockTable(DaskSource(table)))
        return adopted

    def reduce(self, parts: Iterable[JointPart], task: Task, merge: Callable[[Any, Any], Any]) -> Any:
        """Statistics of all blocks, as one graph."""
        dask = require("dask", WHAT)
        shared = dask.delayed(task, pure=False, traverse=False)
        joining = dask.delayed(merge, pure=False, traverse=False)
        call, pair = dask.delayed(_call, pure=False), dask.delayed(merged, pure=False)
        nodes = []
        for number, part in enumerate(parts):
            values = [each.value if isinstance(each, Chunk) else None for each in part.parts]
            plain = replace(
                part, parts=tuple(replace(each, value=None) if isinstance(each, Chunk) else each for each in part.parts)
            )
            # A part may hold rows or addresses only; either way it travels as one thing, with what Dask computes.
            nodes.append(call(shared, number, dask.delayed(plain, pure=False, traverse=False), values))
        if not nodes:
            return None
        while len(nodes) > 1:
            nodes = merge_level(nodes, lambda one, two: pair(joining, one, two))
        return computed(nodes[0])

    def predict(self, table: Any, function: Callable[[Any], Any]) -> Any:
        """A lazy Dask collection: the function of every block."""
        if hasattr(table, "rechunk"):
            table = table.rechunk({1: -1})
            example = np.asarray(function(np.zeros((1, table.shape[1]), dtype=table.dtype)))
            if example.ndim == 1:
                return table.map_blocks(function, dtype=example.dtype, drop_axis=1, meta=example[:0])
            chunks = (table.chunks[0], (example.shape[1],))
            return table.map_blocks(function, dtype=example.dtype, chunks=chunks, meta=example[:0])
        return table.map_partitions(_framed, function, meta=_framed(table._meta_nonempty, function).iloc[:0])


def _call(task: Task, number: int, part: JointPart, values: Sequence[Any]) -> Any:
    """The task on a block whose chunks Dask has computed."""
    parts = tuple(
        replace(each, value=value) if isinstance(each, Chunk) else each
        for each, value in zip(part.parts, values, strict=True)
    )
    return task(number, replace(part, parts=parts))


def _framed(frame: Any, function: Callable[[Any], Any]) -> Any:
    """Predictions of a pandas partition with its index."""
    pandas = require("pandas", WHAT)
    found = np.asarray(function(frame))
    kind = pandas.Series if found.ndim == 1 else pandas.DataFrame
    return kind(found, index=frame.index)


def client() -> Any:
    """The connected client of a cluster, or None; Dask is not imported for it."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.default_client()
    except ValueError:
        return None


def computed(node: Any) -> Any:
    """The value of a graph's root; a worker that keeps dying is one clear error."""
    try:
        return node.compute()
    except Exception as error:
        if type(error).__name__ != "KilledWorker":
            raise
        raise RuntimeError(
            f"Workers were killed again and again while they computed on the same block: {error}\n"
            "Hint: most often they ran out of memory; give them more, or make the blocks smaller (row groups, chunks)."
        ) from error
