"""Gamma-exponential mixtures: how far a sum may stray from the sum of its conditional means, at any time.

For losses x_i in [0, 1] with conditional means m_i and predictions e_i made before each loss, let
S = sum of (x_i - m_i) and V = sum of (x_i - e_i)^2. Then exp(l S - V (-log(1-l) - l)) is a supermartingale for
every l in [0, 1), and so is its mixture over l. With 1 - l ~ Gamma(rho, rho) truncated to (0, 1] the mixture is

    m(S, V) = rho^rho / (Gamma(rho) P(rho, rho)) * Gamma(V+rho) P(V+rho, S+V+rho) / (S+V+rho)^(V+rho) * exp(S+V),

P the regularized lower incomplete gamma function. The conditional means may change from row to row: what is
bounded is their average.

Reference: Howard, Ramdas, McAuliffe, Sekhon, Time-uniform, nonparametric, nonasymptotic confidence sequences
(2021), theorem 4 and proposition 9.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from certus.guarantees.holdout.binomial_tail import bisect
from certus.guarantees.monitoring.stirling import log_gamma_against

SLIP = 1e-9


def tuned_rho(tuned_variance: float, log_level: float) -> float:
    """The rho that makes the radius about smallest where V equals `tuned_variance`."""
    return tuned_variance / (2.0 * log_level + math.log1p(2.0 * log_level))


def log_mixture(deviation: ArrayLike, variance: ArrayLike, rho: float) -> Any:
    """Log m(S, V) for S > -(V + rho)."""
    a = np.asarray(variance, dtype=float) + rho
    x = np.asarray(deviation, dtype=float) + a
    with np.errstate(divide="ignore"):
        share = np.log(special.gammainc(a, x))
    start = rho * math.log(rho) - special.gammaln(rho) - math.log(special.gammainc(rho, rho))
    return start + log_gamma_against(a, x) - rho + share


def radius(variance: float, log_level: float, rho: float) -> float:
    """The S at which m(S, V) reaches the level, rounded up; m grows with S."""
    outside = 1.0 + log_level
    while float(log_mixture(outside, variance, rho)) < log_level + SLIP:
        outside *= 2.0
    return bisect(lambda s: float(log_mixture(s, variance, rho)) < log_level + SLIP, 0.0, outside)
