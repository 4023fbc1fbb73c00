"""Exact limits of a binomial rate by inverting its tails."""

import math
from collections.abc import Callable

from scipy import special


def upper(events: int, rows: int, delta: float) -> float:
    """The p with P(Binomial(rows, p) <= events) = delta, rounded up."""
    if events == rows:
        return 1.0
    if events == 0:
        root = -math.expm1(math.log(delta) / rows)
    else:
        root = float(special.betainccinv(events + 1.0, rows - events, delta))
    return _rounded_out(root, 1.0, lambda p: float(special.betaincc(events + 1.0, rows - events, p)) <= delta)


def lower(events: int, rows: int, delta: float) -> float:
    """The p with P(Binomial(rows, p) >= events) = delta, rounded down."""
    if events == 0:
        return 0.0
    if events == rows:
        root = math.exp(math.log(delta) / rows)
    else:
        root = float(special.betaincinv(float(events), rows - events + 1.0, delta))
    return _rounded_out(root, 0.0, lambda p: float(special.betainc(float(events), rows - events + 1.0, p)) <= delta)


def _rounded_out(root: float, trivial: float, safe: Callable[[float], bool]) -> float:
    """Move a computed root towards the trivial value until the tail condition really holds there."""
    step = 1e-13
    while step < 1e-3:
        moved = root + math.copysign(step * root, trivial - root)
        if 0.0 < moved < 1.0 and safe(moved):
            return moved
        step *= 4.0
    return trivial
