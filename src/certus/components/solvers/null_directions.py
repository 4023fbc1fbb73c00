"""Directions without variance: a basis of what the others leave, that depends on their span alone.

Solvers return for them whatever rounding made of zero, another one after every change of the order of the rows. Here
the first axes are taken that are not yet in the span, so that equal tables have equal components.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from certus.components.solvers.leading_spectrum import LeadingSpectrum, upright

Floats = NDArray[np.float64]
MANY = 200  # directions that a solver left orthonormal stay as they are if there are more


def completed(spectrum: LeadingSpectrum, count: int) -> LeadingSpectrum:
    """The same spectrum with this number of vectors, those without variance chosen by their span."""
    found = spectrum.first(count)
    values = np.concatenate([spectrum.values, np.zeros(max(0, count - len(spectrum.values)))])
    largest = float(values[0]) if len(values) else 0.0
    known = int((values[: len(found.vectors)] > spectrum.noise * largest).sum())
    if known == count or (count == len(found.vectors) and count - known > MANY):
        return found
    added = axes_outside(found.vectors[:known], count - known)
    vectors = upright(np.concatenate([found.vectors[:known], added]))
    return LeadingSpectrum(values, vectors, found.trace, found.noise, found.small)


def axes_outside(vectors: Floats, count: int) -> Floats:
    """Orthonormal rows, orthogonal to the given ones, from the first coordinate axes that are outside their span.

    The squared distances of all d axes from a span sum to at least 1 as long as a direction is missing, so that some
    axis is at least 1 / sqrt(d) away.
    """
    width = vectors.shape[1]
    basis = np.concatenate([vectors, np.zeros((count, width))])
    have = len(vectors)
    for axis in range(width):
        if have == len(basis):
            break
        outside = np.zeros(width)
        outside[axis] = 1.0
        for _ in range(2):
            outside -= basis[:have].T @ (basis[:have] @ outside)
        length = float(np.linalg.norm(outside))
        if length > 0.5 / math.sqrt(width):
            basis[have] = outside / length
            have += 1
    return basis[len(vectors) :]
