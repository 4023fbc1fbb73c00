"""What a network on a graph computes the features of one node from: the tree of its neighbors' neighbors."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.neural.deep.graphs.given_graph import read_adjacency

Indices = NDArray[np.int64]
MOST_NODES = 1_000_000
MOST_DRAWN = 2_000


@dataclass(frozen=True, eq=False)
class ComputationGraph:
    """The tree of a node: its neighbors, theirs, and so on, one level per layer of a network.

    A node of the graph stands in the tree as often as there are walks to it: level k has one place per walk of k
    edges that begins at the root.

    Attributes
    ----------
    levels : tuple of int arrays
        The node at every place, level by level; the first level is the root alone.
    parents : tuple of int arrays
        For every place its parent's place in the level above; empty for the root.
    names : tuple of str
        What nodes are called in texts and pictures.
    """

    levels: tuple[Indices, ...]
    parents: tuple[Indices, ...]
    names: tuple[str, ...]

    @property
    def depth(self) -> int:
        """Levels below the root."""
        return len(self.levels) - 1

    @property
    def n_places(self) -> int:
        """Places of the tree, the root among them."""
        return sum(map(len, self.levels))

    @property
    def receptive_field(self) -> Indices:
        """The nodes of the graph that the root's output depends on, in increasing order."""
        return np.unique(np.concatenate(self.levels))

    def __str__(self) -> str:
        """The tree as text, one place per line."""
        self._check_size("text")
        lines: list[str] = []
        children = self._children()
        open_places = [(0, 0, "", "")]  # level, place, indent of the line, indent of the lines below
        while open_places:
            level, place, indent, below = open_places.pop()
            lines.append(indent + self.names[self.levels[level][place]])
            if level < self.depth:
                under = children[level + 1][place]
                for rank, child in reversed(list(enumerate(under))):
                    last = rank == len(under) - 1
                    step = (below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))
                    open_places.append((level + 1, child, *step))
        return "\n".join(lines)

    def to_svg(self) -> str:
        """The tree as a picture: the root on top, a row of places per level."""
        self._check_size("a picture")
        across = self._positions()
        width, height = 34.0 * max(1, len(self.levels[-1])) + 20.0, 60.0 * self.depth + 50.0
        lines, circles = [], []
        for level, nodes in enumerate(self.levels):
            for place, node in enumerate(nodes):
                x, y = 10.0 + 34.0 * across[level][place], 25.0 + 60.0 * level
                if level:
                    above = 10.0 + 34.0 * across[level - 1][self.parents[level][place]]
                    lines.append(f'<line x1="{above:.1f}" y1="{y - 60:.1f}" x2="{x:.1f}" y2="{y:.1f}" stroke="#999"/>')
                circles.append(
                    f'<circle cx="{x:.1f}" cy="{y:.1f}" r="13" fill="#fff" stroke="#246"/><text x="{x:.1f}" '
                    f'y="{y + 4:.1f}" font-size="12" text-anchor="middle">{escape(self.names[node])}</text>'
                )
        size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(lines + circles)}</svg>'

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _children(self) -> list[list[list[int]]]:
        """For every level and place of the level above, the places below it."""
        found: list[list[list[int]]] = [[]]
        for above, parents in zip(self.levels, self.parents[1:], strict=False):
            under: list[list[int]] = [[] for _ in above]
            for place, parent in enumerate(parents):
                under[parent].append(place)
            found.append(under)
        return found

    def _positions(self) -> list[NDArray[np.float64]]:
        """Leaves side by side, and every other place above the middle of its children."""
        children, across = self._children(), [np.zeros(len(level)) for level in self.levels]
        free = 0.5
        order = [(0, 0, False)]
        while order:
            level, place, seen = order.pop()
            under = children[level + 1][place] if level < self.depth else []
            if not under:
                across[level][place], free = free, free + 1.0
            elif seen:
                across[level][place] = np.mean(across[level + 1][[under[0], under[-1]]])
            else:
                order += [(level, place, True), *((level + 1, child, False) for child in reversed(under))]
        return across

    def _check_size(self, what: str) -> None:
        if self.n_places > MOST_DRAWN:
            raise ValueError(
                f"a tree must have at most {MOST_DRAWN} places for {what}, got {self.n_places}.\n"
                "Hint: a smaller depth; `levels` and `parents` have the whole tree."
            )


def computation_graph(
    adjacency: Any, node: int, depth: int, *, loops: bool = False, names: Sequence[Any] | None = None
) -> ComputationGraph:
    """The tree from which `depth` layers of a network compute the features of one node.

    Parameters
    ----------
    adjacency : array or sparse matrix of shape (nodes, nodes)
        Weights of edges; row i lists what node i hears.
    node : int
        The root.
    depth : int
        Layers of the network, levels below the root.
    loops : bool, default=False
        Whether every place has its own node among its children too, as layers compute that hear the node itself.
    names : sequence, default=None
        Names of the nodes; None: their numbers.

    Returns
    -------
    ComputationGraph
        At most 1000000 places.

    Examples
    --------
    >>> from certus.neural.deep import computation_graph
    >>> path = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    >>> print(computation_graph(path, 0, 2, names="ABC"))
    A
    └─ B
       ├─ A
       └─ C
    """
    edges = read_adjacency(adjacency, "computation_graph")
    count = edges.shape[0]
    node, depth = _whole("node", node, count - 1), _whole("depth", depth, None)
    called = tuple(map(str, range(count) if names is None else names))
    if len(called) != count:
        raise ValueError(f"names must be one per node, got {len(called)} for {count} nodes.\nHint: names=None.")
    starts, heard = edges.indptr.astype(np.int64), edges.indices.astype(np.int64)
    if loops:
        starts, heard = _with_loops(starts, heard)
    levels, parents = [np.array([node], dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for level in range(depth):
        sizes = (starts[1:] - starts[:-1])[levels[-1]]
        if sum(map(len, levels)) + int(sizes.sum()) > MOST_NODES:
            raise ValueError(
                f"the tree must have at most {MOST_NODES} places, got more at depth {level + 1}.\n"
                "Hint: a smaller depth; walks multiply from level to level."
            )
        parent = np.repeat(np.arange(len(sizes)), sizes)
        place = np.arange(len(parent)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        levels.append(heard[starts[levels[-1]][parent] + place])
        parents.append(parent)
    return ComputationGraph(tuple(levels), tuple(parents), called)


def _with_loops(starts: Indices, heard: Indices) -> tuple[Indices, Indices]:
    """Every node among those that it hears, in increasing order."""
    rows = [np.union1d(heard[start:stop], row) for row, (start, stop) in enumerate(itertools.pairwise(starts))]
    return np.cumsum([0, *map(len, rows)], dtype=np.int64), np.concatenate(rows)


def _whole(name: str, value: Any, most: int | None) -> int:
    good = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not good or value < 0 or (most is not None and value > most):
        top = "" if most is None else f" and at most {most}"
        raise ValueError(
            f"{name} must be a whole number of at least 0{top}, got {value!r}.\nHint: nodes are numbered from 0."
        )
    return int(value)
