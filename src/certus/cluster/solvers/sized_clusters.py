"""Lloyd's rounds in which every cluster keeps a least number of rows (Bradley, Bennett, Demiriz 2000).

Given centers, labels are the solution of a transport problem,

    min sum_ij z_ij w_i |x_i - c_j|^2    with    sum_j z_ij = 1,    sum_i z_ij >= m,    z >= 0,

whose vertices are whole: the simplex method ends with labels. Given labels, the means are best. Neither step raises the
cost, so that the rounds end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog
from sklearn.metrics.pairwise import euclidean_distances

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


class SizedClusters(NamedTuple):
    """Labels with enough rows each, their means, their cost, the rounds, and whether labels stayed the same."""

    labels: Integers
    centers: Floats
    cost: float
    rounds: int
    converged: bool


def sized_clusters(X: Floats, weights: Floats, centers: Floats, least: int, most_rounds: int) -> SizedClusters:
    """Improve centers until the labels stay the same."""
    middle = X.mean(axis=0)
    rows, centers = X - middle, centers - middle
    labels, cost, converged, rounds = np.full(len(X), -1), np.inf, False, 0
    while rounds < most_rounds and not converged:
        rounds += 1
        found = cheapest_labels(weights[:, None] * euclidean_distances(rows, centers, squared=True), least)
        means = _means(rows, weights, found, len(centers))
        paid = float(weights @ np.sum((rows - means[found]) ** 2, axis=1))
        converged = not paid < cost
        if not converged:
            labels, centers, cost = found, means, paid
    return SizedClusters(labels, centers + middle, cost, rounds, converged)


def cheapest_labels(costs: Floats, least: int) -> Integers:
    """Labels of the least sum of costs (rows x clusters) that give every cluster so many rows."""
    rows, clusters = costs.shape
    labels = np.argmin(costs, axis=1)
    if (np.bincount(labels, minlength=clusters) >= least).all():
        return labels
    once = sparse.kron(sparse.eye_array(rows), np.ones((1, clusters)), format="csr")
    enough = sparse.kron(np.ones((1, rows)), -sparse.eye_array(clusters), format="csr")
    # A row's own least cost changes no decision; without it the numbers that decide keep their digits.
    spare = (costs - costs.min(axis=1, keepdims=True)).ravel()
    found = linprog(
        spare / max(float(spare.max()), 1e-300),
        A_ub=enough,
        b_ub=np.full(clusters, -float(least)),
        A_eq=once,
        b_eq=np.ones(rows),
        bounds=(0.0, None),
        method="highs-ds",
    )
    if found.status != 0:
        raise RuntimeError(f"The transport problem of the rows was not solved: {found.message}")
    return np.asarray(np.argmax(found.x.reshape(rows, clusters), axis=1), dtype=np.intp)


def _means(rows: Floats, weights: Floats, labels: Integers, clusters: int) -> Floats:
    members = sparse.csr_array((weights, (labels, np.arange(len(rows)))), shape=(clusters, len(rows)))
    return np.asarray(members @ rows) / np.bincount(labels, weights, minlength=clusters)[:, None]
