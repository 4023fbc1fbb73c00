"""The median of every column of weighted rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def weighted_median(X: NDArray[Any], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Per column the middle of the rows, a row of weight 2 counted twice; the mean of the two middle ones if there is
    no single one. Minimizes sum_i w_i |x_i - m|.
    """
    X, weights = X[weights > 0], weights[weights > 0]
    order = np.argsort(X, axis=0, kind="stable")
    values = np.take_along_axis(X, order, axis=0).astype(np.float64)
    reached = np.cumsum(weights[order], axis=0)
    half = reached[-1] / 2.0
    last = len(X) - 1
    low = np.minimum((reached < half).sum(axis=0), last)
    high = np.minimum((reached <= half).sum(axis=0), last)
    columns = np.arange(X.shape[1])
    return (values[low, columns] + values[high, columns]) / 2.0
