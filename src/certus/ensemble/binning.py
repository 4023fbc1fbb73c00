"""From numbers and category codes to bins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.ensemble import _kernels_boosting as kernels

ROWS_FOR_QUANTILES = 200_000
MOST_BINS = 255


def has_a_bin_for_each_value(X: Any) -> bool:
    """Whether a table holds only whole numbers (and missing values) of a small range in every column.

    Searching its bins then is searching its values.
    """
    if sparse.issparse(X):
        return False
    wide = np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0) >= MOST_BINS
    return not wide.any() and bool(((X == np.floor(X)) | np.isnan(X)).all())


def binned(
    X: NDArray[Any],
    weights: NDArray[np.float64] | None,
    categories: list[NDArray[Any] | None] | None,
    max_bins: int,
    seed: int,
    *,
    for_forest: bool = False,
) -> Any:
    """The table in bins: at most ``max_bins`` per column, at quantiles, and one for missing values.

    A column with few distinct numbers has one bin for each. The quantiles of a long table come from 200 000 of
    its rows, drawn with ``seed``. Forests need them by columns only,
    and fine ones at the ends of a column.
    """
    rows, columns = X.shape
    if rows > ROWS_FOR_QUANTILES:
        drawn = np.random.default_rng(seed).choice(rows, ROWS_FOR_QUANTILES, replace=False, shuffle=False)
        sample = np.sort(drawn).astype(np.uint32)
    else:
        sample = np.arange(rows, dtype=np.uint32)
    categorical = np.zeros(columns, dtype=np.uint8)
    levels = np.zeros(columns, dtype=np.uint16)
    for column, values in enumerate(categories or []):
        if values is not None:
            categorical[column], levels[column] = 1, len(values)
    edges, counts = kernels.find_edges(X, sample, weights, categorical, max_bins, for_forest)
    counts = np.where(categorical == 1, levels, counts).astype(np.uint16)
    return kernels.bin_table(X, edges, counts, categorical, by_rows=not for_forest)
