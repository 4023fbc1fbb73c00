"""A step of variational Bayes in plain NumPy: the second route of its certificate.

Divergences are differences of expected log-densities here, each written out on its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln, logsumexp, multigammaln

from certus.mixture.evidence.plain_step import component_matrices, filled_rows, joint_densities

Floats = NDArray[np.float64]
State = dict[str, Floats]
_STATE = ("concentrations", "means", "pulls", "degrees", "covariances")


def variational_step(model: Mapping[str, Any], rows: Floats, weights: Floats) -> tuple[float, float]:
    """ELBO per row before and after one step."""
    rows, weights = rows[weights > 0.0], weights[weights > 0.0]
    state = {name: np.array(model[name]) for name in _STATE}
    logs = _joint(model, state, rows)
    before = weights @ logsumexp(logs, axis=1) - _divergence(model, state)
    shares = weights[:, None] * np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
    moved = _step(model, state, rows, shares)
    after = weights @ logsumexp(_joint(model, moved, rows), axis=1) - _divergence(model, moved)
    return float(before / weights.sum()), float(after / weights.sum())


def _log_weights(model: Mapping[str, Any], state: State) -> Floats:
    if not model["process"]:
        return np.asarray(digamma(state["concentrations"]) - digamma(state["concentrations"].sum()))
    (taken, left), found = state["concentrations"], []
    for k in range(len(taken)):
        earlier = sum(digamma(left[j]) - digamma(taken[j] + left[j]) for j in range(k))
        found.append(digamma(taken[k]) - digamma(taken[k] + left[k]) + earlier)
    return np.array(found)


def _wisharts(model: Mapping[str, Any], state: State) -> list[tuple[float, Floats, float, Floats]]:
    """(degrees, inverse scale) of every Wishart distribution and of its prior."""
    kind, (count, width) = model["covariance_type"], state["means"].shape
    degrees, matrices, prior = state["degrees"], state["covariances"], np.array(model["scale"])
    first = float(model["degrees_prior"])
    if kind == "full":
        return [(degrees[k], degrees[k] * matrices[k], first, prior) for k in range(count)]
    if kind == "tied":
        own = count * float(degrees)
        return [(own, own * matrices, count * first, count * prior)]
    if kind == "spherical":
        own = width * degrees
        return [
            (own[k], np.array([[own[k] * matrices[k]]]), width * first, width * np.eye(1) * prior) for k in range(count)
        ]
    return [
        (degrees[k], np.array([[degrees[k] * matrices[k, j]]]), first, np.array([[prior[j]]]))
        for k in range(count)
        for j in range(width)
    ]


def _log_precision(degrees: float, scale: Floats) -> float:
    places = np.arange(len(scale))
    return float(digamma((degrees - places) / 2.0).sum() + len(scale) * math.log(2.0) - np.linalg.slogdet(scale)[1])


def _joint(model: Mapping[str, Any], state: State, rows: Floats) -> Floats:
    kind, (count, width) = model["covariance_type"], state["means"].shape
    logs = np.array([_log_precision(own, scale) for own, scale, _, _ in _wisharts(model, state)])
    each = {"full": logs, "tied": np.repeat(logs, count), "spherical": width * logs}
    expected = each[kind] if kind in each else logs.reshape(count, width).sum(axis=1)
    matrices = component_matrices(kind, state["covariances"], count, width)
    plugged = -np.linalg.slogdet(matrices)[1]
    factors = _log_weights(model, state) + 0.5 * (expected - plugged) - 0.5 * width / state["pulls"]
    return joint_densities(rows, np.ones(count), state["means"], matrices) + factors


def _divergence(model: Mapping[str, Any], state: State) -> float:
    """E[ln beliefs] - E[ln prior], under the beliefs."""
    kind, (count, width) = model["covariance_type"], state["means"].shape
    found, own, prior = 0.0, state["concentrations"], float(model["concentration_prior"])
    if model["process"]:
        for taken, left in own.T:
            once, other = (digamma(part) - digamma(taken + left) for part in (taken, left))
            found += gammaln(taken + left) - gammaln(taken) - gammaln(left) + (taken - 1) * once + (left - 1) * other
            found -= math.log(prior) + (prior - 1) * other  # the density of Beta(1, prior)
    else:
        logs = _log_weights(model, state)
        found += gammaln(own.sum()) - gammaln(own).sum() + (own - 1.0) @ logs
        found -= gammaln(count * prior) - count * gammaln(prior) + (prior - 1.0) * logs.sum()
    pull, matrices = float(model["pull_prior"]), component_matrices(kind, state["covariances"], count, width)
    for mean, belief, matrix in zip(state["means"], state["pulls"], matrices, strict=True):
        away = mean - np.array(model["mean_prior"])
        found += 0.5 * width * (math.log(belief) - 1.0) - 0.5 * width * math.log(pull)
        found += 0.5 * pull * (width / belief + away @ np.linalg.solve(matrix, away))
    for degrees, scale, first, before in _wisharts(model, state):
        expected, size = _log_precision(degrees, scale), len(scale)
        found += _log_density(degrees, scale, expected, size * degrees)
        found -= _log_density(first, before, expected, degrees * float(np.trace(np.linalg.solve(scale, before))))
    return float(found)


def _log_density(degrees: float, scale: Floats, logs: float, trace: float) -> float:
    """The expected logarithm of a Wishart density, given E ln |precision| and E tr(inverse scale precision)."""
    size = len(scale)
    constant = 0.5 * degrees * (np.linalg.slogdet(scale)[1] - size * math.log(2.0)) - multigammaln(0.5 * degrees, size)
    return float(constant + 0.5 * (degrees - size - 1.0) * logs - 0.5 * trace)


def _step(model: Mapping[str, Any], state: State, rows: Floats, shares: Floats) -> State:
    kind, (count, width) = model["covariance_type"], state["means"].shape
    pull, target, added = float(model["pull_prior"]), np.array(model["mean_prior"]), float(model["reg_covar"])
    prior, first = np.array(model["scale"]), float(model["degrees_prior"])
    total = shares.sum(axis=0)
    means, around = np.empty_like(state["means"]), np.empty((count, width, width))
    matrices = component_matrices(kind, state["covariances"], count, width)
    for k in range(count):
        filled, spare = filled_rows(rows, shares[:, k], state["means"][k], matrices[k])
        means[k] = (pull * target + shares[:, k] @ filled) / (pull + total[k])
        away = filled - means[k]
        around[k] = (away * shares[:, k, None]).T @ away + spare + added * total[k] * np.eye(width)
        around[k] += pull * np.outer(means[k] - target, means[k] - target)
    own = float(model["concentration_prior"])
    later = np.array([total[k + 1 :].sum() for k in range(count)])
    concentrations = np.stack([1.0 + total, own + later]) if model["process"] else own + total
    degrees = np.asarray(first + (total.mean() if kind == "tied" else total))
    if kind == "full":
        covariances = (prior + around) / degrees[:, None, None]
    elif kind == "tied":
        covariances = (prior + around.mean(axis=0)) / degrees
    else:
        variances = np.diagonal(around, axis1=1, axis2=2)
        covariances = prior + (variances if kind == "diag" else variances.mean(axis=1))
        covariances = covariances / (degrees[:, None] if kind == "diag" else degrees)
    return dict(zip(_STATE, (concentrations, means, pull + total, degrees, covariances), strict=True))
