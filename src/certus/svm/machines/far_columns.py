"""The linear kernel of columns that lie far from 0.

With an intercept the signed sum of the multipliers is zero, so that f(x) = sum_i beta_i <x_i - m, x - m> + c has the
same h for any m, and the same optimum: the intercept b = c - <w, m> takes the shift up. The values <x_i, x_j> of
columns of spread 1 around 1e9 have no digit left for the spread; those of x - m have all of them. m is the lower median
of every column, a number of the table itself, so that differences to it are exact where the values are far from 0.
"""

from __future__ import annotations

import numpy as np

from certus.svm._native_calls import Floats

FAR = 30.0  # means over spreads, from which on products lose three digits


def far_center(table: Floats) -> Floats | None:
    """What to take off the columns, or None if they are close enough to 0."""
    mean, spread = table.mean(axis=0), table.std(axis=0)
    if not float(np.linalg.norm(mean)) > FAR * float(np.linalg.norm(spread)):
        return None
    middle = (len(table) - 1) // 2
    return np.partition(table, middle, axis=0)[middle].copy()
