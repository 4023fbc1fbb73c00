"""A step of a Gaussian mixture in plain NumPy, row by row: the second route of its certificate.

It shares nothing with the compiled loops or with what they sum: densities come from inverses and determinants of what a
row has, moments from rows filled with their conditional means.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

Floats = NDArray[np.float64]
WORST_CONDITION = 1e9  # of correlations, beyond which nothing is certified


def gaussian_step(model: Mapping[str, Any], rows: Floats, weights: Floats) -> tuple[float, float]:
    """Objectives per row before and after one step."""
    kind = str(model["covariance_type"])
    chances, means = np.array(model["weights"]), np.array(model["means"])
    matrices = component_matrices(kind, np.array(model["covariances"]), *means.shape)
    rows, weights = rows[weights > 0.0], weights[weights > 0.0]
    logs = joint_densities(rows, chances, means, matrices)
    before = _objective(model, logs, weights, means, matrices)
    shares = weights[:, None] * np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
    moved = _step(model, rows, shares, means, matrices)
    after = _objective(model, joint_densities(rows, *moved), weights, *moved[1:])
    return before, after


def gaussian_rows(model: Mapping[str, Any], rows: Floats) -> Floats:
    """ln(weight_k N(x; mean_k, covariance_k)) for every row and component."""
    means = np.array(model["means"])
    matrices = component_matrices(str(model["covariance_type"]), np.array(model["covariances"]), *means.shape)
    return joint_densities(rows, np.array(model["weights"]), means, matrices)


def is_well_conditioned(model: Mapping[str, Any]) -> bool:
    """Whether rounding of the covariances moves log-likelihoods by less than a checker allows."""
    if model["covariance_type"] not in ("full", "tied"):
        return True
    covariances = np.array(model["covariances"])
    scales = np.sqrt(np.diagonal(covariances, axis1=-2, axis2=-1))
    return float(np.linalg.cond(covariances / (scales[..., :, None] * scales[..., None, :])).max()) < WORST_CONDITION


def component_matrices(kind: str, values: Floats, count: int, width: int) -> Floats:
    """Covariances of every component as matrices."""
    if kind == "full":
        return values
    if kind == "tied":
        return np.stack([values] * count)
    if kind == "spherical_tied":
        values = np.repeat(values, count)
    return np.stack([np.diag(np.ones(width) * values[k]) for k in range(count)])


def joint_densities(rows: Floats, chances: Floats, means: Floats, matrices: Floats) -> Floats:
    """ln(chance N(x; mean, matrix)) of what is there, for every row and component."""
    out = np.empty((len(rows), len(chances)))
    for missing in np.unique(np.isnan(rows), axis=0):
        same, there = (np.isnan(rows) == missing).all(axis=1), ~missing
        for k, (chance, mean, matrix) in enumerate(zip(chances, means, matrices, strict=True)):
            part, moved = matrix[np.ix_(there, there)], rows[np.ix_(same, there)] - mean[there]
            squares = (moved * np.linalg.solve(part, moved.T).T).sum(axis=1)
            constant = there.sum() * math.log(2.0 * math.pi) + np.linalg.slogdet(part)[1]
            out[same, k] = (math.log(chance) if chance > 0.0 else -math.inf) - 0.5 * (squares + constant)
    return out


def _step(
    model: Mapping[str, Any], rows: Floats, shares: Floats, means: Floats, matrices: Floats
) -> tuple[Floats, Floats, Floats]:
    total, width = shares.sum(axis=0), rows.shape[1]
    prior = model["prior"]
    pull, target = (0.0, np.zeros(width)) if prior is None else (prior["pull"], np.array(prior["mean"]))
    moved, scatters = means.copy(), np.zeros_like(matrices)
    for k in range(len(means)):
        if total[k] + pull <= 1e-280 * shares.sum():
            continue
        filled, spare = filled_rows(rows, shares[:, k], means[k], matrices[k])
        moved[k] = means[k] + (shares[:, k] @ (filled - means[k]) + pull * (target - means[k])) / (total[k] + pull)
        away = filled - moved[k]
        scatters[k] = (away * shares[:, k, None]).T @ away + spare
        scatters[k] += pull * np.outer(moved[k] - target, moved[k] - target)
    return total / total.sum(), moved, _updated(model, scatters, total, matrices)


def filled_rows(rows: Floats, shares: Floats, mean: Floats, matrix: Floats) -> tuple[Floats, Floats]:
    """Rows with conditional means where cells are missing, and the sum of their conditional covariances."""
    filled, spare = rows.copy(), np.zeros_like(matrix)
    for missing in np.unique(np.isnan(rows), axis=0):
        if not missing.any():
            continue
        same, there = (np.isnan(rows) == missing).all(axis=1), ~missing
        slopes = np.linalg.solve(matrix[np.ix_(there, there)], matrix[np.ix_(there, missing)])
        filled[np.ix_(same, missing)] = mean[missing] + (rows[np.ix_(same, there)] - mean[there]) @ slopes
        rest = matrix[np.ix_(missing, missing)] - matrix[np.ix_(missing, there)] @ slopes
        spare[np.ix_(missing, missing)] += shares[same].sum() * rest
    return filled, spare


def _updated(model: Mapping[str, Any], scatters: Floats, total: Floats, before: Floats) -> Floats:
    kind, prior, (count, width) = model["covariance_type"], model["prior"], scatters.shape[:2]
    unit, added = np.eye(width), float(model["reg_covar"]) if prior is None else 0.0
    degrees = 0.0 if prior is None else width + 2.0
    scale = np.zeros((width, width)) if prior is None else np.array(prior["scale"])
    scale = np.diag(scale) if scale.ndim == 1 else scale
    once = 0.0 if prior is None else 1.0  # what the prior of the means adds to every exponent
    if kind in ("tied", "spherical_tied"):
        summed = scatters.sum(axis=0)
        if kind == "tied":
            one = (scale + summed) / (total.sum() + once * (degrees + width + 1.0 + count)) + added * unit
        else:
            divisor = width * total.sum() + once * (degrees + 2.0 + width * count)
            one = ((np.trace(scale) / width + np.trace(summed)) / divisor + added) * unit
        return np.stack([one] * count)
    found = before.copy()
    for k in range(count):
        if prior is None and total[k] <= 1e-280 * total.sum():
            continue
        if kind == "full":
            found[k] = (scale + scatters[k]) / (total[k] + once * (degrees + width + 2.0)) + added * unit
        elif kind == "diag":
            found[k] = np.diag(np.diag(scale + scatters[k]) / (total[k] + once * (degrees + 3.0)) + added)
        else:
            divisor = width * total[k] + once * (degrees + 2.0 + width)
            found[k] = ((np.trace(scale) / width + np.trace(scatters[k])) / divisor + added) * unit
    return found


def _objective(model: Mapping[str, Any], logs: Floats, weights: Floats, means: Floats, matrices: Floats) -> float:
    found = float(weights @ logsumexp(logs, axis=1))
    if model["prior"] is not None:
        found += _log_prior(model, means, matrices)
    return found / float(weights.sum())


def _log_prior(model: Mapping[str, Any], means: Floats, matrices: Floats) -> float:
    """The logarithm of the prior density, without its constant."""
    kind, prior, width = model["covariance_type"], model["prior"], means.shape[1]
    scale, degrees, found = np.array(prior["scale"]), width + 2.0, 0.0
    for k, (mean, matrix) in enumerate(zip(means, matrices, strict=True)):
        away = mean - np.array(prior["mean"])
        logs = np.linalg.slogdet(matrix)[1]
        found -= 0.5 * (logs + prior["pull"] * away @ np.linalg.solve(matrix, away))
        if kind in ("full", "tied") and (kind == "full" or k == 0):
            found -= 0.5 * ((degrees + width + 1.0) * logs + np.trace(np.linalg.solve(matrix, scale)))
        elif kind == "diag":
            variances = np.diag(matrix)
            found -= 0.5 * ((degrees + 2.0) * np.log(variances) + scale / variances).sum()
        elif kind == "spherical" or (kind == "spherical_tied" and k == 0):
            found -= 0.5 * ((degrees + 2.0) * math.log(matrix[0, 0]) + scale.mean() / matrix[0, 0])
    return float(found)
