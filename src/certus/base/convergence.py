"""One warning for all learners that stop before their solution is as accurate as asked for."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from certus.base.user_warnings import warn_user
from certus.guarantees.records import number


def warn_not_converged(
    learner: object,
    cause: str | None = None,
    *,
    gap: float,
    at_zero: float = 0.0,
    limit: float | None = None,
    hint: str = "raise max_iter, or scale the data (StandardScaler)",
) -> None:
    """Say why the solver stopped, how far the solution can be from the optimum at most, and what to do.

    Parameters
    ----------
    learner : object
        The learner; its class is named.
    cause : str, default=None
        Why the solver stopped; None: it is done, but ``gap_tol`` asks for more than it could certify.
    gap : float
        Certified bound on the objective minus its minimum.
    at_zero : float, default=0.0
        The objective without coefficients, to compare the gap with; 0 if there is none.
    limit : float, default=None
        The largest gap that ``gap_tol`` allows.
    hint : str
        What to do.
    """
    share = f" ({number(gap / at_zero, 'upper', 2)} of its value at zero coefficients)" if at_zero > 0.0 else ""
    reached = (
        f"The objective of {type(learner).__name__} is certified to be within {number(gap, 'upper')} of its "
        f"minimum{share}"
    )
    if cause is None:
        asked = "" if limit is None else f" ({number(limit)})"
        text = f"{reached}, more than gap_tol asks for{asked}."
    else:
        text = f"{cause}\n{reached}."
    warn_user(f"{text}\nHint: {hint}.", ConvergenceWarning)
