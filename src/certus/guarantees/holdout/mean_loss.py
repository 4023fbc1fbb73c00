"""Bounds on the mean of losses that lie in a declared range."""

import math

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.holdout.mean_bounds import MeanBounds
from certus.guarantees.holdout.mean_by_betting import by_betting
from certus.guarantees.holdout.mean_by_formula import by_formula
from certus.guarantees.holdout.mean_setting import (
    METHODS,
    ORDERED,
    Setting,
)
from certus.guarantees.records.bound_arguments import SIDES, check_choice, check_count, check_losses, check_range
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.confidence_levels import check_confidence
from certus.guarantees.records.quantity import Quantity


def mean_bound(
    losses: ArrayLike,
    *,
    low: ArrayLike = 0.0,
    high: ArrayLike = 1.0,
    confidence: float = 0.95,
    side: str = "upper",
    method: str = "auto",
    seed: int = 0,
    variance: float | None = None,
    uses: int = 1,
    quantity: Quantity | str = "mean loss",
) -> Certificate:
    """Bound the expected loss from losses on independent held-out rows.

    Betting: the smallest m at which a gambler who bets that the mean is below m multiplies the stake by
    1/(1 - confidence). It adapts to the variance, and is several times tighter than Hoeffding's bound when
    losses vary little.

    Parameters
    ----------
    losses : array-like of shape (rows,) or (rows, bounds)
        One loss per row, inside the range; a matrix gives one bound per column, each at the confidence.
    low, high : float, default 0.0 and 1.0
        The range of the loss, known without looking at these losses. For method="hoeffding" also arrays with
        one range per row.
    confidence : float, default=0.95
        Probability with which the bound holds; both ends together for side="both".
    side : {"upper", "lower", "both"}, default="upper"
        Which side to bound.
    method : {"auto", "hoeffding", "kl", "bernstein", "empirical-bernstein", "hoeffding-bentkus", "betting", \
"star"}, default="auto"
        "auto" is betting for every finite range: never chosen by looking at the losses.
    seed : int, default=0
        Order in which betting goes through the rows. Fix it before seeing results.
    variance : float, optional
        For method="bernstein": a known upper bound on the variance of one loss.
    uses : int, default=1
        How many candidates or questions these rows have served, this one included; the bound pays for all.
    quantity : str, default="mean loss"
        Name under which a report lists the bound.

    Returns
    -------
    Certificate, or MeanBounds for a matrix
        `value` is the bound (a pair for side="both"); of many bounds `values`, and every one is a certificate
        by its place.

    Examples
    --------
    >>> import numpy as np
    >>> losses = np.random.default_rng(0).beta(1, 9, size=1000)
    >>> round(mean_bound(losses).value, 2), round(mean_bound(losses, method="hoeffding").value, 2)
    (0.11, 0.14)
    """
    check_choice(side, "side", SIDES)
    check_choice(method, "method", ("auto", *METHODS))
    method = "betting" if method == "auto" else method
    confidence, uses = check_confidence(confidence), check_count(uses, "uses", minimum=1)
    seed = check_count(seed, "seed")
    if np.ndim(low) or np.ndim(high):
        low, high, values, squared = _unequal_ranges(losses, low, high, method)
    else:
        low, high = check_range(low, high)
        values = _matrix(losses, low, high) if np.ndim(losses) == 2 else check_losses(losses, low, high)
        squared = len(values) * (high - low) ** 2
    variance = _check_variance(variance, method)
    unit = Quantity.of_text(quantity).per or "row"
    setting = Setting(low, high, confidence, side, method, seed, variance, uses, quantity, unit)
    if values.ndim == 2:
        return MeanBounds(values, setting)  # type: ignore[return-value]  # types cannot tell a matrix from a vector
    if method in ORDERED:
        return by_betting(values, setting)
    return by_formula(values, squared, setting)


def _matrix(losses: ArrayLike, low: float, high: float) -> np.ndarray:
    """Losses of many bounds, checked as those of one."""
    matrix = np.asarray(losses, dtype=np.float64)
    flat = check_losses(matrix.ravel(), low, high, name="losses (row by row)")
    return flat.reshape(matrix.shape)


def _unequal_ranges(
    losses: ArrayLike, low: ArrayLike, high: ArrayLike, method: str
) -> tuple[float, float, np.ndarray, float]:
    """Average range, losses, and the sum of squared ranges, for ranges that differ between rows."""
    if method != "hoeffding":
        raise ValueError(f"one range per row needs method='hoeffding', got {method!r}.")
    values = check_losses(losses, -np.inf, np.inf)
    lows, highs = (np.broadcast_to(np.asarray(end, dtype=float), values.shape) for end in (low, high))
    bad = np.flatnonzero(~((lows <= values) & (values <= highs) & np.isfinite(highs - lows)))
    if bad.size:
        row = int(bad[0])
        raise ValueError(f"losses: row {row} is {values[row]:g}, outside its range [{lows[row]}, {highs[row]}].")
    squared = math.fsum(((highs - lows) ** 2).tolist()) * (1.0 + 1e-14)
    return math.fsum(lows) / len(values), math.fsum(highs) / len(values), values, squared


def _check_variance(variance: float | None, method: str) -> float | None:
    if (variance is None) == (method == "bernstein"):
        raise ValueError(
            f"variance={variance!r} does not go with method={method!r}: Bernstein's bound needs a known "
            "variance, no other uses it.\nHint: method='empirical-bernstein' estimates it."
        )
    if variance is not None and not 0.0 <= variance < math.inf:
        raise ValueError(f"variance must be a finite number of at least 0, got {variance!r}.")
    return None if variance is None else float(variance)
