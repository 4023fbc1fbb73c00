"""Student's distribution, with location and scale."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from certus.distributions.distribution import Univariate, number
from certus.distributions.estimation.t_likelihood import t_fit


@dataclass(frozen=True, eq=False)
class StudentT(Univariate):
    """``mean + scale T`` with T of Student's distribution with ``df`` degrees of freedom.

    The mean exists for df > 1, the variance ``scale^2 df / (df - 2)`` for df > 2.
    """

    df: float
    mean: float = field()
    scale: float
    _law = stats.t

    def __post_init__(self) -> None:
        self._store(
            df=number("df", self.df, low=0), mean=number("mean", self.mean), scale=number("scale", self.scale, low=0)
        )

    def _arguments(self) -> dict[str, Any]:
        return {"df": self.df, "loc": self.mean, "scale": self.scale}

    @property
    def mode(self) -> float:
        return self.mean

    def score(self, x: Any) -> dict[str, Any]:
        """The derivatives by mean and scale."""
        distance = np.asarray(x, dtype=np.float64) - self.mean
        pull = (self.df + 1) / (self.df * self.scale**2 + distance**2)
        return {"mean": pull * distance, "scale": (pull * distance**2 - 1) / self.scale}

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None, *, df: float | None = None) -> Self:
        """Maximum likelihood, with known degrees of freedom or the best ones between 0.5 and 1000."""
        rows = np.asarray(data, dtype=np.float64)
        if rows.ndim != 1:
            raise ValueError(f"data must have 1 axis, got shape {rows.shape}.")
        found, mean, scale = t_fit(rows[:, np.newaxis], weights, df)
        return cls(found, float(mean[0]), float(np.sqrt(scale[0, 0])))
