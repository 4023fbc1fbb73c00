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
