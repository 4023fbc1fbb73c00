"""Tables of counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.distributions.estimation.weighted_rows import require_values, weighted

Floats = NDArray[np.float64]


def count_rows(data: Any, weights: ArrayLike | None, trials: int | None = None) -> tuple[Floats, Floats, int]:
    """Rows of whole numbers with one common sum, their weights and that sum."""
    rows, weight = weighted(data, weights, dim=2)
    require_values(rows, lambda x: (x >= 0) & (x == np.floor(x)), "whole numbers that are not negative")
    totals = rows.sum(axis=1)
    expected = trials if trials is not None else int(totals[0]) if len(totals) else 1
    if (totals != expected).any():
        raise ValueError(f"Every row of data must have {expected} trials, got {totals[totals != expected][0]:g}.")
    return rows, weight, expected
