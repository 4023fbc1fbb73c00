"""How well rows lie in their clusters. Rousseeuw (1987).

With a the mean distance of a row to the others of its cluster, and b the least mean distance to the rows of another,
its silhouette is (b - a) / max(a, b), between -1 and 1, and 0 where it is alone. The mean over the rows measures a
clustering. Distances are summed cluster by cluster, in blocks and half of the pairs: there is no n x n matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state, check_X_y

from certus.base.inputs import RandomStateLike, TableLike
from certus.geometry import label_distance_sums

Floats = NDArray[np.float64]


def silhouette_samples(
    X: TableLike, labels: Any, *, metric: Any = "euclidean", including_self: bool = False, **kwds: Any
) -> Floats:
    """The silhouette of every row.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows; if ``metric="precomputed"``, their distances.
    labels : array-like of shape (n_samples,)
        The cluster of every row.
    metric : str or callable, default="euclidean"
        The distance.
    including_self : bool, default=False
        Whether a row counts among the rows of its own cluster, at distance 0.
    **kwds
        Parameters of the distance.

    Returns
    -------
    ndarray of shape (n_samples,)
        The silhouettes.

    Examples
    --------
    >>> from certus.evaluation import silhouette_samples
    >>> print(silhouette_samples([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]).round(4))
    [0.9048 0.8947 0.8947 0.9048]
    """
    table, codes, count = _checked(X, labels, metric)
    return _silhouettes(table, codes, count, None, metric, including_self, kwds)


def silhouette_score(
    X: TableLike,
    labels: Any,
    *,
    metric: Any = "euclidean",
    sample_size: int | None = None,
    random_state: RandomStateLike = None,
    including_self: bool = False,
    **kwds: Any,
) -> float:
    """The mean silhouette of all rows.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows; if ``metric="precomputed"``, their distances.
    labels : array-like of shape (n_samples,)
        The cluster of every row.
    metric : str or callable, default="euclidean"
        The distance.
    sample_size : int, default=None
        If given, the silhouettes of so many rows within that sample, as in scikit-learn. That is biased: use
        `silhouette_bound` instead.
    random_state : int, RandomState or None, default=None
        Seed of the sample.
    including_self : bool, default=False
        Whether a row counts among the rows of its own cluster, at distance 0.
    **kwds
        Parameters of the distance.

    Returns
    -------
    float
        The mean silhouette.

    Examples
    --------
    >>> from certus.evaluation import silhouette_score
    >>> X, labels = [[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]
    >>> round(silhouette_score(X, labels), 6), round(silhouette_score(X, labels, including_self=True), 6)
    (0.899749, 0.949875)
    """
    if sample_size is not None:
        table, codes, _ = _checked(X, labels, metric)
        rows = check_random_state(random_state).permutation(table.shape[0])[:sample_size]
        X = table[rows].T[rows].T if metric == "precomputed" else table[rows]
        labels = codes[rows]
    return float(np.mean(silhouette_samples(X, labels, metric=metric, including_self=including_self, **kwds)))


def silhouettes_of(X: Any, labels: Any, rows: NDArray[np.intp], metric: Any = "euclidean") -> Floats:
    """The silhouettes of some rows, each against all."""
    table, codes, count = _checked(X, labels, metric)
    return _silhouettes(table, codes, count, rows, metric, including_self=False, kwds={})


def _silhouettes(
    table: Any,
    codes: NDArray[np.intp],
    count: int,
    rows: NDArray[np.intp] | None,
    metric: Any,
    including_self: bool,
    kwds: dict[str, Any],
) -> Floats:
    options: dict[str, Any] = {"metric": metric, "metric_params": kwds or None}
    if rows is None:
        rows = np.arange(len(codes))
        sums = label_distance_sums(table, codes, count, **options)
    elif isinstance(metric, str) and metric == "precomputed":
        sums = label_distance_sums(table[rows], codes, count, **options)
    else:
        sums = label_distance_sums(table, codes, count, queries=table[rows], **options)
    sizes, own = np.bincount(codes, minlength=count), codes[rows]
    each = np.arange(len(rows))
    others = sizes[own] if including_self else np.maximum(sizes[own] - 1, 1)
    inside = sums[each, own] / others
    means = sums / sizes
    means[each, own] = np.inf
    outside = means.min(axis=1)
    largest = np.maximum(inside, outside)
    found = np.where(largest > 0.0, (outside - inside) / np.where(largest > 0.0, largest, 1.0), 0.0)
    return np.asarray(np.where(sizes[own] == 1, 0.0, found))


def _checked(X: Any, labels: Any, metric: Any) -> tuple[Any, NDArray[np.intp], int]:
    """The table, the labels as numbers from 0, and how many there are."""
    precomputed = isinstance(metric, str) and metric == "precomputed"
    table, labels = check_X_y(
        X, labels, accept_sparse=["csr"], dtype=None if callable(metric) else [np.float64, np.float32]
    )
    if precomputed:
        diagonal = table.diagonal()
        limit = np.finfo(table.dtype).eps * 100 if table.dtype.kind == "f" else 0
        if np.any(np.abs(diagonal) > limit):
            raise ValueError(
                "The precomputed distance matrix contains non-zero elements on the diagonal. Use "
                "np.fill_diagonal(X, 0)."
            )
        table = table.toarray() if sparse.issparse(table) else table
    names, codes = np.unique(labels, return_inverse=True)
    if not 1 < len(names) < table.shape[0]:
        raise ValueError(f"Number of labels is {len(names)}. Valid values are 2 to n_samples - 1 (inclusive)")
    return table, codes, len(names)
