"""Labels with a Dirichlet prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from certus.distributions.categorical_distribution import Categorical
from certus.distributions.conjugate.conjugate_model import ConjugateModel, single_mode
from certus.distributions.dirichlet_distribution import Dirichlet
from certus.distributions.distribution import positive_vector
from certus.distributions.estimation.label_counts import label_counts
from certus.distributions.estimation.statistics import Sums
from certus.distributions.probability_input import Floats


@dataclass(frozen=True, eq=False)
class CategoricalModel(ConjugateModel):
    """Rows that are labels with probabilities ``p ~ Dirichlet(alpha)``: alpha_i counts as rows of label i seen before.

    Examples
    --------
    >>> from certus.distributions import CategoricalModel
    >>> weather = CategoricalModel([1, 1, 1], labels=list("RCS")).update(list("RCCSSSRC"))
    >>> print(weather.ml.p, (11 * weather.predictive.p).round(9))
    [0.25  0.375 0.375] [3. 4. 4.]
    """

    alpha: Floats
    labels: tuple[Any, ...] | None = None
    seen: Sums | None = None

    def __post_init__(self) -> None:
        alpha = positive_vector("alpha", self.alpha)
        labels = tuple(range(len(alpha))) if self.labels is None else tuple(self.labels)
        if len(labels) != len(alpha) or len(set(labels)) < len(labels):
            raise ValueError(f"labels must be {len(alpha)} distinct labels, got {labels!r}.")
        self._store(alpha=alpha, labels=labels)

    def _statistics(self, data: Any, weights: ArrayLike | None) -> Sums:
        return label_counts(data, weights, self.labels or ())

    @property
    def posterior(self) -> Dirichlet:
        return Dirichlet(self.alpha + (0.0 if self.seen is None else self.seen.sums))

    @property
    def predictive(self) -> Categorical:
        return Categorical(self.posterior.mean, self.labels)

    def _most_likely(self) -> Categorical:
        return Categorical.from_statistics(self.seen, self.labels)  # type: ignore[arg-type]

    @property
    def map(self) -> Categorical:
        return Categorical(single_mode(self.posterior.mode, "CategoricalModel"), self.labels)

    @property
    def posterior_mean(self) -> Categorical:
        return Categorical(self.posterior.mean, self.labels)

    @property
    def log_evidence(self) -> float:
        return float(_log_beta(self.posterior.alpha) - _log_beta(self.alpha))


def _log_beta(alpha: Floats) -> float:
    return float(gammaln(alpha).sum() - gammaln(np.sum(alpha)))
