"""First centers for k-means as functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from certus.base import Exactly, Interval, RandomState, blas_on_one_thread, check_parameters, resolve_seed
from certus.base.inputs import RandomStateLike, TableLike, WeightsLike
from certus.cluster.solvers.dense_rows import DenseRows
from certus.cluster.solvers.first_centers import Starts
from certus.cluster.solvers.sparse_rows import SparseRows
from certus.geometry import pairwise_distances

MOST_PATHS = 2_000_000  # sets of centers that an expectation may go through

_RULES: Any = {
    "n_clusters": [Interval(1, None, integer=True)],
    "n_local_trials": [Exactly(None), Interval(1, None, integer=True)],
    "random_state": [RandomState()],
}


def kmeans_plusplus(
    X: TableLike,
    n_clusters: int,
    *,
    sample_weight: WeightsLike = None,
    x_squared_norms: Any = None,
    random_state: RandomStateLike = None,
    n_local_trials: int | None = None,
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Draw first centers by k-means++, of several draws per center the best.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows.
    n_clusters : int
        Number of centers.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    x_squared_norms : ignored
        There for compatibility: distances are computed without them.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    n_local_trials : int, default=None
        Draws per center; None means 2 + log(n_clusters), 1 the plain form with its bound on the expected cost.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
    indices : ndarray of shape (n_clusters,)
        The rows that became centers.

    Examples
    --------
    >>> from certus.cluster import kmeans_plusplus
    >>> centers, rows = kmeans_plusplus([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]], 2, random_state=0)
    >>> centers.shape, len(rows)
    ((2, 2), 2)
    """
    given = {"n_clusters": n_clusters, "n_local_trials": n_local_trials, "random_state": random_state}
    check_parameters("kmeans_plusplus", _RULES, given)
    table = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
    if x_squared_norms is not None and np.shape(x_squared_norms)[0] != table.shape[0]:
        raise ValueError(
            f"The length of x_squared_norms {np.shape(x_squared_norms)[0]} should be equal to the length of n_samples "
            f"{table.shape[0]}."
        )
    if table.shape[0] < n_clusters:
        raise ValueError(f"n_samples={table.shape[0]} should be >= n_clusters={n_clusters}.")
    weights = np.ones(table.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    rows = SparseRows(table, weights) if sparse.issparse(table) else DenseRows(table, weights, 1)
    starts = Starts("k-means++", n_clusters, table, rows, weights, 0)
    with blas_on_one_thread():
        chosen = starts.drawn(np.random.default_rng([resolve_seed(random_state), 0]), n_local_trials)
    taken = table[chosen]
    return (taken.toarray() if sparse.issparse(taken) else taken), chosen


def seeding_expectation(X: TableLike, n_clusters: int) -> float:
    """The expected cost of plain k-means++ centers, before any round, by going through all draws.

    At most 8 (ln k + 2) times the least cost of k centers (Arthur and Vassilvitskii 2007).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        A few rows.
    n_clusters : int
        Number of centers.

    Returns
    -------
    float
        The expectation of sum_i min_j |x_i - c_j|^2.

    Examples
    --------
    >>> from certus.cluster import seeding_expectation
    >>> round(seeding_expectation([[0.0], [1.0], [10.0]], 2), 4)
    1.5892
    """
    check_parameters("seeding_expectation", {"n_clusters": _RULES["n_clusters"]}, {"n_clusters": n_clusters})
    table = check_array(X, dtype=np.float64)
    rows = len(table)
    if rows < n_clusters:
        raise ValueError(f"n_samples={rows} should be >= n_clusters={n_clusters}.")
    if float(rows) ** n_clusters > MOST_PATHS:
        raise ValueError(
            f"X must have few enough rows for {n_clusters} draws to be enumerated ({MOST_PATHS} of them), got {rows}.\n"
            "Hint: average the cost of kmeans_plusplus(X, n_clusters, n_local_trials=1) over seeds instead."
        )
    squares = pairwise_distances(table) ** 2

    def expected(closest: NDArray[np.float64], left: int) -> float:
        total = float(closest.sum())
        if left == 0 or total == 0.0:
            return total
        drawn = np.flatnonzero(closest)
        return sum(float(closest[i]) / total * expected(np.minimum(closest, squares[i]), left - 1) for i in drawn)

    return float(np.mean([expected(squares[i], n_clusters - 1) for i in range(rows)]))
