"""Intercepts of tables whose columns were shifted: with large shifts they must not be rounded more than once.

A fit on X - m with intercept c has the intercept b = c - m'w on X. Stored as a double, b is off by up to |b| / 2^53, so
that the fit in use has the intercept c' = b + m'w; evidence about a stored fit needs c', not c.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
FAR = 1e3  # mean over spread of a column from which on it is worth a copy of the table to subtract the mean


def far_off(X: Array, mean: Array) -> bool:
    """Whether the mean of some column is so much larger than its spread that products with it lose digits."""
    spread = np.abs(X - mean).max(axis=0, initial=0.0) if X.size else np.zeros(len(mean))
    return bool((np.abs(mean) > FAR * spread).any())


def stored_intercept(center: float, shift: Array, coef: Array) -> float:
    """The intercept b = c - m'w, rounded once."""
    return float(np.longdouble(center) - shift.astype(np.longdouble) @ coef.astype(np.longdouble))


def exact_center(intercept: float, shift: Array, coef: Array) -> float:
    """The center c' = b + m'w, rounded once."""
    return float(np.longdouble(intercept) + shift.astype(np.longdouble) @ coef.astype(np.longdouble))


def center_error(intercept: float, shift: Array, coef: Array) -> float:
    """Bound on the rounding error of c', where extended precision is that of a double at worst."""
    unit = float(np.finfo(np.longdouble).eps)
    size = abs(intercept) + float(np.abs(shift) @ np.abs(coef))
    return (len(coef) + 4) * unit * size + 2.0**-52 * abs(exact_center(intercept, shift, coef))
