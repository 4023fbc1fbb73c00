"""Maximum likelihood of a Dirichlet distribution (Minka 2000).

The log likelihood per row, ``log Gamma(sum a) - sum log Gamma(a_i) + sum (a_i - 1) l_i`` with mean logarithms l, is
concave. Its Hessian is a diagonal matrix plus a constant, so that a Newton step costs O(k).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln, polygamma

Floats = NDArray[np.float64]


def dirichlet_newton(log_means: Floats, *, steps: int = 500) -> Floats:
    """The parameters at which the expected logarithms are ``log_means``."""
    center = np.exp(log_means - log_means.max())
    gap = float(np.log(np.exp(log_means).sum()))
    if not gap < -1e-14:
        raise ValueError("data must hold at least two different rows, got equal ones: there is no maximum.")
    # The gap shrinks with the size as (k - 1) / (2 size).
    alpha = center / center.sum() * max((len(log_means) - 1) / (-2 * gap), 1e-3 * len(log_means)) + 1e-6
    current = _value(alpha, log_means)
    for _ in range(steps):
        slope = digamma(alpha.sum()) - digamma(alpha) + log_means
        if np.abs(slope * alpha).max() < 1e-12:
            break
        diagonal, shared = -polygamma(1, alpha), polygamma(1, alpha.sum())
        middle = (slope / diagonal).sum() / (1 / shared + (1 / diagonal).sum())
        step = -(slope - middle) / diagonal
        size = min(1.0, 0.9 / max(float((-step / alpha).max()), 1e-300))
        while size > 1e-14 and _value(alpha + size * step, log_means) < current:
            size /= 2
        if size <= 1e-14:
            break
        alpha = alpha + size * step
        current = _value(alpha, log_means)
    return alpha


def _value(alpha: Floats, log_means: Floats) -> float:
    return float(gammaln(alpha.sum()) - gammaln(alpha).sum() + (alpha - 1) @ log_means)
