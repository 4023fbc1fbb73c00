"""Rows of whatever table the caller uses, and targets of the right length."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import TableLike, TargetLike


def n_rows(table: TableLike) -> int:
    """Number of rows of an array, sparse matrix, data frame or list."""
    sized: Any = table
    return int(sized.shape[0]) if hasattr(sized, "shape") else len(sized)


def take_rows(table: TableLike, rows: NDArray[np.integer]) -> Any:
    """Rows of an array, sparse matrix, data frame (pandas, polars, pyarrow) or list."""
    known: Any = table
    if hasattr(known, "iloc"):
        return known.iloc[rows]
    if hasattr(known, "take") and not isinstance(known, np.ndarray):
        return known.take(rows)
    return known[rows] if hasattr(known, "shape") else np.asarray(known)[rows]


def check_lengths(X: TableLike, y: TargetLike, groups: TargetLike | None = None) -> None:
    """Refuse an empty calibration set and columns of different lengths."""
    rows = n_rows(X)
    if rows == 0:
        raise ValueError("X holds no rows; conformal prediction needs calibration rows.\nHint: pass held-out rows.")
    for name, column in (("y", y), ("groups", groups)):
        if column is not None and n_rows(column) != rows:
            raise ValueError(
                f"{name} must have one value for each of the {rows} rows of X, got {n_rows(column)}.\n"
                "Hint: take both from the same rows."
            )


def numeric_target(y: TargetLike) -> NDArray[np.float64]:
    """The target as a vector of finite doubles."""
    values = np.asarray(y, dtype=np.float64)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"y must be one-dimensional, got shape {values.shape}.\nHint: calibrate one target at a time.")
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"y must be finite; row {row} is {values[row]}.\nHint: drop the rows without a target.")
    return values


def label_codes(y: TargetLike, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Position of every label in the sorted or unsorted array of classes; an unknown label is an error."""
    labels = np.asarray(y).reshape(-1)
    order = np.argsort(classes, kind="stable")
    ranks = np.clip(np.searchsorted(classes, labels, sorter=order), 0, len(classes) - 1)
    codes = order[ranks]
    unknown = classes[codes] != labels
    if unknown.any():
        row = int(np.argmax(unknown))
        known = ", ".join(repr(label) for label in classes[:10].tolist())
        raise ValueError(
            f"y holds the label {labels.tolist()[row]!r} (row {row}), which the model does not know; "
            f"its classes are {known}.\n"
            "Hint: train with that class, or drop these rows: the promise then holds for known labels only."
        )
    return codes
