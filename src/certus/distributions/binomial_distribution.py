"""The binomial distribution: successes among independent trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import rel_entr

from certus.distributions.distribution import Univariate, number, whole
from certus.distributions.estimation.weighted_rows import counts, require_rows


@dataclass(frozen=True, eq=False)
class Binomial(Univariate):
    """Number of successes in ``trials`` independent trials with probability ``p``: ``C(n, x) p^x (1 - p)^(n - x)``."""

    trials: int
    p: float
    _law = stats.binom
    _discrete = True

    def __post_init__(self) -> None:
        self._store(trials=whole("trials", self.trials, low=1), p=number("p", self.p, low=0, high=1, closed=True))

    def _arguments(self) -> dict[str, Any]:
        return {"n": self.trials, "p": self.p}

    @property
    def mode(self) -> float:
        top = (self.trials + 1) * self.p
        if 0 < self.p < 1 and top == int(top):
            return float("nan")  # top - 1 is as probable
        return float(min(int(top), self.trials))

    def kl(self, other: Self) -> float:
        self._same_family(other)
        if self.trials != other.trials:
            raise ValueError(f"Both must have the same trials, got {self.trials} and {other.trials}.")
        return self.trials * float(rel_entr(self.p, other.p) + rel_entr(1 - self.p, 1 - other.p))

    def score(self, x: Any) -> dict[str, Any]:
        x = np.asarray(x, dtype=np.float64)
        return {"p": (x - self.trials * self.p) / (self.p * (1 - self.p))}

    def total(self, n: int) -> Binomial:
        """The distribution of the sum of ``n`` independent draws."""
        return Binomial(n * self.trials, self.p)

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None, *, trials: int | None = None) -> Self:
        """The share of successes; ``trials`` must be known."""
        if trials is None:
            raise ValueError("trials must be given: Binomial.fit(data, trials=...).")
        rows, weight = counts(data, weights, high=trials)
        require_rows(float(weight.sum()), cls.__name__)
        return cls(trials, float(weight @ rows / (weight.sum() * trials)))
