"""Centering a table in the caller's own memory, which `copy_X=False` allows: no second table is needed then."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.linear.design.column_copies import constant_columns
from certus.linear.design.design_matrix import make_design

Array = NDArray[np.float64]
MODERATE = 1e100  # tables with larger numbers may overflow on the way, and errors have to name the caller's numbers


def center_in_place(learner: Any, X: Any, weights: Array | None, threads: int) -> Array | None:
    """Subtract the weighted means from the columns and return them; None if the table has to stay as it is.

    It stays unless ``copy_X=False``, an intercept is fitted, nobody watches the fit with the table at hand, and the
    table is dense, writable and in double precision (others would lose digits).
    """
    allowed = not learner.copy_X and learner.fit_intercept and not getattr(learner, "_skl_callbacks", None)
    if not allowed or not isinstance(X, np.ndarray) or X.dtype != np.float64 or not X.flags.writeable or not X.size:
        return None
    if not max(float(X.max()), -float(X.min())) < MODERATE:  # NaN too
        return None
    shift = make_design(X, threads).mean(weights)
    if not np.isfinite(shift).all():
        return None
    constant = constant_columns(X, weights)
    first = 0 if weights is None else int(np.flatnonzero(weights)[0])
    shift[constant] = X[first, constant]  # exactly, so that nothing is left of them
    X -= shift
    return shift
