"""The multinomial distribution: counts of labels in several trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import rel_entr

from certus.distributions.distribution import Distribution, rows_of_width, whole
from certus.distributions.estimation.count_rows import count_rows
from certus.distributions.estimation.weighted_rows import require_rows
from certus.distributions.probability_input import Floats, probabilities


@dataclass(frozen=True, eq=False)
class Multinomial(Distribution):
    """How often each label comes in ``trials`` independent trials: ``n! / prod x_i! prod p_i^x_i``."""

    trials: int
    p: Floats

    def __post_init__(self) -> None:
        p = probabilities(self.p, "p")
        if p.ndim != 1 or not len(p):
            raise ValueError(f"p must be a vector, got shape {p.shape}.")
        self._store(trials=whole("trials", self.trials, low=1), p=p)

    def log_density(self, x: Any) -> Any:
        return stats.multinomial.logpmf(rows_of_width(x, len(self.p)), self.trials, self.p)

    @property
    def mean(self) -> Floats:
        return self.trials * self.p

    @property
    def variance(self) -> Floats:
        return self.trials * self.p * (1 - self.p)

    @property
    def covariance(self) -> Floats:
        """``n (diag(p) - p p')``."""
        return self.trials * (np.diag(self.p) - np.outer(self.p, self.p))

    def entropy(self) -> float:
        return float(stats.multinomial.entropy(self.trials, self.p))

    def kl(self, other: Self) -> float:
        self._same_family(other)
        if self.trials != other.trials:
            raise ValueError(f"Both must have the same trials, got {self.trials} and {other.trials}.")
        return self.trials * float(rel_entr(self.p, other.p).sum())

    def _draw(self, n: int, generator: np.random.Generator) -> NDArray[Any]:
        return generator.multinomial(self.trials, self.p, size=n)

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        """The share of each label among all trials; every row must have the same number of trials."""
        rows, weight, trials = count_rows(data, weights)
        require_rows(float(weight.sum()), cls.__name__)
        found = weight @ rows
        return cls(trials, found / found.sum())
