"""Probabilities that a user gave, checked: finite, not negative, with sum 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def non_negative(values: Any, name: str) -> Floats:
    """The values as finite numbers of double precision, none of them negative."""
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers, got {values!r}.") from error
    if not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite, got {found[~np.isfinite(found)][0]}.")
    if (found < 0).any():
        raise ValueError(f"{name} must not be negative, got {found.min():g}.")
    return found


def probabilities(values: Any, name: str) -> Floats:
    """Non-negative values with sum 1, up to the rounding of their type; the sum is then made exact to rounding."""
    found = non_negative(values, name)
    dtype = getattr(values, "dtype", None)
    single = dtype is not None and np.issubdtype(dtype, np.floating) and np.dtype(dtype).itemsize < 8
    total = float(found.sum())
    if abs(total - 1.0) > (1e-3 if single else 1e-8):
        raise ValueError(
            f"{name} must sum to 1, got a sum of {total:.10g}.\n"
            f"Hint: divide by the sum, {name} / numpy.sum({name}), if these are counts or weights."
        )
    return found / total
