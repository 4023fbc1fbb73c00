"""Rows so close together that the squares of their differences vanish."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

LEAST_SPREAD = 1e-140


def refuse_vanishing_squares(owner: str, X: Any) -> None:
    """Raise a ValueError if rows differ, but so little that their squared distances are no longer numbers.

    A cost of such rows would be 0, and a certificate would call any clustering of them perfect.
    """
    if sparse.issparse(X):
        spread = float(np.max(np.abs(X.data), initial=0.0))
    elif len(X) > 1 and np.max(np.abs(X[0] - X[-1])) >= LEAST_SPREAD:
        return  # no need to look at all rows
    else:
        spread = float(np.max(np.ptp(X, axis=0)))
    if 0.0 < spread < LEAST_SPREAD:
        raise ValueError(
            f"X must have a column whose values differ by {LEAST_SPREAD:g} at least (or none that vary) for {owner}, "
            f"got {spread:g} at most, because squares of smaller numbers vanish.\n"
            "Hint: rescale the columns, for example with StandardScaler."
        )
