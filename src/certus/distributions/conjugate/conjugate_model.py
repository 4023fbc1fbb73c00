"""What all conjugate models share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from certus.distributions.distribution import Distribution
from certus.distributions.estimation.weighted_rows import require_rows


class ConjugateModel(ABC):
    """A likelihood with its conjugate prior, and the sufficient statistics of the rows it has seen.

    Models never change: `update` gives a new one. Kept apart are the estimates that maximize the likelihood (`ml`),
    that maximize the posterior density (`map`) and the mean of the posterior (`posterior_mean`), and the distribution
    of the next row with the parameters integrated out (`predictive`).
    """

    seen: Any  # sufficient statistics, None before the first row

    @abstractmethod
    def _statistics(self, data: Any, weights: ArrayLike | None) -> Any:
        """The statistics of some rows."""

    def update(self, data: Any, weights: ArrayLike | None = None) -> Self:
        """The model after these rows too; a weight counts as repetition."""
        return self._after(self._statistics(data, weights))

    def merge(self, other: Self) -> Self:
        """The model that has seen the rows of both, which must have the same prior."""
        if type(other) is not type(self) or not self._same_prior(other):
            raise ValueError(f"other must be a {type(self).__name__} with the same prior, got {other!r}.")
        return self if other.seen is None else self._after(other.seen)

    def _after(self, statistics: Any) -> Self:
        return replace(self, seen=statistics if self.seen is None else self.seen + statistics)  # type: ignore[type-var]

    def _same_prior(self, other: ConjugateModel) -> bool:
        names = [each.name for each in fields(self) if each.name != "seen"]  # type: ignore[arg-type]
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    @property
    def weight(self) -> float:
        """Total weight of the rows seen."""
        return 0.0 if self.seen is None else float(self.seen.weight)

    @property
    @abstractmethod
    def posterior(self) -> Any:
        """The distribution of the parameters after the rows seen."""

    @property
    @abstractmethod
    def predictive(self) -> Distribution:
        """The distribution of the next row, with the parameters integrated out."""

    @property
    def ml(self) -> Any:
        """The distribution of a row with the parameters that make the rows seen most probable (no prior)."""
        require_rows(self.weight, f"{type(self).__name__}.ml")
        return self._most_likely()

    @abstractmethod
    def _most_likely(self) -> Any: ...

    @property
    @abstractmethod
    def map(self) -> Any:
        """The distribution of a row with the parameters of largest posterior density."""

    @property
    @abstractmethod
    def posterior_mean(self) -> Any:
        """The distribution of a row with the posterior's mean as parameters."""

    @property
    @abstractmethod
    def log_evidence(self) -> float:
        """The logarithm of the probability (density) of the rows seen, in their order, with parameters integrated
        out.
        """

    def _store(self, **values: Any) -> None:
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)


def single_mode(mode: Any, name: str) -> Any:
    """The mode, or an error if there is none."""
    if np.isnan(mode).any():
        raise ValueError(
            f"{name}.map needs a posterior with a single maximum, got one that is flat or largest on the boundary.\n"
            "Hint: use posterior_mean or predictive, or a prior with larger parameters."
        )
    return mode
