"""Which rows may merge: a connectivity as a connected graph, and the lengths of its edges."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from certus.base import warn_user
from certus.geometry import pairwise_distances

Floats = NDArray[np.float64]
Edges = NDArray[np.int64]


class Graph(NamedTuple):
    """Edges, the lower row first, each once; and how many components there were before they were connected."""

    edges: Edges
    components: int


def connected_graph(table: Floats, connectivity: Any, metric: Any) -> Graph:
    """A connectivity in both directions without its diagonal; components are connected where they are nearest."""
    rows = len(table)
    if connectivity.shape != (rows, rows):
        raise ValueError(f"Wrong shape for connectivity matrix: {connectivity.shape} when X is {table.shape}.")
    given = sparse.coo_array(connectivity)
    counts = (given.row != given.col) & (given.data != 0)
    edges = _unique(np.stack([given.row[counts], given.col[counts]], axis=1), rows)
    adjacent = sparse.coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(rows, rows))
    components, labels = connected_components(adjacent, directed=False)
    if components > 1:
        warn_user(
            f"the number of connected components of the connectivity matrix is {components} > 1. Completing it to "
            "avoid stopping the tree early.",
            UserWarning,
        )
        edges = _unique(np.concatenate([edges, _bridges(table, labels, int(components), metric)]), rows)
    return Graph(edges, int(components))


def edge_lengths(table: Floats, edges: Edges, metric: Any) -> Floats:
    """The distance between the rows of each edge."""
    if isinstance(metric, str) and metric == "precomputed":
        return np.ascontiguousarray(table[edges[:, 0], edges[:, 1]], dtype=np.float64)
    lengths = np.empty(len(edges))
    starts = np.searchsorted(edges[:, 0], np.arange(len(table) + 1))  # edges are sorted by their lower rows
    for row, (start, stop) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        if stop > start:
            others = table[edges[start:stop, 1]]
            lengths[start:stop] = pairwise_distances(table[row : row + 1], others, metric=metric)[0]
    return lengths


def _unique(edges: NDArray[Any], rows: int) -> Edges:
    ends = np.sort(edges.astype(np.int64), axis=1)
    low, high = np.divmod(np.unique(ends[:, 0] * rows + ends[:, 1]), rows)
    return np.ascontiguousarray(np.stack([low, high], axis=1))


def _bridges(table: Floats, labels: NDArray[Any], components: int, metric: Any) -> Edges:
    """The nearest rows of every two components."""
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(components + 1))
    found = []
    for one in range(components - 1):
        mine, others = order[starts[one] : starts[one + 1]], order[starts[one + 1] :]
        if isinstance(metric, str) and metric == "precomputed":
            distances = table[np.ix_(mine, others)]
        else:
            distances = pairwise_distances(table[mine], table[others], metric=metric)
        nearest = distances.argmin(axis=0)
        least = distances[nearest, np.arange(len(others))]
        for other in range(one + 1, components):
            part = slice(starts[other] - starts[one + 1], starts[other + 1] - starts[one + 1])
            best = int(least[part].argmin()) + part.start
            found.append((mine[nearest[best]], others[best]))
    return np.array(found, dtype=np.int64)
