"""Scores that are linear in the features, as coefficients and intercepts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class LinearForm(NamedTuple):
    """Scores ``X @ coef.T + intercept``; for two classes one row, positive for the second class."""

    coef: Floats
    intercept: Floats


def linear_form(coef: Floats, intercept: Floats) -> LinearForm:
    """The form of scores with a row per class: for two classes the differences, which are log odds."""
    if len(coef) == 2:
        return LinearForm(coef[1:] - coef[:1], intercept[1:] - intercept[:1])
    return LinearForm(coef, intercept)
