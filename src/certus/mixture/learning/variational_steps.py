"""Steps of variational Bayes for mixtures of Gaussians (Attias 2000; Blei and Jordan 2006): they climb the ELBO."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.mixture.learning.gaussian_steps import NO_ROWS, has_cancelled, scatter_around
from certus.mixture.learning.observed_cells import Moments, ObservedCells
from certus.mixture.learning.variational_gaussians import VariationalGaussians, VariationalPrior

Floats = NDArray[np.float64]


class VariationalSteps:
    """The rows and settings as the driver of EM sees them; its objective is the ELBO per row.

    The E step shares the rows out and fills missing cells with what the beliefs expect, the M step updates the beliefs;
    each maximizes ln p(rows) - KL(beliefs | posterior) over its part.

    Parameters
    ----------
    cells : ObservedCells
        The rows.
    reg_covar : float
        Added to variances.
    prior : VariationalPrior
        Beliefs before.
    """

    def __init__(self, cells: ObservedCells, reg_covar: float, prior: VariationalPrior) -> None:
        self.cells, self.reg_covar, self.prior = cells, reg_covar, prior
        self.ascends = reg_covar == 0.0
        self._last: tuple[VariationalGaussians, float, Moments] | None = None

    def expect(self, parameters: VariationalGaussians) -> tuple[float, Moments]:
        """The ELBO per row, and expected moments around the means."""
        if self._last is None or self._last[0] is not parameters:
            likelihood, moments = self.cells.moments(parameters.gaussians, parameters.means)
            objective = likelihood + parameters.log_total - parameters.surprise / self.cells.total
            self._last = (parameters, objective, moments)
        return self._last[1], self._last[2]

    def log_likelihood(self, parameters: VariationalGaussians) -> float:
        """The ELBO alone."""
        return self.expect(parameters)[0]

    def maximize(self, statistics: Moments, parameters: VariationalGaussians) -> VariationalGaussians:
        """The best beliefs for rows shared out like this; summed again around new means if these are far."""
        updated = self.updated(statistics, parameters.kind)
        if has_cancelled(updated.gaussians, statistics):
            updated = self.updated(self.cells.moments(parameters.gaussians, updated.means)[1], parameters.kind)
        return updated

    def updated(self, moments: Moments, kind: str) -> VariationalGaussians:
        """Beliefs after these moments."""
        prior = self.prior
        weight = np.where(moments.weight > NO_ROWS * self.cells.total, moments.weight, 0.0)
        pulls = prior.pull + weight
        shift = (moments.first + prior.pull * (prior.mean - moments.centers)) / pulls[:, None]
        means = moments.centers + shift
        degrees, covariances = self._covariances(scatter_around(moments, weight, shift), weight, means, kind)
        return VariationalGaussians(kind, prior, self._concentrations(weight), means, pulls, degrees, covariances)

    def _concentrations(self, weight: Floats) -> Floats:
        if not self.prior.process:
            return self.prior.concentration + weight
        later = np.concatenate([np.cumsum(weight[:0:-1])[::-1], [0.0]])
        return np.stack([1.0 + weight, self.prior.concentration + later])

    def _covariances(self, scatter: Floats, weight: Floats, means: Floats, kind: str) -> tuple[Floats, Floats]:
        """Degrees of freedom and inverse scales over them."""
        prior, away = self.prior, means - self.prior.mean
        width, unit = means.shape[1], self.reg_covar
        if kind in ("full", "tied"):
            around = scatter + prior.pull * away[:, :, None] * away[:, None, :]
            around = around + (unit * weight)[:, None, None] * np.eye(width)
            if kind == "full":
                degrees = prior.degrees + weight
                return degrees, (prior.scale + around) / degrees[:, None, None]
            degrees = np.asarray(prior.degrees + weight.mean())
            return degrees, (prior.scale + around.mean(axis=0)) / degrees
        around = scatter + prior.pull * away**2 + (unit * weight)[:, None]
        degrees = prior.degrees + weight
        if kind == "diag":
            return degrees, (prior.scale + around) / degrees[:, None]
        return degrees, (prior.scale + around.mean(axis=1)) / degrees

    def expected_log_likelihood(self, new: VariationalGaussians, old: VariationalGaussians) -> float:
        """The ELBO of new beliefs, with the rows shared out under the old."""
        moments = self.cells.moments(old.gaussians, new.means)[1]
        factors = new.gaussians.components.factors
        if factors.ndim == 3:
            squares = np.einsum("kij,kil,kjl->k", moments.second, factors, factors, optimize=True)
        else:
            squares = (moments.second * factors**2).sum(axis=1)
        logs = np.where(moments.weight > 0.0, new.gaussians.components.constants + new.log_total, 0.0)
        return float(moments.weight @ logs - 0.5 * squares.sum() - new.surprise)

    def describe(self, parameters: VariationalGaussians) -> dict[str, Any]:
        """The beliefs by name."""
        return parameters.describe()
