"""What a step size costs: the exact bias of Langevin sampling without correction.

For a normal target with precision a the unadjusted Langevin chain is an autoregression, theta' = (1 - eta a) theta +
noise, whose stationary variance is known; for other targets the same holds at the mode, with the Hessian in the place
of a.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_discrete_lyapunov
from scipy.optimize import minimize

from certus.sampling.argument_checks import positive, whole
from certus.sampling.target import Target

Floats = NDArray[np.float64]


def ula_variance(variance: float, step_size: float) -> float:
    """Stationary variance ``s2 / (1 - eta / (2 s2))`` of `ULA` on a normal target of variance s2.

    Examples
    --------
    >>> from certus.sampling import ula_variance
    >>> round(ula_variance(2.0, 0.3), 4)
    2.1622
    """
    positive("variance", variance)
    positive("step_size", step_size)
    if step_size >= 2 * variance:
        raise ValueError(
            f"step_size must be below 2 variance = {2 * variance:g}, got {step_size:g}: the chain diverges."
        )
    return variance / (1 - step_size / (2 * variance))


def sgld_variance(precision: float, step_size: float, gradient_variance: float) -> float:
    """Stationary variance ``(2 eta + eta^2 V) / (1 - (1 - eta a)^2)`` of `SGLD` on a normal posterior of precision a.

    Parameters
    ----------
    precision : float
        a, one over the variance of the posterior.
    step_size : float
        eta.
    gradient_variance : float
        V, the variance of the estimated gradient (`sgld_gradient_variance`); 0 gives `ula_variance`.
    """
    positive("precision", precision)
    positive("step_size", step_size)
    if not 0 <= gradient_variance < np.inf:
        raise ValueError(f"gradient_variance must be a finite number of at least 0, got {gradient_variance!r}.")
    if step_size >= 2 / precision:
        raise ValueError(f"step_size must be below 2 / precision = {2 / precision:g}, got {step_size:g}.")
    return (2 * step_size + step_size**2 * gradient_variance) / (1 - (1 - step_size * precision) ** 2)


def sgld_gradient_variance(
    n_rows: int, batch_size: int, row_variance: float, noise_variance: float = 1.0, replace: bool = False
) -> float:
    """Variance of the gradient of a batch, for the mean of normal rows with known noise.

    ``(n^2 / b) var(y) / sigma^4``, times (n - b) / (n - 1) without replacement; ``row_variance`` has the divisor n.

    Examples
    --------
    >>> from certus.sampling import sgld_gradient_variance, sgld_variance
    >>> v = sgld_gradient_variance(100, 10, 0.984, replace=True)
    >>> round(sgld_variance(100.0, 0.2 / 100, v), 5)
    0.02204
    """
    n_rows, batch_size = whole("n_rows", n_rows, 1), whole("batch_size", batch_size, 1)
    if not replace and batch_size > n_rows:
        raise ValueError(f"batch_size must be at least 1 and, without replacement, at most {n_rows}, got {batch_size}.")
    if not 0 <= row_variance < np.inf:
        raise ValueError(f"row_variance must be a finite number of at least 0, got {row_variance!r}.")
    positive("noise_variance", noise_variance)
    variance = n_rows**2 / batch_size * row_variance / noise_variance**2
    return variance if replace or n_rows == 1 else variance * (n_rows - batch_size) / (n_rows - 1)


@dataclass(frozen=True)
class DiscretizationBias:
    """How much larger the variance of ULA's draws is than the target's, near the mode.

    Parameters
    ----------
    mode : ndarray of shape (dim,)
        Where the density is largest.
    directions : ndarray of shape (dim, dim)
        Eigenvectors of the Hessian of U there, as columns.
    inflation : ndarray of shape (dim,)
        Relative excess of the variance in each of these directions.
    covariance : ndarray of shape (dim, dim)
        Covariance of the draws, from the discrete Lyapunov equation.
    """

    mode: Floats
    directions: Floats
    inflation: Floats
    covariance: Floats


def discretization_bias(target: Target, step_size: float, start: Any = None) -> DiscretizationBias:
    """The bias of `ULA` for any target, from the normal distribution that fits its mode.

    Exact for normal targets; for others it says what happens near the mode.
    """
    positive("step_size", step_size)
    mode, hessian = _mode(target, np.zeros(target.dim) if start is None else start)
    values, directions = np.linalg.eigh(hessian)
    if step_size >= 2 / values[-1]:
        raise ValueError(
            f"step_size must be below {2 / values[-1]:g}, got {step_size:g}: the chain diverges at the mode."
        )
    matrix = np.eye(target.dim) - step_size * hessian
    covariance = solve_discrete_lyapunov(matrix, 2 * step_size * np.eye(target.dim))
    along = np.einsum("ij,ik,kj->j", directions, covariance, directions)
    return DiscretizationBias(mode, directions, along * values - 1, covariance)


def largest_step(target: Target, start: Any, bias: float) -> float:
    """The largest step size with an inflation of at most ``bias`` in every direction at the mode."""
    positive("bias", bias)
    _, hessian = _mode(target, start)
    return float(2 * bias / ((1 + bias) * np.linalg.eigvalsh(hessian)[-1]))


def ula_distance_bound(target: Target, step_size: float, draw: int, start: Any, mode: Any) -> float:
    """Bound on the Wasserstein-2 distance of the law of draw number ``draw`` of `ULA` from the target.

    ``(1 - m h)^k (|start - mode| + sqrt(dim / m)) + 1.65 (L / m) sqrt(h dim)`` for h <= 2 / (m + L) (Dalalyan,
    Karagulyan 2019, theorem 1), for targets with strong_convexity m and smoothness L.
    """
    m, smooth = target.strong_convexity, target.smoothness
    if m is None or smooth is None:
        raise ValueError("The bound needs a Target with strong_convexity and smoothness.")
    if not 0 < step_size <= 2 / (m + smooth):
        raise ValueError(
            f"step_size must be above 0 and at most 2 / (m + L) = {2 / (m + smooth):g}, got {step_size:g}."
        )
    # E |X - mode|^2 <= dim / m for X of the target (Durmus, Moulines 2019, proposition 1).
    first = float(np.linalg.norm(np.asarray(start) - np.asarray(mode))) + np.sqrt(target.dim / m)
    return langevin_distance(m, smooth, step_size, target.dim, draw, first)


def langevin_distance(m: float, smooth: float, step_size: float, dim: int, draw: int, first: float) -> float:
    """The theorem's bound after ``draw`` steps, from a law at distance ``first``."""
    return float((1 - m * step_size) ** draw * first + 1.65 * smooth / m * np.sqrt(step_size * dim))


def _mode(target: Target, start: Any) -> tuple[Floats, Floats]:
    """The mode, and the Hessian of U there by central differences of the gradient."""
    found = minimize(
        lambda t: -target.log_density(t), target.start(start), jac=lambda t: -target.gradient(t), method="BFGS"
    ).x
    width = 1e-5 * np.maximum(np.abs(found), 1.0)
    columns = [
        (target.gradient(found - step) - target.gradient(found + step)) / (2 * size)
        for size, step in zip(width, np.diag(width), strict=True)
    ]
    hessian = np.array(columns)
    hessian = (hessian + hessian.T) / 2
    if not np.isfinite(hessian).all() or np.linalg.eigvalsh(hessian)[0] <= 0:
        raise ValueError("The log density must be strictly concave at its mode, got a direction in which it is not.")
    return np.asarray(found), hessian
