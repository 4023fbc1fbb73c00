"""Maximum likelihood of families without a closed form: Newton's method on the logarithms of the parameters.

With z = log theta the gradient is theta * sum_i w_i score(x_i), the Hessian its central difference. Steps are halved
until the likelihood rises (Armijo), and follow the gradient where the Hessian is not negative definite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def newton_fit(
    make: Callable[[Floats], Any],
    names: tuple[str, ...],
    rows: Any,
    weights: Floats,
    start: Floats,
    *,
    steps: int = 200,
) -> Any:
    """The distribution ``make(theta)`` with positive parameters ``names`` of largest weighted likelihood."""
    total = weights.sum()

    def value(z: Floats) -> float:
        with np.errstate(all="ignore"):
            found = float(weights @ make(np.exp(z)).log_density(rows)) / total
        return found if np.isfinite(found) else -np.inf

    def gradient(z: Floats) -> Floats:
        made = make(np.exp(z))
        score = made.score(rows)
        return np.array([weights @ (np.zeros(len(weights)) + score[name]) for name in names]) / total * np.exp(z)

    z = np.log(start)
    current = value(z)
    for _ in range(steps):
        slope = gradient(z)
        if np.abs(slope).max() < 1e-10:
            break
        step = _ascent(slope, _difference(gradient, z))
        size = min(1.0, 3.0 / np.abs(step).max())
        while size > 1e-12 and value(z + size * step) < current + 1e-4 * size * (slope @ step) - 1e-15 * abs(current):
            size /= 2
        if size <= 1e-12 or np.abs(z + size * step).max() > 40:
            break
        z = z + size * step
        current = value(z)
    return make(np.exp(z))


def _difference(gradient: Callable[[Floats], Floats], z: Floats, width: float = 1e-5) -> Floats:
    columns = [gradient(z + width * unit) - gradient(z - width * unit) for unit in np.eye(len(z))]
    hessian = np.array(columns) / (2 * width)
    return (hessian + hessian.T) / 2


def _ascent(slope: Floats, hessian: Floats) -> Floats:
    values, vectors = np.linalg.eigh(hessian)
    if values[-1] < -1e-12:
        return -vectors @ ((vectors.T @ slope) / values)
    return slope
