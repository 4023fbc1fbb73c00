"""The Fokker-Planck equation in one dimension: how the law of a Langevin diffusion moves to the target.

``dq/dt = d/dx (U' q) + d2q/dx2`` by the scheme of Chang and Cooper (1970): flows between cells of a grid, so that mass
is kept exactly, densities stay positive and exp(-U) at the cells is stationary to the order of the grid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

Floats = NDArray[np.float64]


def fokker_planck(gradient: Callable[[Floats], Any], grid: Any, density: Any, times: Any) -> Floats:
    """The density at each of the times, from the density at time 0.

    Parameters
    ----------
    gradient : callable
        U', the derivative of the potential, of a vector of points.
    grid : array-like of shape (n,)
        Equidistant points; nothing flows over its ends.
    density : array-like of shape (n,)
        Density at the points at time 0.
    times : array-like of shape (m,)
        Increasing times.

    Returns
    -------
    ndarray of shape (m, n)

    Examples
    --------
    >>> import numpy as np
    >>> from certus.sampling import fokker_planck
    >>> x = np.linspace(-5, 5, 101)
    >>> q = fokker_planck(lambda x: x, x, np.exp(-8 * (x - 1) ** 2), [0.0, 8.0])
    >>> round(float((x * q[1]).sum() / q[1].sum()), 3), round(float((x**2 * q[1]).sum() / q[1].sum()), 2)
    (0.0, 1.0)
    """
    x, q = np.asarray(grid, dtype=np.float64), np.array(density, dtype=np.float64)
    moments = np.asarray(times, dtype=np.float64)
    if x.ndim != 1 or len(x) < 3 or not np.allclose(np.diff(x), x[1] - x[0], rtol=1e-6) or x[1] <= x[0]:
        raise ValueError("grid must hold at least 3 equidistant increasing points.")
    if q.shape != x.shape or (q < 0).any() or not np.isfinite(q).all():
        raise ValueError(f"density must hold {len(x)} finite numbers that are not negative.")
    if moments.ndim != 1 or not np.isfinite(moments).all() or (np.diff(moments, prepend=0.0) < 0).any():
        raise ValueError("times must be finite and increase, from 0 on.")
    slope = np.asarray(gradient((x[1:] + x[:-1]) / 2), dtype=np.float64)
    if slope.shape != (len(x) - 1,) or not np.isfinite(slope).all():
        raise ValueError(f"gradient must give {len(x) - 1} finite numbers for as many points, got {slope}.")
    rates = _rates(slope, float(x[1] - x[0]))
    out, before = np.empty((len(moments), len(x))), 0.0
    kept: dict[float, Floats] = {}
    for place, now in enumerate(moments):
        step = round(float(now - before), 12)
        if step > 0:
            kept.setdefault(step, expm(rates * step))
            q = kept[step] @ q
        out[place], before = q, float(now)
    return out


def _rates(slope: Floats, width: float) -> Floats:
    """The generator: every column sums to 0, so that mass is kept."""
    change = slope * width  # of the potential, from one cell to the next
    up, down = _flow(change) / width**2, _flow(-change) / width**2
    rates = np.diag(up, -1) + np.diag(down, 1)
    return np.asarray(rates - np.diag(rates.sum(axis=0)))


def _flow(change: Floats) -> Floats:
    """``c / (exp(c) - 1)``, 1 for 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(np.abs(change) < 1e-12, 1.0, change / np.expm1(change))
