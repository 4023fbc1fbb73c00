"""Gower's distance between rows of numbers and categories, some of which may be missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from certus.geometry.metrics.gower_metric import GowerMetric
from certus.geometry.metrics.mixed_columns import coded_columns, start_categories

Floats = NDArray[np.float64]


def gower_distances(
    X: Any, Y: Any = None, *, categorical: Any = None, weights: Any = None, ranges: Any = None
) -> Floats:
    """The mean difference of two rows over the columns that are there in both (Gower, 1971), between 0 and 1.

    Numbers differ by |x - y| / range, at most 1, categories by 0 or 1. Two rows without a common column have no
    distance: that is an error which names them. With missing cells the triangle inequality may fail.

    Parameters
    ----------
    X : array-like or data frame of shape (n, n_features)
        Rows of numbers, texts, categories and truth values; None, NaN and NA are missing cells.
    Y : array-like or data frame of shape (m, n_features), default=None
        The known rows that X is compared with; by default X.
    categorical : list of column names or numbers, or mask, default=None
        Columns of numbers that are categories. Texts, truth values and columns of a categorical dtype are anyway.
    weights : array-like of shape (n_features,), default=None
        How much each column counts; by default 1.
    ranges : array-like of shape (n_features,), default=None
        The ranges of the columns of numbers (those of categories are not looked at); by default those of Y, or of X.

    Returns
    -------
    ndarray of shape (n, m)
        The distances.

    Examples
    --------
    >>> from certus.geometry import gower_distances
    >>> print(gower_distances([[20, "red"], [40, "red"], [30, None]]))
    [[0.  0.5 0.5]
     [0.5 0.  0.5]
     [0.5 0.5 0. ]]
    """
    known = X if Y is None else Y
    cells = _cells(known)
    names = _names(known, cells)
    categories = start_categories(known, cells, categorical, names)
    rows = coded_columns(cells, categories, names, grow=True)
    queries = rows
    if Y is not None:
        asked = _cells(X)
        named = hasattr(X, "columns") and hasattr(Y, "columns")
        if asked.shape[1] != cells.shape[1] or (named and _names(X, asked) != names):
            raise ValueError(f"X and Y must have the same columns, got {_names(X, asked)} and {names}.")
        queries = coded_columns(asked, categories, names, grow=False)
    metric = GowerMetric.of(rows, [some is not None for some in categories], weights, ranges)
    block = max(1, 2**22 // len(rows))
    parts = [metric.distances(queries[at : at + block], rows, at) for at in range(0, len(queries), block)]
    return np.concatenate(parts)


def _cells(table: Any) -> NDArray[Any]:
    """The cells as they came."""
    numbers = isinstance(table, np.ndarray) and table.dtype.kind in "iufb"
    checked: NDArray[Any] = check_array(table, dtype=None if numbers else object, ensure_all_finite=False)
    return checked


def _names(table: Any, cells: NDArray[Any]) -> list[str]:
    return [str(name) for name in getattr(table, "columns", range(cells.shape[1]))]
