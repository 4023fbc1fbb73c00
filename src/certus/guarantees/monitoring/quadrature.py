"""The second route of the mixtures: integrate over the bets directly, without any special function."""

import math
from collections.abc import Callable

import numpy as np

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_PANELS, _GRID, _NEGLIGIBLE = 150, 2001, 50.0


def log_integral(log_function: Callable[[np.ndarray], np.ndarray], left: float, right: float) -> float:
    """Log of the integral of exp(log_function) over (left, right), for a function with one peak."""
    for _ in range(4):  # narrow down to where the function is not negligible
        grid = np.linspace(left, right, _GRID)[1:-1]
        values = log_function(grid)
        large = np.flatnonzero(values > values.max() - _NEGLIGIBLE)
        step = (right - left) / (_GRID - 1)
        left, right = max(left, grid[large[0]] - step), min(right, grid[large[-1]] + step)
    edges = np.linspace(left, right, _PANELS + 1)
    half = 0.5 * np.diff(edges)[:, None]
    points = 0.5 * (edges[1:] + edges[:-1])[:, None] + half * _NODES
    values = log_function(points)
    top = float(values.max())
    return top + math.log(float((np.exp(values - top) * half * _WEIGHTS).sum()))


def log_likelihood(total: float, rows: float, rates: np.ndarray) -> np.ndarray:
    """Logarithm of q^k (1-q)^(n-k) relative to its largest value."""
    other, center = rows - total, total / rows
    with np.errstate(divide="ignore", invalid="ignore"):
        ups = total * np.log(rates / center) if total > 0 else np.zeros_like(rates)
        downs = other * np.log((1.0 - rates) / (1.0 - center)) if other > 0 else np.zeros_like(rates)
    return ups + downs


def log_evidence(total: float, rows: float, rate: float, prior: tuple[float, float]) -> float:
    """Mixture over Beta(a, b), with q = sin(t)^2, so that Beta(1/2, 1/2) is flat in t."""
    a, b = prior

    def weighted(angles: np.ndarray) -> np.ndarray:
        q = np.sin(angles) ** 2
        sines, cosines = np.sin(angles), np.cos(angles)
        return log_likelihood(total, rows, q) + (2 * a - 1) * np.log(sines) + (2 * b - 1) * np.log(cosines)

    normal = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b) - math.log(2.0)
    here = float(log_likelihood(total, rows, np.array([rate]))[0])
    return log_integral(weighted, 0.0, math.pi / 2) - normal - here


def log_evidence_above(total: float, rows: float, rate: float, exponent: float) -> float:
    """Mixture over rates above `rate` with density b (1-q)^(b-1) / (1-p)^b; 1 - q = (1 - p) u^2."""

    def weighted(roots: np.ndarray) -> np.ndarray:
        q = 1.0 - (1.0 - rate) * roots * roots
        return log_likelihood(total, rows, q) + (2 * exponent - 1) * np.log(roots) + math.log(2 * exponent)

    here = float(log_likelihood(total, rows, np.array([rate]))[0])
    return log_integral(weighted, 0.0, 1.0) - here


def log_gamma_mixture(deviation: float, variance: float, rho: float) -> float:
    """Mixture over l = 1 - exp(-y) of exp(l S - V (-log(1-l) - l)); y = exp(t) - 1 shows all scales at once."""

    def prior(t: np.ndarray) -> np.ndarray:
        y = np.expm1(t)
        return t - rho * y - rho * np.exp(-y)

    def mixed(t: np.ndarray) -> np.ndarray:
        y = np.expm1(t)
        bet = -np.expm1(-y)
        return prior(t) + deviation * bet - variance * (y - bet)

    furthest = math.log1p(60.0 / min(rho, 1.0) + 60.0)
    return log_integral(mixed, 0.0, furthest) - log_integral(prior, 0.0, furthest)
