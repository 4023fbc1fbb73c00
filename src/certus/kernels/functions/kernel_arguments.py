"""Checks of the numbers that kernels are made of."""

from __future__ import annotations

from certus.base import Interval, ParameterError, violation


def number(name: str, value: float, owner: object, *, positive: bool = False) -> float:
    """The value, if it is a finite number (above 0)."""
    rule = Interval(0.0, None, closed="neither") if positive else Interval(None, None, closed="neither")
    if not rule.allows(value) or abs(float(value)) == float("inf"):
        raise ParameterError(violation(type(owner).__name__, name, [rule], value))
    return value


def whole(name: str, value: int, owner: object, *, low: int, high: int | None = None) -> int:
    """The value, if it is a whole number in the range."""
    rule = Interval(low, high, integer=True)
    if not rule.allows(value):
        raise ParameterError(violation(type(owner).__name__, name, [rule], value))
    return value
