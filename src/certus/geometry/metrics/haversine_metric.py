"""The angle between points on a sphere, given by latitude and longitude in radians:

d(x, y) = 2 asin sqrt(h),  h = sin((x_1 - y_1) / 2)^2 + cos x_1 cos y_1 sin((x_2 - y_2) / 2)^2

Differences come first, so near points lose no digits. As unit vectors u, v the same points have the chord
|u - v| = 2 sqrt(h): its order is that of the distances but for rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Up to these angles in radians CHORD_ERROR holds. Beyond the poles the two terms of h cancel, and the root of what is
# left is large; a pole rounded to float32 is no harm.
LARGEST_LATITUDE, LARGEST_LONGITUDE = np.pi / 2 + 1e-7, 8.0
# More than the rounding of a chord: of six coordinates by two sines or cosines each (at most 1e-15), of their squares
# and the root, of the differences of two angles (at most 1e-15) and of h.
CHORD_ERROR = 2e-14


def haversine(x: Floats, y: Floats) -> Floats:
    """Distances between points whose two angles are the last axis; shapes as NumPy joins them."""
    with np.errstate(over="ignore", invalid="ignore"):
        half = np.sin(0.5 * (x - y)) ** 2
        cosines = np.cos(np.ascontiguousarray(x[..., 0])) * np.cos(np.ascontiguousarray(y[..., 0]))
        found = 2.0 * np.arcsin(np.sqrt(np.clip(half[..., 0] + cosines * half[..., 1], 0.0, 1.0)))
    return np.nan_to_num(found, copy=False, nan=np.inf)


def unit_vectors(angles: Floats) -> Floats:
    """The points on the unit sphere."""
    latitude, longitude = np.ascontiguousarray(angles[:, 0]), np.ascontiguousarray(angles[:, 1])
    across = np.cos(latitude)
    return np.stack([across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)], axis=1)


def are_safe(angles: Floats) -> bool:
    """Whether the bound on rounding holds for these points; it does not for degrees by mistake."""
    return bool((np.abs(angles) <= (LARGEST_LATITUDE, LARGEST_LONGITUDE)).all())


def longest_chord(radius: Floats) -> Floats:
    """A chord that no point within the radius exceeds, rounding included."""
    inside = np.clip(radius, 0.0, np.pi)
    return 2.0 * np.sin(0.5 * inside) * (1.0 + CHORD_ERROR) + CHORD_ERROR
