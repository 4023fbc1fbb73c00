"""Three layers of binary units: conditional means, mean fields, and the sum over all states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit, logsumexp

from certus.neural.learning.binary_layers import BLOCK, MOST_UNITS, Floats


@dataclass
class ThreeLayers:
    """p(v, h, g) proportional to exp(h'W v + g'U h + c'v + b'h + a'g), for units of 0 and 1.

    Parameters
    ----------
    lower : array of shape (hidden, visible)
        W.
    upper : array of shape (deep, hidden)
        U.
    visible, hidden, deep : arrays
        c, b and a.
    """

    lower: Floats
    upper: Floats
    visible: Floats
    hidden: Floats
    deep: Floats

    def mean_hidden(self, v: Floats, g: Floats) -> Floats:
        """P(h = 1 | v, g), unit by unit."""
        return np.asarray(expit(v @ self.lower.T + g @ self.upper + self.hidden))

    def mean_deep(self, h: Floats) -> Floats:
        """P(g = 1 | h), unit by unit."""
        return np.asarray(expit(h @ self.upper.T + self.deep))

    def mean_visible(self, h: Floats) -> Floats:
        """P(v = 1 | h), unit by unit."""
        return np.asarray(expit(h @ self.lower + self.visible))

    def mean_field(self, v: Floats, steps: int) -> tuple[Floats, Floats]:
        """Independent units that resemble p(h, g | v): each the mean given the others' means, in turn."""
        h = np.asarray(expit(2.0 * (v @ self.lower.T) + self.hidden))  # from below alone, with its weights doubled
        g = self.mean_deep(h)
        for _ in range(steps):
            h, before = self.mean_hidden(v, g), g
            g = self.mean_deep(h)
            if np.array_equal(g, before):
                break
        return h, g

    def lower_bound(self, v: Floats, h: Floats, g: Floats) -> Floats:
        """At most the logarithm of the sum over h and g: mean exponent plus entropy of any independent units."""
        exponent = ((v @ self.lower.T + self.hidden) * h).sum(axis=1) + v @ self.visible
        exponent = exponent + ((h @ self.upper.T + self.deep) * g).sum(axis=1)
        return np.asarray(exponent + (entr(h) + entr(1.0 - h)).sum(axis=1) + (entr(g) + entr(1.0 - g)).sum(axis=1))

    def log_sums(self, v: Floats) -> tuple[Floats, float]:
        """Logarithms of the sum over h and g for each row, and of the sum over all states, by the states of h."""
        units = len(self.hidden)
        if units > MOST_UNITS:
            raise ValueError(
                f"the first hidden layer must have at most {MOST_UNITS} units to be summed over, got {units}.\n"
                "Hint: fewer units; transform works for layers of any size."
            )
        of_rows, of_all = [], []
        for start in range(0, 1 << units, BLOCK):
            numbers: NDArray[np.intp] = np.arange(start, min(start + BLOCK, 1 << units))
            h = (numbers[:, None] >> np.arange(units) & 1).astype(np.float64)
            own = h @ self.hidden + np.logaddexp(0.0, h @ self.upper.T + self.deep).sum(axis=1)
            of_rows.append(logsumexp(v @ (self.lower.T @ h.T) + own, axis=1))
            of_all.append(logsumexp(own + np.logaddexp(0.0, h @ self.lower + self.visible).sum(axis=1)))
        return np.asarray(logsumexp(of_rows, axis=0) + v @ self.visible), float(logsumexp(of_all))
