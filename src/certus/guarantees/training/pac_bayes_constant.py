"""The constant of the PAC-Bayes-kl theorem, exactly.

xi(m) = sum_{k=0}^m C(m, k) (k/m)^k (1 - k/m)^(m-k): the largest mean of exp(m kl(empirical rate, rate)) over all
losses in [0, 1] (Maurer, A Note on the PAC Bayesian Theorem, 2004). By Abel's identity the sum equals
sum_{j=0}^m m! / ((m-j)! m^j), an incomplete gamma function, so that it costs nothing for any m.
"""

import math

import numpy as np
from scipy import special

LARGEST = 10**12  # rows for which the terms of the second route fit into memory


def log_xi(rows: int) -> float:
    """Logarithm of xi(rows), rounded up.

    Examples
    --------
    >>> import math
    >>> round(math.exp(log_xi(1000)), 9)
    40.303212926
    """
    series = 1.0 / (12.0 * rows) - 1.0 / (360.0 * rows**3) + 1.0 / (1260.0 * rows**5)  # above log m! - Stirling
    if rows < 10:
        series = math.lgamma(rows + 1.0) - ((rows + 0.5) * math.log(rows) - rows + 0.5 * math.log(2 * math.pi))
    tail = float(special.gammaincc(rows + 1.0, float(rows)))
    return 0.5 * math.log(2.0 * math.pi * rows) + series + math.log(tail) + 1e-13


def summed_log_xi(rows: int) -> float:
    """The second route: adding up m (m-1) ... (m-j+1) / m^j until the terms vanish, after about 9 sqrt(m)."""
    if rows > LARGEST:
        raise ValueError(f"rows must be at most {LARGEST} for this route, got {rows}.")
    terms = min(rows, math.ceil(9.0 * math.sqrt(rows)) + 50)
    return math.log1p(float(np.cumprod(1.0 - np.arange(terms) / rows).sum()))


def log_xi_of_three(rows: int) -> float:
    """Logarithm of the same constant for three outcomes, which is xi(m) + m (Younsi 2012)."""
    return float(np.logaddexp(log_xi(rows), math.log(rows))) + 1e-15
