"""The one place of this family that calls compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import _native

Floats = NDArray[np.float64]
COPIED_CELLS = 2**21


def scatter(table: NDArray[Any], roots: Floats | None, origin: Floats, threads: int) -> tuple[Floats, Floats]:
    """The scatter matrix of weighted rows around a point, and the weighted sum of their differences from it.

    Weights are the squares of ``roots``.
    """
    columns = table.shape[1]
    found, sums = np.zeros((columns, columns)), np.zeros(columns)
    if table.flags.c_contiguous:
        _native.scatter(table, roots, origin, threads, found, sums)
        return found, sums
    step = max(1, COPIED_CELLS // columns)  # other layouts are copied, some rows at a time
    for first in range(0, len(table), step):
        part = slice(first, first + step)
        some = scatter(np.ascontiguousarray(table[part]), None if roots is None else roots[part], origin, threads)
        found += some[0]
        sums += some[1]
    return found, sums
