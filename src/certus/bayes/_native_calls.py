"""The one place of this family that calls compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native
from certus.base import resolve_threads

Floats = NDArray[np.float64]


def add_class_moments(
    X: NDArray[Any], codes: NDArray[Any], weights: Floats | None, count: Floats, mean: Floats, m2: Floats
) -> None:
    """Add rows to the weight, mean and sum of squared deviations of their classes, in place."""
    codes = np.ascontiguousarray(codes, dtype=np.int64)
    _native.add_class_moments(X, codes, np.empty(0) if weights is None else weights, count, mean, m2, _threads(X))


def gaussian_log_joint(X: NDArray[Any], mean: Floats, precision: Floats, constant: Floats) -> Floats:
    """``constant_c - 1/2 sum_j (x_ij - mean_cj)^2 precision_cj`` for every row i and class c."""
    out = np.empty((X.shape[0], mean.shape[0]))
    _native.gaussian_log_joint(X, mean, precision, constant, out, _threads(X))
    return out


def add_counts(
    X: Any, codes: NDArray[np.int64], weights: Floats | None, threshold: float | None, counts: Floats
) -> None:
    """Add the rows of a dense or sparse table to the sums of their classes; with a threshold, count what is above."""
    short = codes.astype(np.uint16) if len(counts) <= 1 << 16 else codes  # numpy sorts these by their digits
    rows = np.argsort(short, kind="stable").astype(np.intp, copy=False)
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(counts)))]).astype(np.intp, copy=False)
    weight = np.empty(0) if weights is None else weights
    limit = np.nan if threshold is None else float(threshold)
    if sparse.issparse(X):
        threads = resolve_threads() if X.nnz > 50_000 else 1
        _native.add_sparse_counts(X.data, X.indices, X.indptr, rows, starts, weight, limit, counts, threads)
    else:
        _native.add_dense_counts(X, rows, starts, weight, limit, counts, _threads(X))


def log_shares(counts: Floats, alpha: Any, *, others: Floats | None = None, below: Floats | None = None) -> Floats:
    """``log(v_cj + alpha_j) - log(below_c)`` with v the counts, or ``others`` minus the counts of the class.

    Without ``below``, that of a class is the sum of its ``v_cj + alpha_j``. A share of 0 is minus infinity.
    """
    out, nothing = np.empty(counts.shape), np.empty(0)
    pseudo = np.ascontiguousarray(alpha, dtype=np.float64).reshape(-1)
    more = nothing if others is None else others
    _native.log_shares(counts, more, pseudo, nothing if below is None else below, out, _threads(counts))
    return out


def linear_log_joint(X: Any, weights: Floats, constant: Floats, threshold: float | None) -> Floats:
    """``constant_c + sum_j x_ij weights_cj``; with a threshold, x_ij is 1 above it and 0 else."""
    if not sparse.issparse(X):
        table = X if threshold is None else (X > threshold).astype(np.float64)
        return np.asarray(table @ weights.T + constant, dtype=np.float64)
    out = np.empty((X.shape[0], len(constant)))
    limit = np.nan if threshold is None else float(threshold)
    threads = resolve_threads() if X.nnz > 50_000 else 1
    by_column = np.ascontiguousarray(weights.T)
    _native.linear_log_joint(X.data, X.indices, X.indptr, by_column, constant, limit, out, threads)
    return out


def add_categories(
    X: NDArray[np.int64], codes: NDArray[np.int64], weights: Floats | None, offsets: NDArray[np.int64], counts: Floats
) -> None:
    """Add the rows to the table of counts: row ``offsets[j] + category``, column class."""
    _native.add_categories(X, codes, np.empty(0) if weights is None else weights, offsets, counts, _threads(X))


def category_log_joint(X: NDArray[np.int64], table: Floats, offsets: NDArray[np.int64], constant: Floats) -> Floats:
    """``constant_c`` plus the table's entries of the categories of each row."""
    out = np.empty((len(X), len(constant)))
    _native.category_log_joint(X, table, offsets, constant, out, _threads(X))
    return out


def _threads(X: NDArray[Any]) -> int:
    """One thread for small tables: waking a second one would cost more than the work."""
    return resolve_threads() if X.size > 50_000 else 1
