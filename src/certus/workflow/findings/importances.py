"""Which columns the model uses: how much worse it gets when one is shuffled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

LARGEST_SAMPLE = 1_000
REPEATS = 3
LARGEST_COLUMN_COUNT = 100  # wider tables: their first columns, once each


def importances(
    frame: pl.DataFrame,
    value: Callable[[pl.DataFrame], float],
    *,
    seed: int,
    in_time: Callable[[], bool],
) -> dict[str, tuple[float, float]]:
    """Rise of the loss when the entries of one column change places, largest first, and its spread over orders.

    Parameters
    ----------
    frame : polars.DataFrame
        Rows that it was not trained on, with their used columns.
    value : callable
        The measure of what the model predicts for a table of these rows.
    seed : int
        Decides the orders.
    in_time : callable
        Whether there is time for another column.
    """
    rng = np.random.default_rng(seed)
    usual = value(frame)
    found: dict[str, tuple[float, float]] = {}
    repeats = REPEATS if frame.width <= LARGEST_COLUMN_COUNT else 1
    for name in frame.columns[:LARGEST_COLUMN_COUNT]:
        if not in_time():
            break
        rises = []
        for _ in range(repeats):
            order: NDArray[Any] = rng.permutation(frame.height)
            rises.append(value(frame.with_columns(frame[name][order].alias(name))) - usual)
        found[name] = float(np.mean(rises)), float(np.std(rises, ddof=1)) if repeats > 1 else 0.0
    return dict(sorted(found.items(), key=lambda item: -item[1][0]))
