"""Remarks about a network for whoever builds it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

_NEARLY = 0.999
_MOST_ORDERS = 5  # nodes up to which all orders are tried


class Finding(NamedTuple):
    """A remark: ``kind``, the ``node`` that it is about (or None), and ``message``."""

    kind: str
    node: str | None
    message: str


def findings(network: Any) -> list[Finding]:
    """All remarks about a network, node by node."""
    found: list[Finding] = []
    if network._values is None:
        return [Finding("no-tables", None, "The network has no tables yet.")]
    for name in network.nodes:
        found += _of_table(network, name)
    found += [
        Finding("rescaled", name, f"{count} rows of {name!r} did not sum to 1 and were rescaled.")
        for name, count in network.rescaled.items()
    ]
    return found + list(_fewer_edges(network))


def _of_table(network: Any, name: str) -> Iterator[Finding]:
    table, states, parents = network.table(name), network.states(name), network.parents(name)
    zeros = int((table == 0).sum())
    if zeros:
        text = f"{zeros} probabilities of {name!r} are 0: no evidence will ever make these cases possible."
        yield Finding("zeros", name, text)
    nearly = int(((table.max(axis=-1) >= _NEARLY) & (table.max(axis=-1) < 1.0)).sum())
    if nearly:
        yield Finding("nearly-certain", name, f"{nearly} rows of {name!r} give one state at least {_NEARLY:g}.")
    never = [state for state, most in zip(states, table.reshape(-1, len(states)).max(axis=0), strict=True) if most == 0]
    if never or len(states) == 1:
        text = f"{name!r} has only one state." if len(states) == 1 else f"States of {name!r} never occur: {never!r}."
        yield Finding("useless-states", name, text)
    for axis, parent in enumerate(parents):
        if np.ptp(table, axis=axis).max(initial=0.0) == 0.0 and table.shape[axis] > 1:
            yield Finding("equal-rows", name, f"The rows of {name!r} do not depend on its parent {parent!r}.")


def _fewer_edges(network: Any) -> Iterator[Finding]:
    """An order of the nodes whose minimal I-map has fewer edges, by trying all orders of small networks."""
    from certus.graphical.independence_maps import minimal_i_map

    cells = math.prod(len(network.states(name)) for name in network.nodes)
    if not 1 < len(network.nodes) <= _MOST_ORDERS or cells > 4096:
        return
    joint = network.joint()
    best, edges = None, len(network.edges)
    for order in itertools.permutations(network.nodes):
        count = sum(map(len, minimal_i_map(joint, order).values()))
        if count < edges:
            best, edges = order, count
    if best is not None:
        text = f"In the order {', '.join(best)} the distribution needs {edges} edges instead of {len(network.edges)}."
        yield Finding("order", None, text)
