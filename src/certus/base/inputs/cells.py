"""What the cells of a column of a mixed table are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def missing_cells(cells: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of the cells are None, NaN or pandas' NA, which does not even equal itself with a truth value."""
    return np.array([cell is None or type(cell).__name__ == "NAType" or cell != cell for cell in cells], dtype=bool)


def are_numbers(cells: NDArray[Any]) -> bool:
    """Whether all cells that are there are numbers, not truth values or words."""
    if cells.dtype.kind in "iuf":
        return True
    there = cells[~missing_cells(cells)]
    return all(isinstance(cell, int | float | np.number) and not isinstance(cell, bool | np.bool_) for cell in there)
