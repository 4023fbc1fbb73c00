"""Exact limits of a binomial rate by inverting its tails."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


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


def uppers(events: Counts, rows: Counts, delta: float) -> Floats:
    """`upper` of many counts at once."""
    roots = _roots(special.betainccinv, events + 1.0, rows - events, delta)
    none = events == 0
    roots[none] = -np.expm1(math.log(delta) / rows[none])
    found = _all_rounded_out(
        roots, 1.0, lambda p, at: special.betaincc(events[at] + 1.0, rows[at] - events[at], p) <= delta
    )
    found[events == rows] = 1.0
    return found


def lowers(events: Counts, rows: Counts, delta: float) -> Floats:
    """`lower` of many counts at once."""
    roots = _roots(special.betaincinv, events, rows - events + 1.0, delta)
    every = events == rows
    roots[every] = np.exp(math.log(delta) / rows[every])
    found = _all_rounded_out(
        roots, 0.0, lambda p, at: special.betainc(events[at], rows[at] - events[at] + 1.0, p) <= delta
    )
    found[events == 0] = 0.0
    return found


def _roots(inverse: Callable[..., Floats], a: NDArray[Any], b: NDArray[Any], delta: float) -> Floats:
    """Roots of a tail where both of its parameters are positive; 0.5 elsewhere, to be replaced."""
    inside = (a > 0) & (b > 0)
    roots = np.full(len(a), 0.5)
    roots[inside] = inverse(np.asarray(a, float)[inside], np.asarray(b, float)[inside], delta)
    return roots


def _all_rounded_out(
    roots: Floats, trivial: float, safe: Callable[[Floats, NDArray[np.intp]], NDArray[np.bool_]]
) -> Floats:
    found, left, step = np.full(len(roots), trivial), np.arange(len(roots)), 1e-13
    with np.errstate(invalid="ignore"):
        while step < 1e-3 and len(left):
            moved = roots[left] + np.copysign(step * roots[left], trivial - roots[left])
            good = (moved > 0.0) & (moved < 1.0) & safe(moved, left)
            found[left[good]] = moved[good]
            left, step = left[~good], step * 4.0
    return found


def _rounded_out(root: float, trivial: float, safe: Callable[[float], bool]) -> float:
    """Move a computed root towards the trivial value until the tail condition really holds there."""
    step = 1e-13
    while step < 1e-3:
        moved = root + math.copysign(step * root, trivial - root)
        if 0.0 < moved < 1.0 and safe(moved):
            return moved
        step *= 4.0
    return trivial
