"""An order of rows that depends on their values alone, for draws that ignore in which order the rows came.

Rows are sorted by their projection on one fixed direction: equal rows become neighbors, and rows that differ by
rounding only keep their places.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def direction(columns: int) -> NDArray[np.float64]:
    """A direction on which different rows hardly ever have the same projection."""
    return np.random.default_rng(0).normal(size=columns)


def order_along(projections: NDArray[np.float64]) -> NDArray[np.int64]:
    """The rows in the order of their projections, equal ones as they come."""
    return np.argsort(projections, kind="stable").astype(np.int64, copy=False)
