"""Graphs as users give them: an adjacency matrix, sparse or dense, and one row of features per node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

LARGEST = 1e30  # of weights and features: sums of many still fit into single precision


@dataclass(frozen=True, eq=False)
class GivenGraph:
    """A checked graph.

    Attributes
    ----------
    edges : CSR array
        Weights of edges; row i lists what node i hears. Stored zeros are gone.
    features : ndarray of shape (nodes, features)
        In single precision.
    """

    edges: Any
    features: NDArray[np.float32]

    @property
    def n_nodes(self) -> int:
        """Nodes."""
        return len(self.features)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What identifies the graph."""
        return self.edges.indptr, self.edges.indices, self.edges.data, self.features


def read_adjacency(adjacency: Any, owner: str, place: str = "adjacency") -> Any:
    """A CSR array without stored zeros, with sorted columns; refuses what is no graph."""
    if sparse.issparse(adjacency) and adjacency.dtype.kind in "biuf":
        found = sparse.csr_array(adjacency).astype(np.float64)
    else:
        dense = _numbers(adjacency)
        if dense is None:
            raise ValueError(
                f"{owner}: {place} must be a square matrix of real numbers, got {_said(adjacency)}.\n"
                "Hint: an array or a SciPy sparse matrix; 0 says that there is no edge."
            )
        if dense.ndim != 2:
            raise ValueError(
                f"{owner}: {place} must be a square matrix, got the shape {dense.shape}.\nHint: (nodes, nodes)."
            )
        found = sparse.csr_array(dense)
    if found.shape[0] != found.shape[1] or found.shape[0] == 0:
        raise ValueError(
            f"{owner}: {place} must be square with at least one node, got the shape {found.shape}.\n"
            "Hint: (nodes, nodes)."
        )
    found.sum_duplicates()
    found.eliminate_zeros()
    bad = np.flatnonzero(~((found.data > 0.0) & np.isfinite(found.data)))
    if len(bad):
        row = int(np.searchsorted(found.indptr, bad[0], side="right")) - 1
        raise ValueError(
            f"{owner}: {place} must have finite weights that are not negative, got {found.data[bad[0]]:g} at "
            f"({row}, {found.indices[bad[0]]}).\nHint: 0 says that there is no edge."
        )
    return found


def read_graph(graph: Any, owner: str, *, width: int | None = None, place: str = "the graph") -> GivenGraph:
    """One ``(adjacency, features)``, checked; `width` is that of the graphs a network was trained on."""
    if isinstance(graph, np.ndarray) and graph.ndim in (1, 3):
        graph = list(graph)  # NumPy makes one array of a pair
    if not isinstance(graph, tuple | list) or len(graph) != 2:
        raise ValueError(
            f"{owner}: {place} must be a pair (adjacency, features), got {_said(graph)}.\n"
            "Hint: the adjacency is (nodes, nodes), the features are (nodes, features)."
        )
    edges = read_adjacency(graph[0], owner, f"the adjacency of {place}")
    if len(edges.data) and edges.data.max() > LARGEST:
        raise ValueError(
            f"{owner}: the adjacency of {place} must have weights of at most {LARGEST:g}, got {edges.data.max():g}.\n"
            "Hint: divide all weights by one number."
        )
    table = _numbers(graph[1].toarray() if sparse.issparse(graph[1]) else graph[1])
    if table is None:
        raise ValueError(
            f"{owner}: the features of {place} must be a table of real numbers, got {_said(graph[1])}.\n"
            "Hint: np.eye(nodes) for nodes that are known by their number alone."
        )
    if table.ndim != 2 or len(table) != edges.shape[0] or table.shape[1] == 0:
        raise ValueError(
            f"{owner}: the features of {place} must have one row for each of its {edges.shape[0]} nodes, got the "
            f"shape {table.shape}.\nHint: (nodes, features); np.ones((nodes, 1)) if nodes have none."
        )
    if width is not None and table.shape[1] != width:
        raise ValueError(
            f"{owner}: the features of {place} must have {width} columns, as in training, got {table.shape[1]}.\n"
            "Hint: the same features in the same order."
        )
    bad = np.argwhere(~(np.abs(table) <= LARGEST))
    if len(bad):
        row, column = map(int, bad[0])
        raise ValueError(
            f"{owner}: the features of {place} must be finite numbers of at most {LARGEST:g}, got "
            f"{table[row, column]:g} at node {row}, feature {column}.\nHint: fill missing values first."
        )
    return GivenGraph(edges, table.astype(np.float32))


def read_graphs(graphs: Any, owner: str, *, width: int | None = None) -> list[GivenGraph]:
    """A list of graphs of one width, checked."""
    try:
        given = list(graphs)
    except TypeError:
        given = []
    if not given:
        raise ValueError(
            f"{owner}: X must be a list of at least one pair (adjacency, features), got {_said(graphs)}.\n"
            "Hint: one graph alone is [(adjacency, features)]."
        )
    found = []
    for number, graph in enumerate(given):
        found.append(read_graph(graph, owner, width=width, place=f"graph {number}"))
        if found[-1].features.shape[1] != found[0].features.shape[1]:
            raise ValueError(
                f"{owner}: all graphs must have one number of features, got {found[-1].features.shape[1]} in graph "
                f"{number} and {found[0].features.shape[1]} in graph 0.\nHint: the same features in the same order."
            )
    return found


def _numbers(values: Any) -> NDArray[np.float64] | None:
    """An array of real numbers, or None."""
    try:
        found = np.asarray(values)
        return None if found.dtype.kind == "c" else found.astype(np.float64)
    except (TypeError, ValueError):
        return None


def _said(value: Any) -> str:
    """What came, in a few words."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"an array of the shape {tuple(shape)}"
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {len(value)}"
    return repr(value)[:60] if isinstance(value, int | float | str | None) else type(value).__name__
