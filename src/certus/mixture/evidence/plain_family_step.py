"""A step of a mixture of exponential families with SciPy's densities: the second route of its certificate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import logsumexp

Floats = NDArray[np.float64]


def family_step(model: Mapping[str, Any], rows: Floats, weights: Floats) -> tuple[float, float]:
    """Log-likelihoods per row before and after one step."""
    rows, weights = rows[weights > 0.0], weights[weights > 0.0]
    family, chances, means = str(model["family"]), np.array(model["weights"]), np.array(model["means"])
    logs = _joint(family, rows, chances, means)
    shares = weights[:, None] * np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
    moved = means.copy()
    for k in range(len(means)):
        for j in range(rows.shape[1]):
            there = ~np.isnan(rows[:, j])
            own, cells = shares[there, k], rows[there, j]
            if not own.sum() > 0.0:
                continue
            if family == "categorical":
                moved[k, j] = [own[cells == code].sum() / own.sum() for code in range(means.shape[2])]
            else:
                moved[k, j] = own @ cells / own.sum()
    after = _joint(family, rows, shares.sum(axis=0) / shares.sum(), moved)
    before, then = (float(weights @ logsumexp(part, axis=1) / weights.sum()) for part in (logs, after))
    return before, then


def _joint(family: str, rows: Floats, chances: Floats, means: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        found = np.tile(np.log(chances), (len(rows), 1))
        for k, own in enumerate(means):
            for j, mean in enumerate(own):
                there = ~np.isnan(rows[:, j])
                cells = rows[there, j]
                if family == "categorical":
                    found[there, k] += np.log(mean[cells.astype(int)])
                elif family == "exponential":
                    found[there, k] += stats.expon.logpdf(cells, scale=mean)
                elif family == "gaussian":
                    found[there, k] += stats.norm.logpdf(cells, mean)
                else:
                    law = stats.bernoulli if family == "bernoulli" else stats.poisson
                    found[there, k] += law.logpmf(cells, mean)
    return found
