"""How many of the true neighbors a graph of neighbors from elsewhere has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from certus.geometry import pairwise_distances
from certus.guarantees import Certificate, mean_bound


def recall_bound(
    X: Any, graph: Any, *, rows: int = 500, confidence: float = 0.95, seed: int = 0, metric: Any = "euclidean"
) -> Certificate:
    """Certify the recall of a graph of neighbors, for example of an approximate index.

    The recall of a row with k entries in the graph is the share of them that are no farther than its k-th nearest
    other row. Rows are drawn with replacement, their true neighbors are found by comparison with all rows, and the mean
    recall is bounded from below.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows of the graph.
    graph : sparse matrix of shape (n_samples, n_samples), or array of shape (n_samples, k)
        The neighbors that were found: stored entries, or row numbers (-1: none). A row itself does not count.
    rows : int, default=500
        How many rows are drawn.
    confidence : float, default=0.95
        Probability with which the bound holds.
    seed : int, default=0
        Seed of the draws.
    metric : str or callable, default='euclidean'
        The distance.

    Returns
    -------
    Certificate
        A lower bound on the mean recall over all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neighbors import kneighbors_graph, recall_bound
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> print(recall_bound(X, kneighbors_graph(X, 5)).value > 0.98)
    True
    """
    table = check_array(X, dtype=np.float64)
    lists = _lists(graph, len(table))
    if rows < 1:
        raise ValueError(f"rows must be at least 1, got {rows}.")
    chosen = np.random.default_rng(seed).integers(0, len(table), size=rows)
    distances = pairwise_distances(table[chosen], table, metric=metric)
    recalls = np.array([_recall(own, lists[row], row) for own, row in zip(distances, chosen, strict=True)])
    return mean_bound(recalls, low=0.0, high=1.0, confidence=confidence, side="lower", quantity="recall of the graph")


def _lists(graph: Any, count: int) -> list[NDArray[np.intp]]:
    if sparse.issparse(graph):
        rows = sparse.csr_array(graph)
        lists = np.split(rows.indices, rows.indptr[1:-1])
    else:
        lists = [row[row >= 0] for row in np.asarray(graph)]
    if len(lists) != count or any(len(found) and found.max() >= count for found in lists):
        raise ValueError(f"graph must have {count} rows with numbers below {count}, like X; got {len(lists)} rows.")
    return [np.unique(found) for found in lists]


def _recall(distances: NDArray[np.float64], found: NDArray[np.intp], row: int) -> float:
    found = found[found != row]
    if not len(found):
        return 0.0
    others = np.delete(distances, row)
    reach = np.partition(others, len(found) - 1)[len(found) - 1]
    return float(np.mean(distances[found] <= reach))
