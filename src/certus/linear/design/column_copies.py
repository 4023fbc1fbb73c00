"""Columns that add nothing to what a linear model can reach: constants beside an intercept, and copies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def different_columns(X: Any, *, constant_counts: bool) -> NDArray[np.intp]:
    """Columns that are neither zero, nor constant (unless that counts), nor equal to an earlier one."""
    table = sparse.csc_array(X) if sparse.issparse(X) else X
    seen: set[bytes] = set()
    kept = []
    for j in range(table.shape[1]):
        column = table[:, [j]].toarray().ravel() if sparse.issparse(table) else np.ascontiguousarray(table[:, j])
        column = column + 0.0  # -0 is 0
        same = len(column) == 0 or bool((column == column[0]).all())
        if same and (not constant_counts or not column.any()):
            continue
        key = column.tobytes()
        if key not in seen:
            seen.add(key)
            kept.append(j)
    return np.array(kept, dtype=np.intp)


def constant_columns(X: Any, weights: NDArray[np.float64] | None) -> NDArray[np.bool_]:
    """Which columns have one value in all rows of positive weight."""
    rows = X if weights is None else X[np.flatnonzero(weights)]
    if sparse.issparse(rows):
        columns = sparse.csc_array(rows)
        low, high = (getattr(columns, name)(axis=0).toarray().ravel() for name in ("min", "max"))
        return np.asarray(low == high)
    return np.asarray((rows == rows[:1]).all(axis=0))
