"""How wide the kernels of a density are: rules of thumb, and what rows that are left out say."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from certus.neighbors import _native_calls

Floats = NDArray[np.float64]
RULES = ("scott", "silverman", "normal", "likelihood", "least-squares")
STEPS = 24  # trial bandwidths, evenly spaced in logarithms


def log_kernel_constant(kernel: str, width: int) -> float:
    """The logarithm of one over the integral of a kernel of unit bandwidth."""
    log_ball = 0.5 * width * math.log(math.pi) - float(gammaln(0.5 * width + 1.0))
    if kernel == "gaussian":
        return -0.5 * width * math.log(2.0 * math.pi)
    if kernel == "exponential":
        return -(log_ball + float(gammaln(width + 1.0)))
    if kernel == "cosine":  # width |ball| times the integral of r^(width - 1) cos(pi r / 2)
        radial = quad(lambda r: r ** (width - 1) * math.cos(0.5 * math.pi * r), 0.0, 1.0, epsabs=0.0, epsrel=1e-13)[0]
        return -(log_ball + math.log(width * radial))
    share = {"tophat": 1.0, "epanechnikov": 2.0 / (width + 2.0), "linear": 1.0 / (width + 1.0)}[kernel]
    return -(log_ball + math.log(share))


def rule_of_thumb(rule: str, total: float, width: int) -> float:
    """Scott's and Silverman's factor for rows of unit variance."""
    rows = total if rule != "silverman" else total * (width + 2.0) / 4.0
    return float(rows ** (-1.0 / (width + 4.0)))


def covariance_factor(rows: Floats, weights: Floats) -> Floats:
    """A lower triangular L with L L' the covariance of the rows, with divisor (sum of weights - 1)."""
    total = float(weights.sum())
    centered = rows - weights @ rows / total
    covariance = (weights[:, None] * centered).T @ centered / max(total - 1.0, 1.0)
    scales = np.sqrt(np.diag(covariance))
    if (scales > 0.0).all():
        correlations = covariance / np.outer(scales, scales)
        if np.linalg.eigvalsh(correlations)[0] > 1e-12:
            return np.asarray(scales[:, None] * np.linalg.cholesky(correlations))
    raise ValueError(
        "bandwidth='normal' needs rows whose covariance is regular; here a column is constant or a combination of "
        "others.\nHint: leave such columns out, or give a number."
    )


def chosen_bandwidth(rows: Floats, weights: Floats, kernel: str, rule: str) -> float:
    """The bandwidth of the least score under leave-one-out, exactly computed; equal rows are left out together."""
    rows, place = np.unique(rows, axis=0, return_inverse=True)
    weights = np.asarray(np.bincount(place.ravel(), weights=weights), dtype=np.float64)
    if len(rows) < 3:
        raise ValueError(
            f"bandwidth={rule!r} needs at least 3 different rows, got {len(rows)}.\nHint: give it as a number."
        )
    size = math.ldexp(1.0, math.frexp(float(np.abs(rows - rows[0]).max()))[1])
    rows = rows / size  # exact, and squares neither vanish nor overflow
    score = (_likelihood_score if rule == "likelihood" else _squares_score)(rows, weights, kernel)
    spread = math.sqrt(float((weights @ (rows - weights @ rows / weights.sum()) ** 2).max() / weights.sum()))
    usual = spread * rule_of_thumb("scott", float(weights.sum()), rows.shape[1])
    trials = np.log(usual) + np.linspace(math.log(1e-3), math.log(30.0), STEPS)
    found = np.array([score(math.exp(trial)) for trial in trials])
    if not np.isfinite(found).any():
        raise ValueError(
            f"bandwidth={rule!r} found no bandwidth under which every row has neighbors.\nHint: give it as a number."
        )
    best = int(np.argmin(found))
    ends = trials[max(best - 1, 0)], trials[min(best + 1, STEPS - 1)]
    refined = minimize_scalar(lambda log: score(math.exp(log)), bounds=ends, method="bounded", options={"xatol": 1e-6})
    return size * math.exp(refined.x if refined.fun < found[best] else trials[best])


def _likelihood_score(rows: Floats, weights: Floats, kernel: str) -> Callable[[float], float]:
    """Minus the mean log-density of every row under the others."""
    tree, width = _native_calls.build_density_rows(rows, weights), rows.shape[1]
    constant, total = log_kernel_constant(kernel, width), float(weights.sum())

    def score(bandwidth: float) -> float:
        logs = _native_calls.log_sums(tree, rows, kernel, np.full(width, bandwidth), leave_out=True)
        densities = logs - np.log(total - weights) + constant - width * math.log(bandwidth)
        return -float(weights @ densities / total)

    return score


def _squares_score(rows: Floats, weights: Floats, kernel: str) -> Callable[[float], float]:
    """The integrated squared error of a Gaussian density, estimated without bias, up to a constant.

    The square integrates to a sum of Gaussians that are sqrt(2) times as wide.
    """
    if kernel != "gaussian":
        raise ValueError(
            f"bandwidth='least-squares' needs kernel='gaussian', got kernel={kernel!r}.\nHint: use 'likelihood'."
        )
    tree, width, total = _native_calls.build_density_rows(rows, weights), rows.shape[1], float(weights.sum())

    usual = math.sqrt(float((weights @ (rows - weights @ rows / total) ** 2).max() / total))
    unit = log_kernel_constant(kernel, width) - width * (math.log(usual) + 0.5)  # a usual log-density

    def mean(bandwidth: float, sizes: Any, leave_out: bool) -> float:
        logs = _native_calls.log_sums(tree, rows, kernel, np.full(width, bandwidth), leave_out=leave_out)
        scale = log_kernel_constant(kernel, width) - width * math.log(bandwidth)
        return float(weights @ (np.exp(np.minimum(logs + scale - unit, 700.0)) / sizes) / total)

    return lambda bandwidth: (
        mean(math.sqrt(2.0) * bandwidth, total, False) - 2.0 * mean(bandwidth, total - weights, True)
    )
