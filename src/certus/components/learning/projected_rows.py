"""Coordinates of rows along directions, in blocks, with sums in double."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.components.solvers.row_products import CELLS, SERIAL, in_order

Floats = NDArray[np.float64]


def projected_rows(table: Any, mean: Floats | None, directions: Floats, threads: int) -> Floats:
    """(X - mean) V; the mean is subtracted first, so that rows far from the origin keep their digits."""
    if sparse.issparse(table):
        found = np.asarray(table @ directions)
        return found if mean is None else found - mean @ directions
    step = max(16, CELLS // table.shape[1])

    def product(first: int) -> Floats:
        part = table[first : first + step]
        part = part.astype(np.float64) if mean is None else part - mean
        return np.asarray(part @ directions)

    threads = 1 if table.size <= SERIAL else threads
    return np.concatenate(list(in_order(product, range(0, len(table), step), threads)))
