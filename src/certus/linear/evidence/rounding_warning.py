"""One warning for all least-squares and smooth learners: offsets so large that rounding errors drown the fit."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import ConvergenceWarning

from certus.base import warn_user
from certus.guarantees.records import number

DROWNED = 1.5  # certified gap over the objective without coefficients: then nothing is known about the fit


def drowned(gap: float, at_zero: float, size: float) -> bool:
    """Whether rounding errors alone exceed what any coefficients could explain.

    ``size`` is the magnitude of the terms that the objective sums up: a gap that is tiny against it is harmless.
    """
    return not gap <= DROWNED * at_zero + 1e-9 * size


def warn_drowned(learner: Any, gap: float, at_zero: float) -> None:
    """Tell the user; the certificate, if there is one, says the same with the same number."""
    warn_user(
        f"{type(learner).__name__}: values in X are so large against their spread that rounding errors of the scores "
        f"exceed what the columns explain: the objective is only known to be within {number(gap, 'upper')} of its "
        f"minimum, and without coefficients it is {number(at_zero)}.\n"
        "Hint: subtract the columns' means before fitting, for example with StandardScaler.",
        ConvergenceWarning,
    )
