"""Two layers of binary units with weights between them: energies, conditional means, and the sum over all states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

Floats = NDArray[np.float64]
MOST_UNITS = 20  # of the smaller layer, whose states are all visited
BLOCK = 1 << 12
CELLS = 1 << 20


@dataclass
class BinaryLayers:
    """p(v, h) proportional to exp(h W v + b'h + c'v), for v and h of 0 and 1.

    Parameters
    ----------
    weights : array of shape (hidden, visible)
        W.
    hidden, visible : arrays
        b and c.
    """

    weights: Floats
    hidden: Floats
    visible: Floats

    def mean_hidden(self, v: Any) -> Floats:
        """P(h = 1 | v), unit by unit."""
        return np.asarray(expit(v @ self.weights.T + self.hidden))

    def mean_visible(self, h: Floats) -> Floats:
        """P(v = 1 | h), unit by unit."""
        return np.asarray(expit(h @ self.weights + self.visible))

    def free_energy(self, v: Any) -> Floats:
        """F(v) = -log of the sum over h of exp(-energy)."""
        return np.asarray(-(v @ self.visible) - np.logaddexp(0.0, v @ self.weights.T + self.hidden).sum(axis=1))

    def by_blocks(self, function: Callable[[Any], Floats], rows: Any) -> Floats:
        """A function of rows, a block at a time: Ctrl-C is heard in between."""
        size = max(1, CELLS // max(self.weights.shape))
        if rows.ndim == 1 or rows.shape[0] <= size:
            return function(rows)
        return np.concatenate([function(rows[start : start + size]) for start in range(0, rows.shape[0], size)])

    def log_partition(self) -> float:
        """Logarithm of the sum over all states, by the states of the smaller layer."""
        if len(self.hidden) <= len(self.visible):
            W, own, other = self.weights, self.hidden, self.visible
        else:
            W, own, other = self.weights.T, self.visible, self.hidden
        if len(own) > MOST_UNITS:
            raise ValueError(
                f"the smaller layer must have at most {MOST_UNITS} units to be summed over, got {len(own)}.\n"
                "Hint: score_samples estimates a pseudo-likelihood for layers of any size."
            )
        parts = []
        for start in range(0, 1 << len(own), BLOCK):
            numbers = np.arange(start, min(start + BLOCK, 1 << len(own)))
            states = (numbers[:, None] >> np.arange(len(own)) & 1).astype(np.float64)
            parts.append(logsumexp(states @ own + np.logaddexp(0.0, states @ W + other).sum(axis=1)))
        return float(logsumexp(parts))
