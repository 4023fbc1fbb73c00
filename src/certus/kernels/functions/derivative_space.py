"""The norm of the space that the minimum kernel reproduces: the size of a function's derivative."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from certus.kernels._native_calls import Array

_PANEL = 0.5  # length of the pieces that are integrated by one Gauss rule
_NODES = 16
_DOUBLINGS = 14  # the integral is computed up to 2^14, and continued from there by the last two ratios
_DIVERGES = 0.9  # a tail that shrinks no faster than this from one doubling to the next is taken for infinite


def derivative_norm(derivative: Callable[[Array], Array]) -> float:
    """The norm sqrt(integral from 0 to infinity of f'(x)^2 dx) of a function with f(0) = 0, by quadrature.

    Functions for which it is finite are the Hilbert space with the reproducing kernel min(x, z). The integral is
    numerical: right to about eight digits for derivatives that vary on lengths above 0.05 and whose squares fall like
    a power of x; for sums of kernel functions use `KernelFunction.norm`, which is exact.

    Parameters
    ----------
    derivative : callable
        Takes an array of points, returns f' there.

    Returns
    -------
    float
        The norm; infinity if the integral over [x, 2x] does not shrink with x.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.kernels import derivative_norm
    >>> round(derivative_norm(lambda x: np.exp(-x)), 6), derivative_norm(np.cos)
    (0.707107, inf)
    """
    total = _integral(derivative, 0.0, 1.0)
    pieces = [_integral(derivative, 2.0**k, 2.0 ** (k + 1)) for k in range(_DOUBLINGS)]
    total += math.fsum(pieces)
    before, last = pieces[-2:]
    if last <= np.finfo(float).eps * total:
        return math.sqrt(total)
    ratio = last / before if before > 0 else math.inf
    return math.inf if ratio > _DIVERGES else math.sqrt(total + last * ratio / (1.0 - ratio))


def _integral(derivative: Callable[[Array], Array], start: float, end: float) -> float:
    """The integral of the squared derivative by Gauss rules on short pieces."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    count = max(4, round((end - start) / _PANEL))
    edges = np.linspace(start, end, count + 1)
    half = np.diff(edges)[:, None] / 2.0
    points = edges[:-1, None] + half * (nodes + 1.0)
    values = np.asarray(derivative(points.ravel()), dtype=np.float64).reshape(points.shape)
    return float(np.sum(half * weights * values**2))
