"""Advice and labels as arrays, refused with the trial and the expert where they are none."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def advice_table(advice: ArrayLike, experts: int | None, first: int, *, asleep: bool = False) -> Floats:
    """Rows of advice, one column per expert; `first` is the number of the first trial, for errors."""
    table = _floats(advice, "advice", "one number per expert")
    if table.ndim == 1:
        table = table[None, :]
    if table.ndim != 2:
        raise ValueError(f"advice must have one row per trial and one column per expert, got the shape {table.shape}.")
    if experts is None and table.shape[1] == 0:
        raise ValueError("advice must come from at least one expert, got none.\nHint: a row holds one number each.")
    if experts is not None and table.shape[1] != experts:
        raise ValueError(
            f"advice must come from {experts} experts as before, got {table.shape[1]} columns.\n"
            "Hint: an expert without advice is NaN for Specialists."
        )
    if _has_others(table, asleep=asleep):
        bad = np.isinf(table) if asleep else ~np.isfinite(table)
        row, expert = np.argwhere(bad)[0].tolist()
        raise ValueError(
            f"advice of expert {expert} in trial {first + row} must be finite, got {table[row, expert]}.\n"
            "Hint: experts that sometimes give no advice need Specialists, where NaN means asleep."
        )
    if asleep and len(table) and (nobody := np.isnan(table).all(axis=1)).any():
        raise ValueError(f"in trial {first + int(np.argmax(nobody))} no expert is awake.\nHint: leave such trials out.")
    return table


def labels_of(y: ArrayLike, rows: int, first: int) -> Floats:
    """One finite label per trial."""
    labels = np.atleast_1d(_floats(y, "y", "one number per trial"))
    if labels.ndim != 1 or len(labels) != rows:
        raise ValueError(f"y must have one label per trial: {rows} trials, got the shape {labels.shape}.")
    if not np.isfinite(labels).all():
        row = int(np.argmin(np.isfinite(labels)))
        raise ValueError(f"y of trial {first + row} must be finite, got {labels[row]}.\nHint: leave such trials out.")
    return labels


def require_values(table: Floats, allowed: tuple[float, ...] | None, low: float, high: float, **where: Any) -> None:
    """Refuse numbers outside [low, high], or other than the allowed ones; `where` says name, first trial and why."""
    given = np.isnan(table)
    fits = np.isin(table, allowed) if allowed is not None else (table >= low) & (table <= high)
    if (fits | given).all():
        return
    place = np.argwhere(~(fits | given))[0]
    who = f" of expert {place[1]}" if table.ndim == 2 else ""
    wanted = " or ".join(f"{value:g}" for value in allowed) if allowed is not None else f"in [{low:g}, {high:g}]"
    raise ValueError(
        f"{where['name']}{who} in trial {where['first'] + int(place[0])} must be {wanted}, "
        f"got {table[tuple(place)]:g}.\nHint: {where['hint']}"
    )


def first_outside(table: Floats, low: float, high: float) -> tuple[int, float] | None:
    """The first row with a number outside [low, high], and that number; NaN lies in every range."""
    if not table.size:
        return None
    rows = table.reshape(len(table), -1)
    if low <= np.fmin.reduce(rows, axis=None) and np.fmax.reduce(rows, axis=None) <= high:
        return None
    bad = (rows < low) | (rows > high)
    if not bad.any():
        return None
    row, column = np.argwhere(bad)[0].tolist()
    return row, float(rows[row, column])


def _has_others(table: Floats, *, asleep: bool) -> bool:
    """Whether there are infinities, or NaN that is not sleep; one pass where all is well."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(table.sum()):
            return False
    return bool((np.isinf(table) if asleep else ~np.isfinite(table)).any())


def _floats(values: ArrayLike, name: str, wanted: str) -> Floats:
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be {wanted}, got {values!r:.80}.\nHint: {error}") from error
