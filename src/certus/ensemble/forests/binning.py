"""From numbers and category codes to bins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.ensemble._native_calls import boosting_kernels as kernels

ROWS_FOR_QUANTILES = 200_000
MOST_BINS = 255


def binned(
    X: NDArray[Any],
    weights: NDArray[np.float64] | None,
    levels: list[int | None] | None,
    max_bins: int,
    seed: int,
) -> Any:
    """The table in bins: at most ``max_bins`` per column, at quantiles, and one for missing values.

    A column with few distinct numbers has one bin for each. The quantiles of a long table come from 200 000 of
    its rows, drawn with ``seed``. ``levels`` says for each column how many category codes it has, None for numbers.
    """
    columns = X.shape[1]
    categorical = np.zeros(columns, dtype=np.uint8)
    codes = np.zeros(columns, dtype=np.uint16)
    for column, count in enumerate(levels or []):
        if count is not None:
            categorical[column], codes[column] = 1, count
    edges, counts = kernels.find_edges(X, _rows_for_quantiles(X, seed), weights, categorical, max_bins)
    counts = np.where(categorical == 1, codes, counts).astype(np.uint16)
    return kernels.bin_table(X, edges, counts, categorical)


class ForestBins(NamedTuple):
    """A table in bins for forests, and the first value of columns whose every bin is one whole number (others: NaN)."""

    table: Any
    lowest: NDArray[np.float32]


def forest_bins(
    X: Any,
    weights: NDArray[np.float64] | None,
    max_bins: int | str | None,
    rows_for_bins: int,
    *,
    counts_only: bool = False,
) -> ForestBins | None:
    """The table in bins, or None if splits are searched between all values.

    Columns of whole numbers in a small range have one bin for each, others bins that are narrower towards both ends.
    "auto" takes bins for tables of at least ``rows_for_bins`` rows, and where they change nothing but the time: all
    columns are of the first kind, and a split is judged by counts alone, whose sums are exact in any order.
    """
    if max_bins is None or sparse.issparse(X):
        return None
    automatic = isinstance(max_bins, str)
    most = MOST_BINS if automatic else int(max_bins)
    exact = whole_columns(X, most)
    if automatic and X.shape[0] < rows_for_bins and not (counts_only and exact.all()):
        return None
    nothing = np.zeros(X.shape[1], dtype=np.uint8)
    edges, counts = kernels.find_edges(X, _rows_for_quantiles(X, 0), weights, exact, most, fine_ends=True)
    lowest = np.full(X.shape[1], np.nan, dtype=np.float32)
    for column in np.flatnonzero(exact):
        low, high = np.fmin.reduce(X[:, column]), np.fmax.reduce(X[:, column])
        lowest[column] = low
        counts[column] = 0 if np.isnan(low) else high - low
        edges[column, : counts[column]] = low + 0.5 + np.arange(counts[column])
    return ForestBins(kernels.bin_table(X, edges, counts, nothing, by_rows=False), lowest)


def whole_columns(X: NDArray[Any], most: int) -> NDArray[np.uint8]:
    """Which columns hold only whole numbers (and missing values) from a range of at most so many."""
    narrow = ~(np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0) >= most)
    found = np.zeros(X.shape[1], dtype=np.uint8)
    for column in np.flatnonzero(narrow):
        values = X[:, column]
        found[column] = ((values == np.floor(values)) | np.isnan(values)).all()
    return found


def _rows_for_quantiles(X: NDArray[Any], seed: int) -> NDArray[np.uint32]:
    rows = X.shape[0]
    if rows <= ROWS_FOR_QUANTILES:
        return np.arange(rows, dtype=np.uint32)
    drawn = np.random.default_rng(seed).choice(rows, ROWS_FOR_QUANTILES, replace=False, shuffle=False)
    return np.sort(drawn).astype(np.uint32)
