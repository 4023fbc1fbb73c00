"""Whether a function of two objects is a kernel: proved by construction, refuted by a matrix, or unknown.

A symmetric k is a kernel if and only if every matrix of values k(x_i, x_j) is positive semidefinite. Points can only
refute that; a proof comes from the rules by which the kernel was built.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from certus.kernels._native_calls import Array

# Eigenvalues this far below 0, relative to the largest entry and the size, are not due to rounding of the entries.
CLEARLY_NEGATIVE = 1e-9


@dataclass(frozen=True)
class Validity:
    """Whether it is a kernel.

    Attributes
    ----------
    status : {"proved", "refuted", "unknown"}
        What is known.
    reason : str
        The rule that proves it, or what refutes it.
    points : object or None
        The points of the refutation.
    gram : ndarray or None
        Their matrix of kernel values.
    eigenvalue : float or None
        Its negative eigenvalue; None when the matrix is not even symmetric.
    """

    status: Literal["proved", "refuted", "unknown"]
    reason: str
    points: Any = None
    gram: Array | None = None
    eigenvalue: float | None = None

    def __bool__(self) -> bool:
        return self.status == "proved"


def proved(reason: str) -> Validity:
    """A proof."""
    return Validity("proved", reason)


def examine(points: object, matrix: Array, size: float | None = None) -> Validity | None:
    """The refutation that a matrix of kernel values holds, or None.

    ``size`` is that of the numbers from which the values were computed, if it is larger than theirs: what cancels
    leaves rounding errors of its own size.
    """
    if not np.isfinite(matrix).all():
        return None
    scale = max(float(np.abs(matrix).max(initial=0.0)), size or 0.0) * len(matrix)
    asymmetry = float(np.abs(matrix - matrix.T).max(initial=0.0))
    if asymmetry > CLEARLY_NEGATIVE * scale:
        return Validity("refuted", f"k(x, z) and k(z, x) differ by up to {asymmetry:.6g}", points, matrix)
    least = float(np.linalg.eigvalsh(matrix)[0]) if len(matrix) else 0.0
    if least < -CLEARLY_NEGATIVE * scale:
        reason = f"a matrix of {len(matrix)} points has the eigenvalue {least:.6g}"
        return Validity("refuted", reason, points, matrix, least)
    return None


def vector_probes() -> list[Array]:
    """Points on which kernels of vectors are tried: few and many, near and far, in up to four dimensions."""
    rng = np.random.default_rng(20)
    probes: list[Array] = []
    for width in (1, 2, 3, 4):
        probes.append(np.vstack([np.eye(width), 2.0 * np.eye(width)]))
        for scale in (0.3, 1.0, 3.0, 10.0):
            probes.append(scale * rng.standard_normal((12, width)))
            probes.append(scale * rng.random((12, width)))
    return probes
