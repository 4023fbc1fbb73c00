"""Counts of labels with a Dirichlet prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from certus.distributions.conjugate.conjugate_model import ConjugateModel, single_mode
from certus.distributions.dirichlet_distribution import Dirichlet
from certus.distributions.dirichlet_multinomial_distribution import DirichletMultinomial
from certus.distributions.distribution import positive_vector, whole
from certus.distributions.estimation.count_rows import count_rows
from certus.distributions.estimation.statistics import Sums
from certus.distributions.multinomial_distribution import Multinomial
from certus.distributions.probability_input import Floats


@dataclass(frozen=True, eq=False)
class MultinomialModel(ConjugateModel):
    """Rows that count labels in ``trials`` trials with probabilities ``p ~ Dirichlet(alpha)``."""

    trials: int
    alpha: Floats
    seen: Sums | None = None

    def __post_init__(self) -> None:
        self._store(trials=whole("trials", self.trials, low=1), alpha=positive_vector("alpha", self.alpha))

    def _statistics(self, data: Any, weights: ArrayLike | None) -> Sums:
        """The counts, and last the logarithms of the multinomial coefficients, which the evidence needs."""
        rows, weight, _ = count_rows(data, weights, self.trials)
        if rows.shape[1] != len(self.alpha):
            raise ValueError(f"data must have {len(self.alpha)} columns, got {rows.shape[1]}.")
        coefficients = gammaln(self.trials + 1) - gammaln(rows + 1).sum(axis=1)
        return Sums(float(weight.sum()), np.append(weight @ rows, weight @ coefficients))

    @property
    def posterior(self) -> Dirichlet:
        return Dirichlet(self.alpha + (0.0 if self.seen is None else self.seen.sums[:-1]))

    @property
    def predictive(self) -> DirichletMultinomial:
        return DirichletMultinomial(self.trials, self.posterior.alpha)

    def _most_likely(self) -> Multinomial:
        return Multinomial(self.trials, self.seen.sums[:-1] / (self.weight * self.trials))  # type: ignore[union-attr]

    @property
    def map(self) -> Multinomial:
        return Multinomial(self.trials, single_mode(self.posterior.mode, "MultinomialModel"))

    @property
    def posterior_mean(self) -> Multinomial:
        return Multinomial(self.trials, self.posterior.mean)

    @property
    def log_evidence(self) -> float:
        if self.seen is None:
            return 0.0
        after, before = self.posterior.alpha, self.alpha
        ratio = gammaln(after).sum() - gammaln(after.sum()) - gammaln(before).sum() + gammaln(before.sum())
        return float(self.seen.sums[-1] + ratio)
