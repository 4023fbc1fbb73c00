"""Limited-memory BFGS (Nocedal 1980): descent directions from the last few steps, where a Hessian costs too much."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class LimitedMemory:
    """The last steps and changes of the gradient; ``direction`` applies the inverse Hessian that they imply."""

    def __init__(self, memory: int = 10) -> None:
        self._pairs: deque[tuple[Array, Array, float]] = deque(maxlen=memory)

    def remember(self, step: Array, change: Array) -> None:
        """Add a step and the change of the gradient along it; ignored if the curvature is not visible."""
        product = float(step @ change)
        if product > 1e-12 * float(np.linalg.norm(step) * np.linalg.norm(change)):
            self._pairs.append((step, change, 1.0 / product))

    def direction(self, gradient: Array, first: Array | Callable[[Array], Array] | None = None) -> Array:
        """Minus the implied inverse Hessian times the gradient (two-loop recursion).

        ``first`` stands for the inverse Hessian before any step: a diagonal or a function that applies it; by default
        a multiple of 1.
        """
        q = gradient.copy()
        shares = []
        for step, change, inverse in reversed(self._pairs):
            share = inverse * float(step @ q)
            shares.append(share)
            q -= share * change
        if callable(first):
            q = first(q)
        elif first is not None:
            q *= first
        elif self._pairs:
            step, change, _ = self._pairs[-1]
            q *= float(step @ change) / float(change @ change)
        else:
            q /= max(float(np.linalg.norm(gradient)), 1.0)
        for (step, change, inverse), share in zip(self._pairs, reversed(shares), strict=True):
            q += (share - inverse * float(change @ q)) * step
        return -q
