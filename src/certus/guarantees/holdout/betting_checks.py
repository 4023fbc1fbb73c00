"""The second route of the betting bounds: plain NumPy, logarithms instead of products."""

import numpy as np

from certus.guarantees._native_calls import BETTING_CAP, STAR_CAP, star_grid
from certus.guarantees.holdout.binomial_tail import bisect


def past_variances(x: np.ndarray) -> np.ndarray:
    """s^2_{t-1} for every row t: what the rows before it say about the variance, with one prior row."""
    seen = np.arange(1, len(x) + 1)
    means = (0.5 + np.cumsum(x)) / (seen + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2)) / (seen + 1)
    return np.concatenate(([0.25], variances[:-1]))


def log_capital(x: np.ndarray, mean: float, log_level: float) -> float:
    """Largest log capital of a gambler against "the mean is at least `mean`"."""
    bets = np.sqrt(2.0 * log_level / (len(x) * past_variances(x)))
    if mean < 1.0:
        bets = np.minimum(bets, BETTING_CAP / (1.0 - mean))
    return max(0.0, float(np.cumsum(np.log1p(-bets * (x - mean))).max()))


def betting(x: np.ndarray, log_level: float) -> float:
    """The betting bound by bisection."""
    if log_capital(x, 1.0, log_level) < log_level:
        return 1.0
    return bisect(lambda m: log_capital(x, m, log_level) < log_level, 0.0, 1.0)


def star(x: np.ndarray, log_level: float, stated: float) -> float:
    """The STaR bound, given which grid point is stated: re-run every point down to the one after it.

    Returns the last point of the grid before the first that is not rejected.
    """
    grid = star_grid(len(x))
    lanes = grid[: int(np.searchsorted(-grid, -stated * (1.0 - 1e-12))) + 1]
    with np.errstate(divide="ignore"):
        caps = STAR_CAP / (1.0 - lanes)
    rejected = np.zeros(len(lanes), dtype=bool)
    active = np.arange(len(lanes))
    missing = np.full(len(lanes), log_level)
    aims = 2.0 / (np.arange(len(x), 0, -1) * past_variances(x))
    for loss, aim in zip(x, aims, strict=True):
        bets = np.minimum(np.sqrt(missing * aim), caps[active])
        missing -= np.log1p(-bets * (loss - lanes[active]))
        if (done := missing <= 0.0).any():
            rejected[active[done]] = True
            active, missing = active[~done], missing[~done]
            if not len(active):
                break
    count = len(lanes) if rejected.all() else int(np.argmin(rejected))
    return float(lanes[count - 1]) if count else 1.0
