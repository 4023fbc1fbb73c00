"""Densities of columns of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from certus.base import register_part
from certus.base.persistence import check_shapes
from certus.bayes.columns.column_density import ColumnDensity, Floats, require


@register_part("bayes")
class GaussianColumn(ColumnDensity):
    """Normal, with the maximum-likelihood mean and variance of every class."""

    _by_class = ("weight", "center", "scatter")
    _state = _by_class
    center: Floats
    scatter: Floats

    def add(self, values: NDArray[Any], codes: NDArray[np.int64], weights: Floats) -> None:
        """By the merge of Chan, Golub and LeVeque (1983): no digits are lost far from zero."""
        classes = len(self.weight)
        added = np.bincount(codes, weights=weights, minlength=classes)
        safe = np.where(added > 0, added, 1.0)
        center = np.bincount(codes, weights=weights * values, minlength=classes) / safe
        scatter = np.bincount(codes, weights=weights * (values - center[codes]) ** 2, minlength=classes)
        total = self.weight + added
        share = added / np.where(total > 0, total, 1.0)
        shift = center - self.center
        self.scatter = self.scatter + scatter + np.where(added > 0, shift**2 * self.weight * share, 0.0)
        self.center = self.center + np.where(added > 0, shift * share, 0.0)
        self.weight = total

    def log_density(self, values: NDArray[Any], alpha: float, smoothing: float) -> Floats:
        weight = np.where(self.weight > 0, self.weight, 1.0)
        total = max(self.weight.sum(), 1e-300)
        middle = self.weight @ self.center / total
        pooled = (self.scatter.sum() + self.weight @ (self.center - middle) ** 2) / total
        variance = self.scatter / weight + smoothing * (pooled if pooled > 0 else 1.0)
        # A class without cells in this column has the density of all rows.
        unseen = self.weight == 0
        variance = np.where(unseen, pooled if pooled > 0 else 1.0, np.maximum(variance, 1e-300))
        center = np.where(unseen, middle, self.center)
        return -0.5 * (np.log(2 * np.pi * variance) + (values[:, np.newaxis] - center) ** 2 / variance)


@register_part("bayes")
class BernoulliColumn(ColumnDensity):
    """0 or 1, with the share (ones + alpha) / (rows + 2 alpha)."""

    _state = ("weight", "total")

    def read(self, cells: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        values, present = super().read(cells, name)
        require(values, (values == 0) | (values == 1), name, "bernoulli", "0 and 1")
        return values, present

    def log_density(self, values: NDArray[Any], alpha: float, smoothing: float) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            one = np.log(self.total + alpha) - np.log(self.weight + 2 * alpha)
            zero = np.log(self.weight - self.total + alpha) - np.log(self.weight + 2 * alpha)
        return np.where(values[:, np.newaxis] > 0.5, one, zero)


@register_part("bayes")
class PoissonColumn(ColumnDensity):
    """Poisson counts, with alpha imaginary rows of the mean of all classes."""

    _state = ("weight", "total")

    def read(self, cells: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        values, present = super().read(cells, name)
        require(values, (values >= 0) & (values == np.floor(values)), name, "poisson", "counts")
        return values, present

    def log_density(self, values: NDArray[Any], alpha: float, smoothing: float) -> Floats:
        x = values[:, np.newaxis]
        weight = self.weight + alpha
        rate = (self.total + alpha * self._pooled_mean()) / np.where(weight > 0, weight, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            power = np.where(x > 0, x * np.log(rate), 0.0)
        return power - rate - gammaln(x + 1)


@register_part("bayes")
class ExponentialColumn(ColumnDensity):
    """Waiting times, with alpha imaginary rows of the mean of all classes."""

    _state = ("weight", "total")

    def read(self, cells: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        values, present = super().read(cells, name)
        require(values, values >= 0, name, "exponential", "numbers that are not negative")
        return values, present

    def log_density(self, values: NDArray[Any], alpha: float, smoothing: float) -> Floats:
        mean = (self.total + alpha * self._pooled_mean()) / np.maximum(self.weight + alpha, 1e-300)
        mean = np.where(mean > 0, mean, 1e-300)
        return -np.log(mean) - values[:, np.newaxis] / mean


@register_part("bayes")
class KernelColumn(ColumnDensity):
    """A normal kernel at every training cell, of Silverman's width 1.06 std n^(-1/5) per class."""

    _by_class = ("weight",)
    _state = ("weight", "values", "codes", "weights")
    _keeps_training_rows = True

    def start(self, classes: int) -> None:
        super().start(classes)
        self.values, self.weights, self.codes = np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64)

    def check(self, classes: int) -> None:
        super().check(classes)
        cells = len(self.values)
        check_shapes(self, values=(cells,), codes=(cells,), weights=(cells,))

    def spread(self, places: NDArray[np.intp], classes: int) -> None:
        super().spread(places, classes)
        self.codes = places[self.codes].astype(np.int64)

    def add(self, values: NDArray[Any], codes: NDArray[np.int64], weights: Floats) -> None:
        kept = weights > 0
        self.weight = self.weight + np.bincount(codes, weights=weights, minlength=len(self.weight))
        self.values = np.append(self.values, values[kept])
        self.codes = np.append(self.codes, codes[kept])
        self.weights = np.append(self.weights, weights[kept])

    def log_density(self, values: NDArray[Any], alpha: float, smoothing: float) -> Floats:
        out = np.empty((len(values), len(self.weight)))
        for c in range(out.shape[1]):
            mine = self.codes == c if self.weight[c] > 0 else np.ones(len(self.codes), dtype=bool)
            out[:, c] = _kernel_log_density(values, self.values[mine], self.weights[mine], self._variance(), smoothing)
        return out

    def _variance(self) -> float:
        found = float(np.cov(self.values, aweights=self.weights, bias=True)) if len(self.values) > 1 else 0.0
        return found if found > 0 else 1.0


def _kernel_log_density(at: Floats, rows: Floats, weights: Floats, pooled: float, smoothing: float) -> Floats:
    total = weights.sum()
    mean = weights @ rows / total
    variance = weights @ (rows - mean) ** 2 / total + smoothing * pooled
    width = 1.06 * np.sqrt(max(variance, 1e-300)) * total**-0.2
    constant = np.log(weights / total) - np.log(width * np.sqrt(2 * np.pi))
    out = np.empty(len(at))
    piece = max(1, 2**22 // max(len(rows), 1))  # at most 32 MB at a time
    for first in range(0, len(at), piece):
        z = (at[first : first + piece, np.newaxis] - rows) / width
        out[first : first + piece] = logsumexp(constant - 0.5 * z**2, axis=1)
    return out
