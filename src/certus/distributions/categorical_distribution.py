"""The categorical distribution: one of several labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr, rel_entr

from certus.distributions.distribution import Distribution
from certus.distributions.estimation.label_counts import label_array, label_counts, label_places
from certus.distributions.estimation.statistics import Sums
from certus.distributions.estimation.weighted_rows import require_rows
from certus.distributions.probability_input import Floats, probabilities


@dataclass(frozen=True, eq=False)
class Categorical(Distribution):
    """One of finitely many labels, label i with probability ``p[i]``.

    Moments are those of the one-hot vector: mean p, variance p (1 - p), covariance -p_i p_j. (A table of numbers with
    probabilities, and moments of the numbers, is a `Factor`.)

    Parameters
    ----------
    p : array-like of shape (n_labels,)
        Probabilities with sum 1.
    labels : sequence, default=None
        What is drawn and observed: 0, 1, … by default.

    Examples
    --------
    >>> from certus.distributions import Categorical
    >>> weather = Categorical.fit(list("RCCSSSRC"), labels=list("RCS"))
    >>> print(weather.p)
    [0.25  0.375 0.375]
    """

    p: Floats
    labels: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        p = probabilities(self.p, "p")
        if p.ndim != 1 or not len(p):
            raise ValueError(f"p must be a vector, got shape {p.shape}.")
        labels = tuple(range(len(p))) if self.labels is None else tuple(self.labels)
        if len(labels) != len(p) or len(set(labels)) < len(labels):
            raise ValueError(f"labels must be {len(p)} distinct labels, got {labels!r}.")
        self._store(p=p, labels=labels)

    def _places(self, x: Any) -> NDArray[np.intp]:
        return label_places(x, self.labels or ())

    def log_density(self, x: Any) -> Any:
        """The logarithm of the probability of each label; minus infinity for a label that is not known."""
        places = self._places(x)
        with np.errstate(divide="ignore"):
            found = np.where(places < 0, -np.inf, np.log(self.p)[places])
        return found[()] if np.ndim(places) else float(found)

    def cdf(self, x: Any) -> Any:
        """Probability of this label and those before it."""
        places = self._places(x)
        return np.where(places < 0, np.nan, np.cumsum(self.p)[places])[()]

    @property
    def mean(self) -> Floats:
        return self.p

    @property
    def variance(self) -> Floats:
        return self.p * (1 - self.p)

    @property
    def covariance(self) -> Floats:
        """Of the one-hot vector: ``diag(p) - p p'``."""
        return np.diag(self.p) - np.outer(self.p, self.p)

    @property
    def mode(self) -> Any:
        """The most probable label, the first of several."""
        return (self.labels or ())[int(np.argmax(self.p))]

    def entropy(self) -> float:
        return float(entr(self.p).sum())

    def kl(self, other: Self) -> float:
        self._same_family(other)
        if self.labels != other.labels:
            raise ValueError(f"Both must have the same labels, got {self.labels} and {other.labels}.")
        return float(rel_entr(self.p, other.p).sum())

    def _draw(self, n: int, generator: np.random.Generator) -> NDArray[Any]:
        return label_array(self.labels)[generator.choice(len(self.p), size=n, p=self.p)]

    @staticmethod
    def statistics(data: Any, weights: ArrayLike | None = None, *, labels: Any) -> Sums:
        """Weight of the rows and of each label."""
        return label_counts(data, weights, tuple(labels))

    @classmethod
    def from_statistics(cls, statistics: Sums, labels: Any = None) -> Self:
        """The fit to the rows behind the statistics: the share of each label."""
        require_rows(statistics.weight, cls.__name__)
        return cls(statistics.sums / statistics.weight, labels)

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None, *, labels: Any = None) -> Self:
        """The share of each label, ``N_i / N``; by default of the labels that occur."""
        labels = _distinct(data) if labels is None else tuple(labels)
        return cls.from_statistics(label_counts(data, weights, labels), labels)


def _distinct(data: Any) -> tuple[Any, ...]:
    rows = label_array(data)
    try:
        return tuple(sorted(set(rows.tolist()))) if rows.dtype == object else tuple(np.unique(rows).tolist())
    except TypeError:
        raise ValueError(
            f"data must hold labels that can be sorted, if labels are not given, got {data!r}.\n"
            "Hint: name the labels in their order, fit(data, labels=[...])."
        ) from None
