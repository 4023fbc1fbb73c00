"""The one place of this family that calls compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import _native
from certus.base import resolve_threads

Floats = NDArray[np.float64]
SERIAL = 20_000  # differences between a cell and a mean that one thread makes sooner than a second one is awake


@dataclass(frozen=True)
class Components:
    """Gaussians as the compiled loops read them.

    Parameters
    ----------
    means : array of shape (k, p)
        The means.
    factors : array of shape (k, p, p) or (k, p)
        Upper triangular U with U U' the inverse of the covariance, or the diagonals of diagonal ones.
    constants : array of shape (k,)
        What is added to -1/2 |U'(x - mean)|^2.
    """

    means: Floats
    factors: Floats
    constants: Floats

    def flat(self) -> tuple[Floats, Floats, Floats]:
        """Contiguous arrays of at most two dimensions."""
        factors = self.factors.reshape(len(self.factors), -1)
        return tuple(np.ascontiguousarray(part) for part in (self.means, factors, self.constants))  # type: ignore[return-value]


def expected_moments(
    rows: NDArray[Any], weights: Floats, components: Components, centers: Floats
) -> tuple[float, Floats, Floats, Floats]:
    """The sum of log-densities, and for every component the sums of shares and of moments around a center."""
    count, columns = components.means.shape
    weight, first = np.zeros(count), np.zeros((count, columns))
    second = np.zeros((count, components.factors[0].size))
    flat = components.flat()
    found = _native.add_mixture_moments(
        rows, weights, *flat, np.ascontiguousarray(centers), weight, first, second, _threads(rows, count)
    )
    return float(found), weight, first, second.reshape(components.factors.shape)


def log_joint(rows: NDArray[Any], components: Components) -> Floats:
    """Constant - 1/2 |U'(x - mean)|^2 for every row and component."""
    out = np.empty((len(rows), len(components.means)))
    _native.mixture_log_joint(rows, *components.flat(), out, _threads(rows, len(components.means)))
    return out


def _threads(rows: NDArray[Any], components: int) -> int:
    return resolve_threads() if rows.size * components > SERIAL else 1
