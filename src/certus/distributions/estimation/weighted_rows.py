"""Rows and their weights, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def weighted(data: Any, weights: ArrayLike | None, *, dim: int = 1) -> tuple[Floats, Floats]:
    """The rows as numbers (a vector, or a table for ``dim=2``) with a weight each; rows of weight 0 are left out."""
    try:
        rows = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"data must hold numbers, got {data!r}.") from error
    if rows.ndim != dim:
        raise ValueError(f"data must have {dim} {'axis' if dim == 1 else 'axes'}, got shape {rows.shape}.")
    if not np.isfinite(rows).all():
        raise ValueError(f"data must be finite, got {rows[~np.isfinite(rows)][0]}.")
    weight = row_weights(weights, len(rows))
    return (rows, weight) if weights is None else (rows[weight > 0], weight[weight > 0])


def row_weights(weights: ArrayLike | None, rows: int) -> Floats:
    """A weight per row: ones, or what was given if it is finite and not negative."""
    if weights is None:
        return np.ones(rows)
    found = np.asarray(weights, dtype=np.float64)
    if found.shape != (rows,):
        raise ValueError(f"weights must have one number per row, got shape {found.shape} for {rows} rows.")
    if not np.isfinite(found).all() or (found < 0).any():
        raise ValueError("weights must be finite and not negative.")
    return found


def require_rows(weight: float, name: str) -> None:
    """Refuse to estimate from nothing."""
    if not weight > 0:
        raise ValueError(f"{name} needs at least one row with positive weight, got none.")


def require_values(rows: Floats, allowed: Callable[[Floats], Any], what: str) -> None:
    """Refuse rows that the distribution cannot produce."""
    bad = ~np.asarray(allowed(rows))
    if bad.any():
        raise ValueError(f"data must be {what}, got {rows[bad][0]:g}.")


def counts(data: Any, weights: ArrayLike | None, *, high: float = np.inf) -> tuple[Floats, Floats]:
    """Rows that are whole numbers from 0 to ``high``."""
    rows, weight = weighted(data, weights)
    what = "whole numbers that are not negative" if high == np.inf else f"whole numbers from 0 to {high:g}"
    require_values(rows, lambda x: (x >= 0) & (x <= high) & (x == np.floor(x)), what)
    return rows, weight
