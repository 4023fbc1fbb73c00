"""Maximum likelihood of Student's distributions by expectation maximization (Liu, Rubin 1995).

A t variable is a normal one whose precision is multiplied by a gamma variable; its expectation given a row is the
weight ``(df + d) / (df + distance)`` of the row. Each round raises the likelihood.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from certus.distributions.estimation.weighted_rows import require_rows, weighted

Floats = NDArray[np.float64]


def t_fit(data: Any, weights: ArrayLike | None, df: float | None) -> tuple[float, Floats, Floats]:
    """Degrees of freedom, location and scale matrix of largest likelihood."""
    rows, weight = weighted(data, weights, dim=2)
    require_rows(float(weight.sum()), "The fit")
    if np.linalg.matrix_rank(rows - rows[0]) < rows.shape[1]:
        raise ValueError("data must not lie on a line or plane of fewer dimensions than it has columns.")
    if df is not None:
        return df, *_location_and_scale(rows, weight, df)[:2]
    best = minimize_scalar(
        lambda z: -_location_and_scale(rows, weight, float(np.exp(z)))[2], bounds=np.log([0.5, 1000]), method="bounded"
    )
    found = float(np.exp(best.x))
    return found, *_location_and_scale(rows, weight, found)[:2]


def _location_and_scale(rows: Floats, weight: Floats, df: float, rounds: int = 2000) -> tuple[Floats, Floats, float]:
    dim, total = rows.shape[1], weight.sum()
    mean = weight @ rows / total
    scale = (rows - mean).T @ ((rows - mean) * weight[:, np.newaxis]) / total
    before = -np.inf
    for _ in range(rounds):
        factor = np.linalg.cholesky(scale)
        distance = (np.linalg.solve(factor, (rows - mean).T) ** 2).sum(axis=0)
        value = _log_likelihood(distance, factor, weight, df, dim)
        if value - before <= 1e-13 * abs(value):
            break
        before = value
        pull = weight * (df + dim) / (df + distance)
        mean = pull @ rows / pull.sum()
        # Dividing by the sum of pulls instead of the weight has the same fixed point, reached faster (Kent, Tyler
        # 1991).
        scale = (rows - mean).T @ ((rows - mean) * pull[:, np.newaxis]) / pull.sum()
    return mean, scale, value


def _log_likelihood(distance: Floats, factor: Floats, weight: Floats, df: float, dim: int) -> float:
    constant = gammaln((df + dim) / 2) - gammaln(df / 2) - dim / 2 * np.log(df * np.pi) - np.log(np.diag(factor)).sum()
    return float(weight @ (constant - (df + dim) / 2 * np.log1p(distance / df)))
