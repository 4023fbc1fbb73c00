"""First parameters of a mixture: of clusters, random shares or single rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from certus.cluster import KMeans, kmeans_plusplus
from certus.mixture.learning.conjugate_scale import ConjugateScale
from certus.mixture.learning.gaussian_steps import GaussianSteps
from certus.mixture.learning.gaussians import Gaussians, covariance_shape, has_matrices
from certus.mixture.learning.observed_cells import Moments, ObservedCells

Floats = NDArray[np.float64]
METHODS = ("kmeans", "k-means++", "random", "random_from_data")
CELLS = 2**17  # that are summed at a time
FAR = 300  # the exponent from which on squares come near the ends of the range of doubles


@dataclass(frozen=True)
class FilledRows:
    """The rows with the mean of their column where a cell is missing, and what all of them are like."""

    rows: NDArray[Any]
    weights: Floats
    mean: Floats
    covariance: Floats


def filled_table(cells: ObservedCells) -> FilledRows:
    """Fill missing cells, for starts and priors only."""
    rows, weights, shares = cells.rows, cells.weights, cells.weights / cells.total
    if cells.complete:
        mean = np.zeros(rows.shape[1])
        for part in _parts(rows):
            mean += shares[part] @ rows[part]
    else:
        there = ~np.isnan(rows)
        amount = weights @ there
        if not (amount > 0.0).all():
            raise ValueError(
                f"Every column of X must have a value, got column {int(np.argmin(amount))} with none.\n"
                "Hint: drop this column."
            )
        mean = weights @ np.where(there, rows, 0.0) / amount
        rows = np.where(there, rows, mean.astype(rows.dtype))
    # Once more from near by, where less is lost.
    mean = mean + sum((shares[part] @ (rows[part] - mean) for part in _parts(rows)), np.zeros_like(mean))
    covariance, roots = np.zeros((len(mean), len(mean))), np.sqrt(shares)[:, None]
    for part in _parts(rows):
        moved = (rows[part] - mean) * roots[part]
        covariance += moved.T @ moved
    return FilledRows(np.ascontiguousarray(rows), weights, mean, covariance)


def _parts(rows: NDArray[Any]) -> Iterator[slice]:
    """Rows that stay in the cache together."""
    step = max(16, CELLS // rows.shape[1])
    return (slice(first, first + step) for first in range(0, len(rows), step))


def first_gaussians(
    steps: GaussianSteps, filled: FilledRows, kind: str, count: int, method: str, seed: Any
) -> Gaussians:
    """Parameters of the rows as a method shares them out.

    Neither the order of the rows nor whether one is repeated or has a weight changes a draw.
    """
    rng = np.random.default_rng(seed)
    if method in ("random_from_data", "k-means++"):
        return _around(_chosen_rows(filled, count, method, rng), steps, filled, kind)
    moments = _shared_moments(filled, kind, count, method, rng)
    whole = _whole_table(filled, kind, count, steps.reg_covar)
    return steps.updated(moments, Gaussians(kind, np.full(count, 1.0 / count), moments.centers, whole))


def first_moments(filled: FilledRows, kind: str, count: int, method: str, seed: Any) -> Moments:
    """Sums over the rows as a method shares them out, in the same way; a single row where it draws rows."""
    rng = np.random.default_rng(seed)
    if method not in ("random_from_data", "k-means++"):
        return _shared_moments(filled, kind, count, method, rng)
    centers = _chosen_rows(filled, count, method, rng)
    second = np.zeros((*centers.shape, centers.shape[1]) if has_matrices(kind) else centers.shape)
    return Moments(np.ones(count), np.zeros_like(centers), second, centers)


def _chosen_rows(filled: FilledRows, count: int, method: str, rng: np.random.Generator) -> Floats:
    chosen = _drawn_rows(filled, count, rng) if method == "random_from_data" else _spread_rows(filled, count, rng)
    return np.asarray(filled.rows[chosen], dtype=np.float64)


def _shared_moments(filled: FilledRows, kind: str, count: int, method: str, rng: np.random.Generator) -> Moments:
    width = filled.rows.shape[1]
    weight, first = np.zeros(count), np.zeros((count, width))
    second = np.zeros((count, width, width) if has_matrices(kind) else (count, width))
    centers = np.tile(filled.mean, (count, 1))
    for component, (places, shares) in enumerate(_shares(filled, count, method, rng)):
        rows = filled.rows[places]
        weight[component] = shares.sum()
        if weight[component] > 0.0:
            centers[component] += shares @ (rows - centers[component]) / weight[component]
            moved = rows - centers[component]
            first[component] = shares @ moved
            second[component] = (moved * shares[:, None]).T @ moved if has_matrices(kind) else shares @ moved**2
    return Moments(weight, first, second, centers)


def _in_moderate_unit(rows: NDArray[Any]) -> NDArray[Any]:
    """The rows, in a unit that is a power of two where squares of their entries would vanish or overflow."""
    exponent = math.frexp(max(float(rows.max(initial=0.0)), -float(rows.min(initial=0.0))))[1]
    return rows if abs(exponent) < FAR else np.ldexp(rows, -exponent)


def _shares(filled: FilledRows, count: int, method: str, rng: np.random.Generator) -> Any:
    """For every component the rows that may belong to it, and their weighted shares."""
    if method == "kmeans":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than components, or early ends
            model = KMeans(count, n_init=1, random_state=int(rng.integers(2**31)))
            labels = model.fit(_in_moderate_unit(filled.rows), sample_weight=filled.weights).labels_
        for component in range(count):
            places = np.flatnonzero(labels == component)
            yield places, filled.weights[places]
        return
    _, which = np.unique(filled.rows, axis=0, return_inverse=True)
    drawn = rng.uniform(size=(int(which.max()) + 1, count))
    drawn /= drawn.sum(axis=1, keepdims=True)
    for component in range(count):
        yield slice(None), drawn[which.ravel(), component] * filled.weights


def _drawn_rows(filled: FilledRows, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Different rows by weight; further ones if there are too few."""
    _, first, which = np.unique(filled.rows, axis=0, return_index=True, return_inverse=True)
    chances = np.bincount(which.ravel(), filled.weights, len(first))
    taken = rng.choice(len(first), min(count, len(first)), replace=False, p=chances / chances.sum())
    return first[np.concatenate([taken, np.resize(taken, count - len(taken))])]


def _spread_rows(filled: FilledRows, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    seed = int(rng.integers(2**31))
    return kmeans_plusplus(_in_moderate_unit(filled.rows), count, sample_weight=filled.weights, random_state=seed)[1]


def _around(means: Floats, steps: GaussianSteps, filled: FilledRows, kind: str) -> Gaussians:
    """Equally frequent components around rows: as narrow as scikit-learn's if anything is added to variances."""
    count, width = means.shape
    if steps.reg_covar > 0.0 and steps.prior is None:
        shape = covariance_shape(kind, count, width)
        narrow = steps.reg_covar * (np.eye(width) if has_matrices(kind) else np.ones(()))
        return Gaussians(kind, np.full(count, 1.0 / count), means, np.array(np.broadcast_to(narrow, shape)))
    return Gaussians(kind, np.full(count, 1.0 / count), means, _whole_table(filled, kind, count, steps.reg_covar))


def _whole_table(filled: FilledRows, kind: str, count: int, added: float) -> Floats:
    """Covariances as if all components had the spread of the table, divided by their number."""
    width = len(filled.mean)
    one = filled.covariance / count ** (2.0 / width) + added * np.eye(width)
    variances = np.diagonal(one)
    return {
        "full": np.tile(one, (count, 1, 1)),
        "tied": one,
        "diag": np.tile(variances, (count, 1)),
        "spherical": np.full(count, variances.mean()),
        "spherical_tied": np.full(1, variances.mean()),
    }[kind]


def prior_of(filled: FilledRows, kind: str, count: int, added: float) -> ConjugateScale:
    """The prior that is scaled to these rows."""
    columns = len(filled.mean)
    scale = filled.covariance / count ** (2.0 / columns) + added * np.eye(columns)
    return ConjugateScale(filled.mean, scale if has_matrices(kind) else np.diag(scale).copy())
