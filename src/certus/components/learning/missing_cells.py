"""Probabilistic principal components of tables with missing cells (Tipping and Bishop 1999), by EM on what is there.

Rows are N(mean, W W' + noise I) with W of few columns; missing cells are integrated out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LEAST = 1e-8  # noise in a table whose cells are at most 1: below, rounding over the noise would be all there is
EXACT = 1e-5  # noise above which the likelihood is exact enough to see that it never falls


@dataclass(frozen=True)
class LatentModel:
    """Mean (p), loadings W (p, k) and the noise variance."""

    mean: Floats
    loadings: Floats
    noise: float


@dataclass(frozen=True)
class Latent:
    """Expected coordinates of every row (n, k) and their covariances (n, k, k), given what is there."""

    means: Floats
    covariances: Floats


class LatentSteps:
    """The observed cells as the driver of EM sees them.

    Parameters
    ----------
    rows : array of shape (n, p)
        The rows, of at most about 1; NaN where a cell is missing.
    weights : array of shape (n,)
        Their weights.
    """

    def __init__(self, rows: Floats, weights: Floats) -> None:
        self.ascends = True
        self.there = (~np.isnan(rows)).astype(np.float64)
        self.cells, self.weights = np.where(np.isnan(rows), 0.0, rows), weights
        self.total, self.amounts = float(weights.sum()), self.there.sum(axis=1)
        self.seen = float(weights @ self.amounts)

    def start(self, count: int) -> LatentModel:
        """Principal components of the rows filled with the means of their columns."""
        share = self.weights @ self.there
        mean = (self.weights @ self.cells) / share
        filled = (self.cells - mean) * self.there
        scatter = (filled * self.weights[:, None]).T @ filled / self.total
        values, vectors = np.linalg.eigh(scatter)
        values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
        noise = max(float(values[count:].mean()), LEAST)
        return LatentModel(mean, vectors[:, :count] * np.sqrt(np.maximum(values[:count] - noise, noise)), noise)

    def expect(self, parameters: LatentModel) -> tuple[float, Latent]:
        """Log-likelihood of the observed cells per row, and the coordinates."""
        self.ascends = parameters.noise > EXACT
        away = (self.cells - parameters.mean) * self.there
        inner, right = _inner(self.there, parameters), away @ parameters.loadings
        inverse = np.linalg.inv(inner)
        means = np.einsum("nij,nj->ni", inverse, right)
        count, noise = right.shape[1], parameters.noise
        squares = (away**2).sum(axis=1) - (right * means).sum(axis=1)
        logs = np.linalg.slogdet(inner)[1] + (self.amounts - count) * math.log(noise)
        found = -0.5 * (self.amounts * math.log(2.0 * math.pi) + logs + squares / noise)
        return float(self.weights @ found) / self.total, Latent(means, np.asarray(noise * inverse))

    def log_likelihood(self, parameters: LatentModel) -> float:
        """The objective alone."""
        return self.expect(parameters)[0]

    def maximize(self, statistics: Latent, parameters: LatentModel) -> LatentModel:
        """Every column's regression on the expected coordinates, and the variance that is left."""
        means = np.hstack([statistics.means, np.ones((len(self.cells), 1))])
        moments = means[:, :, None] * means[:, None, :]
        moments[:, :-1, :-1] += statistics.covariances
        weighted = self.there * self.weights[:, None]
        count = means.shape[1]
        gram = (weighted.T @ moments.reshape(len(means), -1)).reshape(-1, count, count)
        away = (self.cells - parameters.mean) * weighted
        sums = away.T @ means
        slopes = np.linalg.solve(gram, sums[:, :, None])[:, :, 0]
        squares = float((away * (self.cells - parameters.mean)).sum())
        left = squares - 2.0 * float((slopes * sums).sum()) + float(np.einsum("pi,pij,pj->", slopes, gram, slopes))
        noise = max(left / self.seen, LEAST)
        return LatentModel(parameters.mean + slopes[:, -1], slopes[:, :-1], noise)

    def expected_log_likelihood(self, new: LatentModel, old: LatentModel) -> float:
        """Q(new, old) of the observed cells, without the part of the coordinates."""
        latent = self.expect(old)[1]
        left = (self.cells - new.mean - latent.means @ new.loadings.T) * self.there
        spare = np.einsum("pi,nij,pj->np", new.loadings, latent.covariances, new.loadings) * self.there
        squares = float((self.weights[:, None] * (left**2 + spare)).sum())
        return -0.5 * (self.seen * math.log(2.0 * math.pi * new.noise) + squares / new.noise)

    def describe(self, parameters: LatentModel) -> dict[str, Any]:
        """The parameters by name."""
        return {"mean": parameters.mean, "loadings": parameters.loadings, "noise": parameters.noise}


def _inner(there: Floats, model: LatentModel) -> Floats:
    """W_o' W_o + noise I for what every row has."""
    width, count = model.loadings.shape
    products = (model.loadings[:, :, None] * model.loadings[:, None, :]).reshape(width, -1)
    return (there @ products).reshape(-1, count, count) + model.noise * np.eye(count)


def filled_rows(rows: Floats, model: LatentModel) -> Floats:
    """Rows whose missing cells are their conditional means."""
    there = (~np.isnan(rows)).astype(np.float64)
    away = np.where(np.isnan(rows), 0.0, rows - model.mean)
    if not model.loadings.shape[1]:
        return np.where(np.isnan(rows), model.mean, rows)
    # Where nothing is noise, the shortest of the coordinates that explain what is there.
    inverse = np.linalg.pinv(_inner(there, model), hermitian=True, rcond=1e-14)
    latent = np.einsum("nij,nj->ni", inverse, away @ model.loadings)
    return np.where(np.isnan(rows), model.mean + latent @ model.loadings.T, rows)
