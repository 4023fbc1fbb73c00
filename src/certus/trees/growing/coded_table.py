"""The tables that trees are grown on: float32, categories as codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from certus.base import ArrayLike, Exactly, OneOf, Rule, TableLike, assert_finite, check_X, saw_table
from certus.trees.growing.category_codes import categorical_mask, encode, learn_categories

CATEGORICAL_RULE: list[Rule] = [ArrayLike(), OneOf("from_dtype"), Exactly(None)]

MOST_CATEGORIES = 2**24  # their codes are float32 values


def coded_table(
    learner: BaseEstimator, X: TableLike, *, reset: bool = False, keep: bool = False, **options: Any
) -> Any:
    """The table as float32; categories as codes, unknown and missing ones as NaN.

    With ``reset`` the learner's ``is_categorical_`` and ``categories_`` are set, unless those of an earlier fit are to
    be kept. Options as for `as_float32`.
    """
    if reset and not keep:
        learner.is_categorical_ = categorical_mask(X, learner.categorical_features)
        learner.categories_ = None
    if learner.is_categorical_ is None:
        return as_float32(learner, X, reset=reset, **options)
    _refuse_other_shapes(learner, X)
    frame = validate_data(learner, X, reset=reset, skip_check_array=True)
    frame = frame if hasattr(frame, "shape") else np.asarray(frame)
    if learner.categories_ is None:
        learner.categories_ = learn_categories(
            frame, learner.is_categorical_, MOST_CATEGORIES, hint="pass it as numbers, or join rare categories."
        )
    with np.errstate(over="ignore"):  # values too large for float32 become infinite and are refused by place
        table = encode(frame, learner.categories_, np.float32)
    assert_finite(learner, table, allow_nan=True)
    saw_table(learner, table)
    return table


def _refuse_other_shapes(learner: BaseEstimator, X: TableLike) -> None:
    if sparse.issparse(X):
        raise TypeError(
            f"{type(learner).__name__} takes categorical columns in dense tables only, got a sparse matrix.\n"
            "Hint: pass X.toarray(), or set categorical_features=None."
        )
    shape = np.shape(X)
    if len(shape) != 2:
        raise ValueError(f"Expected 2D array, got an array of shape {shape} instead.\nHint: one row per case.")
    if shape[0] == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")


def as_float32(learner: BaseEstimator, X: TableLike, **options: Any) -> Any:
    """A checked float32 table; a sparse one without missing values, with sorted 32-bit indices."""
    table = check_X(learner, X, dtype=np.float32, allow_nan=True, **options)
    if not sparse.issparse(table):
        return table
    assert_finite(learner, table)
    if table.indices.dtype != np.int32 or table.indptr.dtype != np.int32:
        raise ValueError(
            "No support for np.int64 index based sparse matrices.\n"
            "Hint: matrices with fewer than 2**31 stored values can be converted with "
            "X.indices = X.indices.astype('int32'); X.indptr = X.indptr.astype('int32')."
        )
    if not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    return table
