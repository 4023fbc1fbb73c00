"""The inverse Wishart distribution of a covariance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import digamma, multigammaln

from certus.distributions.distribution import Distribution, number, positive_definite
from certus.distributions.probability_input import Floats


@dataclass(frozen=True, eq=False)
class InverseWishart(Distribution):
    """Positive definite d x d matrices with density proportional to ``|x|^(-(df + d + 1) / 2) exp(-tr(scale inv(x)) /
    2)``.

    For one dimension it is InverseGamma(df / 2, scale / 2).
    """

    df: float
    scale: Floats

    def __post_init__(self) -> None:
        scale = positive_definite("scale", self.scale)
        self._store(df=number("df", self.df, low=len(scale) - 1), scale=scale)

    def log_density(self, x: Any) -> Any:
        """At one matrix, or at each of a stack of matrices."""
        x = np.asarray(x, dtype=np.float64)
        if x.ndim not in (2, 3) or x.shape[-2:] != self.scale.shape:
            raise ValueError(f"x must hold matrices of shape {self.scale.shape}, got shape {x.shape}.")
        if x.ndim == 3:
            return np.array([self.log_density(each) for each in x])
        try:
            positive_definite("x", x)
        except ValueError:
            return -np.inf
        return float(stats.invwishart.logpdf(x, self.df, self.scale))

    @property
    def mean(self) -> Floats:
        """``scale / (df - d - 1)``, infinite for df <= d + 1."""
        dim = len(self.scale)
        if self.df <= dim + 1:
            return np.full_like(self.scale, np.inf)
        return self.scale / (self.df - dim - 1)

    @property
    def variance(self) -> Floats:
        """Of every element of the matrix."""
        dim = len(self.scale)
        if self.df <= dim + 3:
            return np.full_like(self.scale, np.inf)
        diagonal, gap = np.diag(self.scale), self.df - dim
        above = (gap + 1) * self.scale**2 + (gap - 1) * np.outer(diagonal, diagonal)
        return above / (gap * (gap - 1) ** 2 * (gap - 3))

    @property
    def mode(self) -> Floats:
        return self.scale / (self.df + len(self.scale) + 1)

    def entropy(self) -> float:
        dim, half = len(self.scale), self.df / 2
        digammas = digamma(half - np.arange(dim) / 2).sum()
        determinant = np.linalg.slogdet(self.scale)[1]
        expected = determinant - dim * np.log(2) - digammas  # E log |X|
        normalizer = half * determinant - half * dim * np.log(2) - multigammaln(half, dim)
        return float(-normalizer + (self.df + dim + 1) / 2 * expected + half * dim)

    def kl(self, other: Self) -> float:
        self._same_family(other)
        dim, a, b = len(self.scale), self.df / 2, other.df / 2
        ratio = np.linalg.slogdet(self.scale)[1] - np.linalg.slogdet(other.scale)[1]
        digammas = digamma(a - np.arange(dim) / 2).sum()
        trace = np.trace(np.linalg.solve(self.scale, other.scale)) - dim
        return float(multigammaln(b, dim) - multigammaln(a, dim) + b * ratio + (a - b) * digammas + a * trace)

    def _draw(self, n: int, generator: np.random.Generator) -> NDArray[Any]:
        drawn = stats.invwishart.rvs(self.df, self.scale, size=n, random_state=generator)
        return np.asarray(drawn).reshape(n, *self.scale.shape)
