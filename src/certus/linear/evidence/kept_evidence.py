"""Evidence that is asked for by the stopping rule and again by the report is gathered once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Evidence = TypeVar("Evidence")


class KeptEvidence(Generic[Evidence]):
    """``gather(coef, intercept)``, remembered for the coefficients that it was last called with."""

    def __init__(self, gather: Callable[[Array, Array], Evidence]) -> None:
        self._gather = gather
        self._last: tuple[Array, Array, Evidence] | None = None

    def __call__(self, coef: Array, intercept: Array) -> Evidence:
        """The evidence at these coefficients."""
        if self._last is not None:
            last_coef, last_intercept, evidence = self._last
            if np.array_equal(coef, last_coef) and np.array_equal(intercept, last_intercept):
                return evidence
        evidence = self._gather(coef, intercept)
        self._last = coef.copy(), intercept.copy(), evidence
        return evidence
