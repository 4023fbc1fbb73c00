"""Distance matrices and neighbor graphs given by the user (``metric="precomputed"``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import EfficiencyWarning

from certus.base import warn_user

_FORMATS = ("csr", "csc", "coo", "lil")


def check_format(table: Any) -> None:
    """Refuse sparse formats that lose explicit zeros: a distance of zero is not a missing distance."""
    if sparse.issparse(table) and table.format not in _FORMATS:
        raise TypeError(
            f"Sparse matrix in {table.format!r} format is not supported due to its handling of explicit zeros.\n"
            "Hint: convert the graph with .tocsr()."
        )


def check_distances(table: Any) -> Any:
    """The distances, none of them negative; a sparse graph with each row sorted by distance."""
    values = table.data if sparse.issparse(table) else table
    if (values < 0).any():
        triplets = sparse.coo_array(table)
        first = int(np.argmax(triplets.data < 0))
        row, column = (int(place[first]) for place in triplets.coords)
        what = "precomputed distance matrix" if sparse.issparse(table) else "X"
        raise ValueError(
            f"Negative values in data passed to {what}: row {row}, column {column} has "
            f"{triplets.data[first]:g}, but distances are >= 0."
        )
    return _sorted_by_distance(table) if sparse.issparse(table) else table


def _sorted_by_distance(graph: sparse.csr_array) -> sparse.csr_array:
    if rows_are_sorted(graph):
        return graph
    warn_user(
        "Precomputed sparse input was not sorted by row values.\n"
        "Hint: sort it once with certus.neighbors.sort_graph_by_row_values(graph, warn_when_not_sorted=False).",
        EfficiencyWarning,
    )
    return sorted_by_distance(graph)


def rows_are_sorted(graph: sparse.csr_array) -> bool:
    """Whether the entries of every row do not fall."""
    rows = _row_numbers(graph)
    return not ((graph.data[1:] < graph.data[:-1]) & (rows[1:] == rows[:-1])).any()


def sorted_by_distance(graph: sparse.csr_array) -> sparse.csr_array:
    """The same graph with the entries of every row by increasing distance, equal ones by column."""
    order = np.lexsort((graph.indices, graph.data, _row_numbers(graph)))
    return type(graph)((graph.data[order], graph.indices[order], graph.indptr), shape=graph.shape)


def _row_numbers(graph: sparse.csr_array) -> NDArray[np.intp]:
    return np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
