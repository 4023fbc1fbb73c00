"""The Dirichlet-multinomial distribution: what a multinomial model with a Dirichlet prior predicts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from certus.distributions.distribution import Distribution, positive_vector, whole
from certus.distributions.probability_input import Floats


@dataclass(frozen=True, eq=False)
class DirichletMultinomial(Distribution):
    """Counts of labels in ``trials`` trials whose common probabilities are Dirichlet(alpha)."""

    trials: int
    alpha: Floats

    def __post_init__(self) -> None:
        self._store(trials=whole("trials", self.trials, low=1), alpha=positive_vector("alpha", self.alpha, least=1))

    def log_density(self, x: Any) -> Any:
        return stats.dirichlet_multinomial.logpmf(np.asarray(x, dtype=np.int64), self.alpha, self.trials)

    @property
    def mean(self) -> Floats:
        return self.trials * self.alpha / self.alpha.sum()

    @property
    def variance(self) -> Floats:
        return np.diag(self.covariance)

    @property
    def covariance(self) -> Floats:
        """That of the multinomial distribution, times ``(n + a_0) / (1 + a_0)``."""
        total = self.alpha.sum()
        share = self.alpha / total
        spread = self.trials * (self.trials + total) / (1 + total)
        return spread * (np.diag(share) - np.outer(share, share))

    def entropy(self) -> float:
        """By enumeration of all counts, for up to a million of them."""
        x = _compositions(self.trials, len(self.alpha))
        log_density = self.log_density(x)
        return float(-np.exp(log_density) @ log_density)

    def _draw(self, n: int, generator: np.random.Generator) -> NDArray[Any]:
        return generator.multinomial(self.trials, generator.dirichlet(self.alpha, size=n))


def _compositions(total: int, parts: int) -> NDArray[np.int64]:
    """All vectors of ``parts`` whole numbers with this sum."""
    if comb(total + parts - 1, parts - 1) > 10**6:
        raise ValueError("The entropy must not need more than a million terms: too many trials or labels.")
    bars = np.array(list(combinations(range(total + parts - 1), parts - 1)), dtype=np.int64).reshape(-1, parts - 1)
    edges = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), total + parts - 1)])
    return np.diff(edges, axis=1) - 1
