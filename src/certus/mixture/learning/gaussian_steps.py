"""Steps of expectation and maximization for mixtures of Gaussians."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.mixture.learning.conjugate_scale import ConjugateScale
from certus.mixture.learning.gaussians import COLLAPSED, UNIT, Gaussians, SingularCovarianceError, has_matrices
from certus.mixture.learning.observed_cells import Moments, ObservedCells

Floats = NDArray[np.float64]
NO_ROWS = 1e-280  # share of all weight below which a component has no rows: what exp gives for minus infinity
LEAST_PIVOT = 1e-12  # share of a variance that other columns must leave unexplained, if nothing is added to it
FOLD = 64  # rows that are looked at side by side
LOST = 100.0  # squared move, in units of the new covariance, from which on moments are summed around new means


class GaussianSteps:
    """The rows and settings as the driver of EM sees them.

    Parameters
    ----------
    cells : ObservedCells
        The rows.
    reg_covar : float
        Added to variances.
    prior : ConjugateScale or None
        Prior of means and covariances.
    """

    def __init__(self, cells: ObservedCells, reg_covar: float, prior: ConjugateScale | None) -> None:
        self.cells, self.reg_covar, self.prior = cells, reg_covar, prior
        # What is added to variances moves them away from the maximum of the likelihood; a prior includes it.
        self.ascends = prior is not None or reg_covar == 0.0
        self._floors = _rounding(cells)
        self._last: tuple[Gaussians, float, Moments] | None = None

    def expect(self, parameters: Gaussians) -> tuple[float, Moments]:
        """Log-likelihood (with a prior: log posterior) per row, and expected moments around the means."""
        last = self._last
        if last is not None and last[0] is parameters:
            return last[1], last[2]
        likelihood, moments = self.cells.moments(parameters, parameters.means)
        objective = likelihood + self._log_prior(parameters)
        self._last = (parameters, objective, moments)
        return objective, moments

    def log_likelihood(self, parameters: Gaussians) -> float:
        """The objective alone."""
        return self.expect(parameters)[0]

    def _log_prior(self, parameters: Gaussians) -> float:
        return 0.0 if self.prior is None else self.prior.log_density(parameters) / self.cells.total

    def maximize(self, statistics: Moments, parameters: Gaussians) -> Gaussians:
        """The parameters of the shared-out rows; summed again around the new means if these are far from the old."""
        updated = self.updated(statistics, parameters)
        if has_cancelled(updated, statistics):
            updated = self.updated(self.cells.moments(parameters, updated.means)[1], parameters)
        self._refuse_rounding(updated)
        return updated

    def updated(self, moments: Moments, before: Gaussians) -> Gaussians:
        """Parameters that maximize the expected log-likelihood; components without rows keep theirs."""
        weight = np.where(moments.weight > NO_ROWS * self.cells.total, moments.weight, 0.0)
        some = weight > 0.0
        pull = 0.0 if self.prior is None else self.prior.pull
        target = moments.centers if self.prior is None else self.prior.mean
        divisor = np.where(some, weight + pull, 1.0)[:, None]
        shift = (moments.first + pull * (target - moments.centers)) / divisor
        if self.prior is None:
            shift = np.where(some[:, None], shift, before.means - moments.centers)
        else:
            shift = np.where(some[:, None], shift, self.prior.mean - moments.centers)
        means = moments.centers + shift
        scatter = scatter_around(moments, weight, shift)
        covariances = self._covariances(scatter, weight, means, before)
        return Gaussians(before.kind, weight / weight.sum(), means, covariances)

    def _covariances(self, scatter: Floats, weight: Floats, means: Floats, before: Gaussians) -> Floats:
        if self.prior is not None:
            return self.prior.covariances(before.kind, scatter, weight, means)
        kind, columns = before.kind, means.shape[1]
        total, some = float(weight.sum()), weight > 0.0
        if kind == "tied":
            return scatter.sum(axis=0) / total + self.reg_covar * np.eye(columns)
        if kind == "spherical_tied":
            return np.array([scatter.sum() / (total * columns) + self.reg_covar])
        divisor = np.where(some, weight, 1.0)
        if kind == "spherical":
            return np.where(some, scatter.mean(axis=1) / divisor + self.reg_covar, before.covariances)
        if kind == "diag":
            return np.where(some[:, None], scatter / divisor[:, None] + self.reg_covar, before.covariances)
        found = scatter / divisor[:, None, None] + self.reg_covar * np.eye(columns)
        return np.where(some[:, None, None], found, before.covariances)

    def _refuse_rounding(self, updated: Gaussians) -> None:
        """Without anything added, variances as small as rounding are those of a collapsed component."""
        factors, spread = updated.components.factors, updated.spread
        if not self.ascends or self.prior is not None:
            return
        pivots = 1.0 / (np.diagonal(factors, axis1=1, axis2=2) if factors.ndim == 3 else factors) ** 2
        variances = np.diagonal(spread, axis1=1, axis2=2) if has_matrices(updated.kind) else spread
        bad = np.argwhere(~((variances > self._floors) & (pivots > LEAST_PIVOT * variances)))
        if len(bad):
            component, column = bad[0]
            raise SingularCovarianceError(
                f"{COLLAPSED}\nThe variance of component {component} in column {column} is no more than rounding, "
                "given the other columns."
            )

    def expected_log_likelihood(self, new: Gaussians, old: Gaussians) -> float:
        """Q(new, old): the log-likelihood (and log prior) of rows and components, expected under the old."""
        moments = self.cells.moments(old, new.means)[1]
        factors = new.components.factors
        if factors.ndim == 3:
            squares = np.einsum("kij,kil,kjl->k", moments.second, factors, factors, optimize=True)
        else:
            squares = (moments.second * factors**2).sum(axis=1)
        logs = np.where(moments.weight > 0.0, new.components.constants, 0.0)
        return float(moments.weight @ logs - 0.5 * squares.sum() + self.cells.total * self._log_prior(new))

    def describe(self, parameters: Gaussians) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(parameters, name).copy() for name in ("weights", "means", "covariances")}


def _rounding(cells: ObservedCells) -> Floats:
    """Squares of what the cells of every column may be off by."""
    rows, columns = cells.rows, cells.rows.shape[1]
    folded = len(rows) // FOLD * FOLD if cells.complete else 0
    # Some rows side by side first: numpy's loops run along what lies together.
    reaches = [_reach(rows[:folded].reshape(-1, FOLD * columns), True).reshape(FOLD, columns)] if folded else []
    rest = rows[folded:]
    largest = _reach(np.concatenate([*reaches, _reach(rest, cells.complete or ~np.isnan(rest))[None]]), True)
    return np.asarray((4.0 * UNIT * largest) ** 2)


def _reach(rows: NDArray[Any], there: Any) -> Floats:
    """The largest magnitude of every column."""
    highest, lowest = (reach(axis=0, initial=0.0, where=there) for reach in (rows.max, rows.min))
    return np.maximum(highest, -lowest).astype(np.float64)


def scatter_around(moments: Moments, weight: Floats, shift: Floats) -> Floats:
    """Second moments around the centers moved by a shift."""
    if moments.second.ndim == 2:
        return np.asarray(moments.second - 2.0 * shift * moments.first + weight[:, None] * shift**2)
    cross = moments.first[:, :, None] * shift[:, None, :]
    squares = weight[:, None, None] * shift[:, :, None] * shift[:, None, :]
    return np.asarray(moments.second - cross - np.swapaxes(cross, 1, 2) + squares)


def has_cancelled(updated: Gaussians, moments: Moments) -> bool:
    """Whether a mean moved so far that its covariance is a small difference of large sums."""
    shift = updated.means - moments.centers
    try:
        factors = updated.components.factors
    except SingularCovarianceError:
        return bool(shift.any())
    moved = np.einsum("kij,ki->kj", factors, shift) if factors.ndim == 3 else factors * shift
    return bool((moved**2).sum(axis=1).max() > LOST)
