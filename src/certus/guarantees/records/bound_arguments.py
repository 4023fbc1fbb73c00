"""Checks of arguments that all bounds share: one clear message for each mistake."""

import math
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike

SIDES = ("upper", "lower", "both")


def check_count(value: object, name: str, minimum: int = 0) -> int:
    """Return a whole number of at least `minimum`."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral) or int(value) < minimum:
        raise ValueError(f"{name} must be a whole number of at least {minimum}, got {value!r}.")
    return int(value)


def check_positive(value: object, name: str) -> float:
    """Return a finite number greater than 0."""
    number = float(value) if isinstance(value, (Real, np.number)) and not isinstance(value, bool) else math.nan
    if not 0.0 < number < math.inf:
        raise ValueError(f"{name} must be a finite number greater than 0, got {value!r}.")
    return number


def check_errors_and_rows(errors: object, rows: object) -> tuple[int, int]:
    """Return (errors, rows) with 0 <= errors <= rows and at least one row."""
    total = check_count(rows, "rows", minimum=1)
    wrong = check_count(errors, "errors")
    if wrong > total:
        raise ValueError(f"errors must be at most rows ({total}), got {wrong}.\nHint: the order is (errors, rows).")
    return wrong, total


def check_choice(value: object, name: str, allowed: tuple[str, ...]) -> str:
    """Return `value` if it is one of the allowed strings."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}.")
    return value


def one_or_both(low: float, high: float, side: str) -> float | tuple[float, float]:
    """The ends that a bound of this side has."""
    return (low, high) if side == "both" else high if side == "upper" else low


def check_range(low: object, high: object) -> tuple[float, float]:
    """Return a finite range with low < high."""
    try:
        ends = float(low), float(high)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueError(f"low and high must be numbers, got {low!r} and {high!r}.") from None
    if not (np.isfinite(ends).all() and ends[0] < ends[1]):
        raise ValueError(
            f"low must be less than high and both finite, got low={low!r}, high={high!r}.\n"
            "Hint: a loss without a finite range cannot be bounded from a sample; use conformal prediction."
        )
    return ends


def check_losses(losses: ArrayLike, low: float, high: float, name: str = "losses") -> np.ndarray:
    """Return the losses as a contiguous float64 vector inside [low, high]; never clip silently."""
    try:
        values = np.ascontiguousarray(losses, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, got {type(losses).__name__}.") from None
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{name} must be a non-empty one-dimensional array, got shape {values.shape}.")
    bad = np.flatnonzero(~((values >= low) & (values <= high)))
    if bad.size:
        first = int(bad[0])
        raise ValueError(
            f"{name} must lie in the declared range [{low:g}, {high:g}]; row {first} is {values[first]:g} "
            f"({bad.size} of {values.size} rows are outside).\nHint: declare a range that no row can leave."
        )
    return values
