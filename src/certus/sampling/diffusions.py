"""A laboratory of diffusions: Brownian motion, Euler's scheme, the Langevin equation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import RandomStateLike, resolve_seed
from certus.sampling.argument_checks import whole

Floats = NDArray[np.float64]


def brownian_motion(times: Any, *, dim: int = 1, paths: int = 1, random_state: RandomStateLike = None) -> Floats:
    """Paths of Brownian motion, exactly: independent increments ``N(0, (t - s) I)`` from 0 at time 0.

    Returns
    -------
    ndarray of shape (paths, times, dim)

    Examples
    --------
    >>> from certus.sampling import brownian_motion
    >>> brownian_motion([0.0, 0.5, 2.0], dim=2, paths=3, random_state=0).shape
    (3, 3, 2)
    """
    steps = np.diff(_times(times), prepend=0.0)
    dim, paths = whole("dim", dim, 1), whole("paths", paths, 1)
    generator = np.random.default_rng(resolve_seed(random_state))
    noise = generator.standard_normal((paths, len(steps), dim))
    return np.cumsum(noise * np.sqrt(steps)[:, np.newaxis], axis=1)


def euler_maruyama(
    drift: Callable[[Floats, float], Any],
    diffusion: Callable[[Floats, float], Any] | float,
    start: Any,
    times: Any,
    *,
    paths: int = 1,
    random_state: RandomStateLike = None,
) -> Floats:
    """Paths of ``dX = drift(X, t) dt + diffusion(X, t) dB`` by Euler's scheme at these times; the first is the start's.

    Parameters
    ----------
    drift : callable
        ``drift(X, t)`` for all paths at once, X of shape (paths, dim).
    diffusion : callable or float
        ``diffusion(X, t)``: a factor per component, or one for all.
    start : array-like of shape (dim,)
        Where all paths begin.
    times : array-like
        Increasing times.
    paths : int, default=1
        Number of paths.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    ndarray of shape (paths, times, dim)
    """
    grid, paths = _times(times), whole("paths", paths, 1)
    begin = np.atleast_1d(np.asarray(start, dtype=np.float64))
    generator = np.random.default_rng(resolve_seed(random_state))
    out = np.empty((paths, len(grid), len(begin)))
    out[:, 0] = begin
    for place, step in enumerate(np.diff(grid)):
        here, now = out[:, place], float(grid[place])
        noise = generator.standard_normal(here.shape) * np.sqrt(step)
        factor = diffusion(here, now) if callable(diffusion) else diffusion
        out[:, place + 1] = here + np.asarray(drift(here, now)) * step + factor * noise
    return out


def langevin(
    gradient: Callable[[Floats], Any], start: Any, times: Any, *, paths: int = 1, random_state: RandomStateLike = None
) -> Floats:
    """Paths of the Langevin equation ``dX = -grad U dt + sqrt 2 dB``; ``gradient`` is grad U, for all paths at once.

    Its stationary law is exp(-U) / Z. A step of `ULA` is a step of this scheme.
    """
    return euler_maruyama(
        lambda x, _: -np.asarray(gradient(x)), float(np.sqrt(2.0)), start, times, paths=paths, random_state=random_state
    )


def _times(times: Any) -> Floats:
    grid = np.asarray(times, dtype=np.float64)
    if grid.ndim != 1 or not len(grid) or grid[0] < 0 or (np.diff(grid) < 0).any() or not np.isfinite(grid).all():
        raise ValueError("times must be a vector of increasing finite numbers from 0 on.")
    return grid
