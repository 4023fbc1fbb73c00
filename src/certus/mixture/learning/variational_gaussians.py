"""Beliefs about the parameters of a mixture of Gaussians: distributions of weights, means and precisions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, digamma, gammaln, logsumexp, multigammaln

from certus.mixture.learning.gaussians import Gaussians, has_matrices, log_determinants, spread_out

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class VariationalPrior:
    """The beliefs before any row was seen.

    Parameters
    ----------
    process : bool
        Whether weights are those of a Dirichlet process, else of a Dirichlet distribution.
    concentration : float
        Of the weights.
    mean : array of shape (p,)
        Of the means.
    pull : float
        How many rows the prior of a mean counts for.
    degrees : float
        Degrees of freedom of a precision.
    scale : array
        Inverse scale of a precision, in the shape of one component's covariance.
    """

    process: bool
    concentration: float
    mean: Floats
    pull: float
    degrees: float
    scale: Floats


@dataclass(frozen=True)
class VariationalGaussians:
    """The beliefs about all components, never changed in place.

    Means are normal given the precision, N(mean, (pull precision)^-1). Precisions are Wishart with ``degrees`` and
    inverse scale ``degrees covariance``: one per component if full, one with k times both if tied, and one per column
    (with p times both: one for all columns) otherwise.

    Parameters
    ----------
    kind : str
        Form of the covariances.
    prior : VariationalPrior
        Beliefs before.
    concentrations : array of shape (k,) or (2, k)
        Of the Dirichlet distribution, or of the Beta distributions of the sticks of the process.
    means, pulls, degrees, covariances : arrays
        As above.
    """

    kind: str
    prior: VariationalPrior
    concentrations: Floats
    means: Floats
    pulls: Floats
    degrees: Floats
    covariances: Floats

    @property
    def size(self) -> tuple[int, int]:
        """Components and columns."""
        return self.means.shape[0], self.means.shape[1]

    @cached_property
    def log_weights(self) -> Floats:
        """The expected logarithms of the weights."""
        if not self.prior.process:
            return np.asarray(digamma(self.concentrations) - digamma(self.concentrations.sum()))
        taken, left = self.concentrations
        total = digamma(taken + left)
        before = np.concatenate([[0.0], np.cumsum(digamma(left) - total)[:-1]])
        return np.asarray(digamma(taken) - total + before)

    @property
    def weights(self) -> Floats:
        """The expected weights, over their sum."""
        if not self.prior.process:
            return np.asarray(self.concentrations / self.concentrations.sum())
        taken, left = self.concentrations
        found = taken / (taken + left) * np.concatenate([[1.0], np.cumprod(left / (taken + left))[:-1]])
        return np.asarray(found / found.sum())

    @cached_property
    def gaussians(self) -> Gaussians:
        """Means and expected precisions, with the normalized weights under which their shares are the rows' own."""
        logs = self._log_factors
        return Gaussians(self.kind, np.exp(logs - logsumexp(logs)), self.means, self.covariances)

    @property
    def log_total(self) -> float:
        """What normalizing those weights took away from the logarithm of every row's density."""
        return float(logsumexp(self._log_factors))

    @cached_property
    def _log_factors(self) -> Floats:
        """E ln weight + (E ln |precision| - ln |E precision|) / 2 - p / (2 pull)."""
        factors = spread_out(self.kind, self.gaussians_factors, *self.size)
        excess = 0.5 * self.log_precisions - log_determinants(factors)
        return np.asarray(self.log_weights + excess - 0.5 * self.size[1] / self.pulls)

    @cached_property
    def gaussians_factors(self) -> Floats:
        """Factors of the expected precisions, in the shape of the covariances."""
        weights = np.full(self.size[0], 1.0 / self.size[0])
        return Gaussians(self.kind, weights, self.means, self.covariances).factors

    @cached_property
    def _wisharts(self) -> tuple[Floats, Floats, float, Floats, int]:
        """Degrees and ln |inverse scale| of every Wishart distribution, those of the prior, and its dimension."""
        count, width = self.size
        many = {"tied": count, "spherical": width}.get(self.kind, 1)
        degrees, before = many * self.degrees, many * self.prior.degrees
        if has_matrices(self.kind):
            factors = self.gaussians_factors.reshape(-1, width, width)
            logs = width * np.log(degrees) - 2.0 * log_determinants(factors)
            own = np.asarray(width * math.log(many) + np.linalg.slogdet(self.prior.scale)[1])
            return np.atleast_1d(degrees), np.atleast_1d(logs), before, own, width
        columns = degrees[:, None] if self.kind == "diag" else degrees
        logs = np.log(columns * self.covariances)
        return np.broadcast_to(columns, logs.shape), logs, before, math.log(many) + np.log(self.prior.scale), 1

    @cached_property
    def log_precisions(self) -> Floats:
        """E ln |precision| of every component."""
        count, width = self.size
        degrees, logs, _, _, dimension = self._wisharts
        found = _log_precision(degrees, logs, dimension)
        if self.kind == "diag":
            return np.asarray(found.sum(axis=1))
        return np.asarray(width * found if self.kind == "spherical" else np.broadcast_to(found, count))

    @cached_property
    def surprise(self) -> float:
        """The divergence of these beliefs from the prior, KL(beliefs | prior)."""
        return self._surprise_of_weights() + self._surprise_of_means() + self._surprise_of_precisions()

    def _surprise_of_weights(self) -> float:
        prior = self.prior.concentration
        if self.prior.process:
            taken, left = self.concentrations
            total = digamma(taken + left)
            parts = (taken - 1.0) * (digamma(taken) - total) + (left - prior) * (digamma(left) - total)
            return float((betaln(1.0, prior) - betaln(taken, left) + parts).sum())
        own, count = self.concentrations, self.size[0]
        constant = gammaln(own.sum()) - gammaln(own).sum() - gammaln(count * prior) + count * gammaln(prior)
        return float(constant + (own - prior) @ self.log_weights)

    def _surprise_of_means(self) -> float:
        width, pull = self.size[1], self.prior.pull
        away = self.means - self.prior.mean
        factors = spread_out(self.kind, self.gaussians_factors, *self.size)
        moved = np.einsum("kij,ki->kj", factors, away) if factors.ndim == 3 else factors * away
        ratio = pull / self.pulls
        return 0.5 * float((width * (ratio - 1.0 - np.log(ratio)) + pull * (moved**2).sum(axis=1)).sum())

    def _surprise_of_precisions(self) -> float:
        degrees, logs, before, own, dimension = self._wisharts
        scale = self.prior.scale
        many = {"tied": self.size[0], "spherical": self.size[1]}.get(self.kind, 1)
        if has_matrices(self.kind):
            factors = self.gaussians_factors.reshape(-1, dimension, dimension)
            traces = many * np.einsum("kij,il,klj->k", factors, scale, factors, optimize=True)
        else:
            traces = many * scale / self.covariances  # degrees times the ratio of scales
        found = (
            _log_constant(degrees, logs, dimension)
            - _log_constant(np.asarray(before), own, dimension)
            + 0.5 * (degrees - before) * _log_precision(degrees, logs, dimension)
            + 0.5 * (traces - degrees * dimension)
        )
        return float(np.sum(found))

    def describe(self) -> dict[str, Any]:
        """The beliefs by name."""
        names = ("concentrations", "means", "pulls", "degrees", "covariances")
        return {name: getattr(self, name).copy() for name in names}


def _log_precision(degrees: Floats, logs: Floats, dimension: int) -> Floats:
    """E ln |precision| under a Wishart distribution with ln |inverse scale|."""
    halves = [digamma(0.5 * (degrees - place)) for place in range(dimension)]
    return np.asarray(np.sum(halves, axis=0) + dimension * math.log(2.0) - logs)


def _log_constant(degrees: Floats, logs: Floats, dimension: int) -> Floats:
    """The logarithm of the constant of a Wishart density."""
    return np.asarray(0.5 * degrees * (logs - dimension * math.log(2.0)) - multigammaln(0.5 * degrees, dimension))
