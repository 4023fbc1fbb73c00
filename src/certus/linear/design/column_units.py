"""Units in which columns of extreme size can be squared: powers of two, so that no digit is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Array = NDArray[np.float64]
USUAL = (1e-60, 1e60)  # sizes of columns that need no other unit
SOME = 256  # rows that are looked at first


def column_units(X: Any, *, thorough: bool) -> Array | None:
    """The unit of every column, or None if all are of usual size (in some rows, unless ``thorough``)."""
    rows = X if thorough else X[:: max(1, X.shape[0] // SOME)] if not sparse.issparse(X) else X.tocsr()[:SOME]
    sizes = _sizes(rows)
    if not np.isfinite(sizes).all() or not ((sizes > 0.0) & ((sizes < USUAL[0]) | (sizes > USUAL[1]))).any():
        return None
    sizes = _sizes(X)
    if not np.isfinite(sizes).all():
        return None
    return np.asarray(np.exp2(np.round(np.log2(np.where(sizes > 0.0, sizes, 1.0)).clip(-1000, 1000))))


def in_units(X: Any, units: Array) -> Any:
    """The table with every column divided by its unit."""
    return sparse.csr_array(X @ sparse.diags_array(1.0 / units)) if sparse.issparse(X) else X / units


def _sizes(X: Any) -> Array:
    if X.shape[0] == 0:
        return np.zeros(X.shape[1])
    largest = np.abs(X).max(axis=0)
    return np.asarray(largest.toarray() if sparse.issparse(X) else largest, dtype=np.float64).ravel()
