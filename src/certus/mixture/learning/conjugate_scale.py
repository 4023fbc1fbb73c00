"""A conjugate prior scaled to the data, so that no component collapses (Fraley and Raftery 2007).

Means are normal around the mean of all rows, covariances inverse Wishart (variances inverse gamma) with p + 2 degrees
of freedom and the scale of all rows divided by k^(2/p): what a component would have if k of them filled the same space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.mixture.learning.gaussians import Gaussians, has_matrices, log_determinants

Floats = NDArray[np.float64]
PULL = 0.01  # rows that the prior of a mean counts for


@dataclass(frozen=True)
class ConjugateScale:
    """The prior of all components.

    Parameters
    ----------
    mean : array of shape (p,)
        Around which means are expected.
    scale : array of shape (p, p) or (p,)
        Of the prior of covariances, or of variances.
    pull : float
        How many rows the prior of a mean counts for.
    """

    mean: Floats
    scale: Floats
    pull: float = PULL

    @property
    def columns(self) -> int:
        """P."""
        return len(self.mean)

    def covariances(self, kind: str, scatter: Floats, weight: Floats, means: Floats) -> Floats:
        """The most probable covariances, given sums of squares around the means."""
        columns, components = self.columns, len(weight)
        away, degrees, total = means - self.mean, self.columns + 2.0, float(weight.sum())
        if kind in ("full", "tied"):
            around = scatter + self.pull * away[:, :, None] * away[:, None, :]
            if kind == "tied":
                return (self.scale + around.sum(axis=0)) / (degrees + columns + 1.0 + total + components)
            return (self.scale + around) / (degrees + columns + 2.0 + weight)[:, None, None]
        around = scatter + self.pull * away**2
        if kind == "diag":
            return (self.scale + around) / (degrees + 3.0 + weight)[:, None]
        one = float(self.scale.mean())
        if kind == "spherical":
            return (one + around.sum(axis=1)) / (degrees + 2.0 + columns * (1.0 + weight))
        return np.array([(one + around.sum()) / (degrees + 2.0 + columns * (components + total))])

    def log_density(self, model: Gaussians) -> float:
        """The logarithm of the prior density, but for a constant."""
        columns = self.columns
        factors, degrees = model.components.factors, columns + 2.0
        away, logs = model.means - self.mean, log_determinants(factors)  # ln det U = -1/2 ln det C
        if has_matrices(model.kind):
            moved = np.einsum("kij,ki->kj", factors, away)
            found = float(logs.sum()) - 0.5 * self.pull * float((moved**2).sum())
            traces = np.einsum("kij,il,klj->k", factors, self.scale, factors, optimize=True)
            parts = (degrees + columns + 1.0) * logs - 0.5 * traces
            return found + float(parts[0] if model.kind == "tied" else parts.sum())
        found = float(logs.sum()) - 0.5 * self.pull * float(((factors * away) ** 2).sum())
        if model.kind == "diag":
            return found + float(((degrees + 2.0) * np.log(factors) - 0.5 * self.scale * factors**2).sum())
        each = factors[:, 0] if model.kind == "spherical" else factors[:1, 0]
        return found + float(((degrees + 2.0) * np.log(each) - 0.5 * self.scale.mean() * each**2).sum())

    def plain(self) -> dict[str, Any]:
        """As lists and numbers."""
        return {"mean": self.mean.tolist(), "scale": self.scale.tolist(), "pull": self.pull}
