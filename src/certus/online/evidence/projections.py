"""Nearest points of the classes of competitors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from certus.online._native_calls.stream_kernels import Array

Projection = Callable[[Array], Array]


def onto_ball(radius: float) -> Projection:
    """Of all u with |u| <= radius."""

    def nearest(u: Array) -> Array:
        length = float(np.linalg.norm(u))
        return u if length <= radius else u * (radius / length)

    return nearest


def onto_box(limits: Array) -> Projection:
    """Of all u with |u_j| <= limit_j."""
    return lambda u: np.clip(u, -limits, limits)


def onto_diamond(radius: float) -> Projection:
    """Of all u with sum |u_j| <= radius (Duchi et al. 2008)."""

    def nearest(u: Array) -> Array:
        sizes = np.abs(u)
        if float(sizes.sum()) <= radius:
            return u
        ordered = np.sort(sizes)[::-1]
        excess = (np.cumsum(ordered) - radius) / np.arange(1, len(u) + 1)
        kept = int(np.flatnonzero(ordered > excess)[-1])
        return np.sign(u) * np.maximum(sizes - excess[kept], 0.0)

    return nearest
