"""Places for nodes of a directed graph: parents above children, few crossings, straight edges (Sugiyama et al. 1981).

Edges that pass several layers get a bend in each of them, which is ordered and placed as a node of no width.
"""

from __future__ import annotations

from dataclasses import dataclass

from certus.graphical.networks.graphs.dag import Dag, Pair

_SWEEPS = 12


@dataclass(frozen=True)
class Layout:
    """Centers of nodes, and the points through which each edge passes.

    Parameters
    ----------
    centers : list of (float, int)
        Per node its horizontal center and its layer.
    bends : dict of edge to list of (float, int)
        Between parent and child.
    """

    centers: list[tuple[float, int]]
    bends: dict[Pair, list[tuple[float, int]]]


def layered_layout(dag: Dag, widths: list[float], gap: float) -> Layout:
    """The layout of a graph whose nodes have these widths."""
    layer = _layers(dag)
    above: list[list[int]] = [[] for _ in widths]  # neighbors one layer up, bends included
    chains: dict[Pair, list[int]] = {}
    widths, layer = list(widths), list(layer)
    for parent, child in dag.edges:
        before, chain = parent, []
        for level in range(layer[parent] + 1, layer[child]):
            chain.append(len(widths))
            above.append([before])
            widths.append(gap / 2)
            layer.append(level)
            before = chain[-1]
        above[child].append(before)
        chains[parent, child] = chain
    below: list[list[int]] = [[] for _ in widths]
    for node, others in enumerate(above):
        for other in others:
            below[other].append(node)
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, level in enumerate(layer):
        rows[level].append(node)
    x = _ordered(rows, above, below)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else rows[::-1]:
            _place(row, above if down else below, x, widths, gap)
    left = min((x[node] - widths[node] / 2 for node in range(len(widths))), default=0.0)
    centers = [(x[node] - left, layer[node]) for node in range(len(widths))]
    return Layout(centers[: len(dag)], {edge: [centers[bend] for bend in chain] for edge, chain in chains.items()})


def _layers(dag: Dag) -> list[int]:
    """Every node one layer below its lowest parent; roots just above their highest child."""
    layer = [0] * len(dag)
    for node in dag.order:
        layer[node] = max((layer[parent] + 1 for parent in dag.parents[node]), default=0)
    for node in range(len(dag)):
        if not dag.parents[node] and dag.children[node]:
            layer[node] = min(layer[child] for child in dag.children[node]) - 1
    return layer


def _ordered(rows: list[list[int]], above: list[list[int]], below: list[list[int]]) -> list[float]:
    """Order every layer by the mean place of the neighbors, down and up again; the places as first coordinates."""
    place = [0.0] * len(above)
    for row in rows:
        for at, node in enumerate(row):
            place[node] = float(at)
    for sweep in range(_SWEEPS):
        near = above if sweep % 2 == 0 else below
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            row.sort(key=lambda node, near=near: (_mean(near[node], place), place[node]))  # type: ignore[misc]
            for at, node in enumerate(row):
                place[node] = float(at)
    return place


def _mean(nodes: list[int], place: list[float]) -> float:
    return sum(place[node] for node in nodes) / len(nodes) if nodes else float("inf")


def _place(row: list[int], near: list[list[int]], x: list[float], widths: list[float], gap: float) -> None:
    """Move the nodes of a layer towards the mean of their neighbors, as far as the distance between them allows."""
    wanted = [_mean(near[node], x) if near[node] else x[node] for node in row]
    lefts, rights = list(wanted), list(wanted)
    for at in range(1, len(row)):
        lefts[at] = max(lefts[at], lefts[at - 1] + (widths[row[at]] + widths[row[at - 1]]) / 2 + gap)
    for at in range(len(row) - 2, -1, -1):
        rights[at] = min(rights[at], rights[at + 1] - (widths[row[at]] + widths[row[at + 1]]) / 2 - gap)
    for node, low, high in zip(row, lefts, rights, strict=True):
        x[node] = (low + high) / 2.0
