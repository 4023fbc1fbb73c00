"""Vectors and scalars on which axioms are tried, and how their two sides are compared."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from certus.geometry.linear_algebra.matrix_inputs import Floats
from certus.geometry.metrics.axiom_checks import ROUNDING

SCALARS = (-1.0, 2.0, 0.5, -3.0, 0.0)  # multiples by them are exact for entries of few digits
_MOST_UNITS = 12


def trial_vectors(dimension: int, tries: int, seed: int) -> list[Floats]:
    """Unit vectors, their opposites and the vector of ones, then as many random ones as asked for, of three lengths."""
    check_dimension(dimension)
    rng = np.random.default_rng(seed)
    units = np.eye(dimension)[:_MOST_UNITS]
    random = rng.normal(size=(tries, dimension)) * np.resize([1.0, 1e-3, 1e3], (tries, 1))
    return [*units, *-units, np.ones(dimension), *random]


def trial_pairs(vectors: list[Floats]) -> list[tuple[Floats, Floats]]:
    """All pairs of the first vectors, and each vector with the next."""
    first = vectors[:_MOST_UNITS]
    return [*((u, v) for u in first for v in first), *itertools.pairwise(vectors)]


def small_grid(dimension: int, entries: range, tries: int, seed: int) -> list[Floats]:
    """All vectors with entries from a range of whole numbers, or as many drawn ones as asked for; zero first."""
    check_dimension(dimension)
    if len(entries) ** min(dimension, 64) <= tries:
        found = [np.array(one, dtype=np.float64) for one in itertools.product(entries, repeat=dimension)]
        return sorted(found, key=lambda vector: float(np.abs(vector).sum()))
    drawn = np.random.default_rng(seed).integers(entries.start, entries.stop, size=(tries, dimension))
    return [np.zeros(dimension), *np.eye(dimension)[:_MOST_UNITS], *drawn.astype(np.float64)]


def differ(left: Any, right: Any, *pieces: Any) -> bool:
    """Whether two values differ by more than the rounding of the numbers that they come from."""
    one, other = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if one.shape != other.shape:
        return True
    size = max(float(np.abs(np.asarray(value, dtype=np.float64)).max(initial=0.0)) for value in (one, other, *pieces))
    return not bool(np.abs(one - other).max(initial=0.0) <= ROUNDING * size)


def check_dimension(dimension: int) -> None:
    """Refuse what is not a number of entries."""
    if not isinstance(dimension, int | np.integer) or dimension < 1:
        raise ValueError(f"dimension must be a whole number of at least 1, got {dimension!r}.")


def shown(value: Any) -> str:
    """A number or a vector in a sentence."""
    array = np.asarray(value, dtype=np.float64)
    return f"{float(array):.10g}" if array.ndim == 0 else "[" + ", ".join(f"{one:.6g}" for one in array.ravel()) + "]"
