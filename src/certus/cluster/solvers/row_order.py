"""Orders of rows and groups.

For draws that ignore in which order the rows came, an order that depends on their values alone:
rows are sorted by their projection on one fixed direction: equal rows become neighbors, and rows that differ by
rounding only keep their places.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def direction(columns: int) -> NDArray[np.float64]:
    """A direction on which different rows hardly ever have the same projection."""
    return np.random.default_rng(0).normal(size=columns)


def order_along(projections: NDArray[np.float64]) -> NDArray[np.int64]:
    """The rows in the order of their projections, equal ones as they come."""
    return np.argsort(projections, kind="stable").astype(np.int64, copy=False)


def numbered_by_first_row(groups: NDArray[Any]) -> NDArray[np.intp]:
    """The same groups, numbered in the order of their first rows; -1, no group, stays."""
    inside = np.flatnonzero(groups >= 0)
    _, first, inverse = np.unique(groups[inside], return_index=True, return_inverse=True)
    numbered = np.full(len(groups), -1, dtype=np.intp)
    numbered[inside] = np.argsort(np.argsort(first))[inverse]
    return numbered
