"""Losses of a stream: what a batch may hold, and the first row that leaves the declared range."""

import numpy as np
from numpy.typing import ArrayLike


def batch(losses: ArrayLike, name: str = "losses") -> np.ndarray:
    """One number or a vector of numbers; missing ones are refused, whatever their range."""
    try:
        values = np.atleast_1d(np.asarray(losses, dtype=np.float64))
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, got {type(losses).__name__}.") from None
    if values.ndim != 1:
        raise ValueError(f"{name} must be one number or a vector of numbers, got shape {values.shape}.")
    if (missing := np.isnan(values)).any():
        raise ValueError(
            f"{name} must not have missing values; row {int(np.argmax(missing))} of the batch is NaN.\n"
            "Hint: leave rows without a label out until it is known."
        )
    return values


def first_outside(values: np.ndarray, low: float, high: float, rows_before: int) -> str:
    """What to say about the first loss outside [low, high]; empty if there is none. Rows count from 1."""
    outside = np.flatnonzero(~((values >= low) & (values <= high)))
    if not outside.size:
        return ""
    first = int(outside[0])
    return (
        f"the loss {float(values[first])!r} in row {rows_before + first + 1} is outside the declared range "
        f"[{low:g}, {high:g}]"
    )
