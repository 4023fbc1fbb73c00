"""Labels of rows from their places among eigenvectors, each with the linear map that labels new places likewise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, svd

from certus.cluster.k_means import KMeans

Floats = NDArray[np.float64]
SAME = float(np.finfo(np.float64).eps)
MOST_TURNS = 20


class Labeling(NamedTuple):
    """Labels 0, 1, …; the label of a place u is that with the largest entry of u M + b, by absolute value for QR."""

    labels: NDArray[np.intp]
    matrix: Floats
    offsets: Floats


def label_places(places: Floats, clusters: int, method: str, starts: int, rng: np.random.Generator) -> Labeling:
    """Label the rows by k-means, by the nearest turned indicator matrix, or by pivoted QR."""
    if method == "kmeans":
        return _by_centers(places, clusters, starts, rng)
    if method == "discretize":
        return _by_turning(places, rng)
    return _by_pivots(places)


def _by_centers(places: Floats, clusters: int, starts: int, rng: np.random.Generator) -> Labeling:
    """|u - c|^2 is least where u.c - |c|^2/2 is largest."""
    model = KMeans(clusters, n_init=starts, random_state=int(rng.integers(2**31))).fit(places)
    centers = model.cluster_centers_
    return Labeling(model.labels_.astype(np.intp), centers.T.copy(), -0.5 * np.sum(centers**2, axis=1))


def _by_pivots(places: Floats) -> Labeling:
    """Damle, Minden, Ying (2019): the rows that pivots choose become axes."""
    columns = places.shape[1]
    pivots = qr(places.T, pivoting=True, mode="r", check_finite=False)[1][:columns]
    left, _, right = svd(places[pivots].T)
    turn = left @ right
    return Labeling(np.argmax(np.abs(places @ turn), axis=1), turn, np.zeros(columns))


def _by_turning(places: Floats, rng: np.random.Generator) -> Labeling:
    """Yu, Shi (2003): turn the rows of length 1, and take the nearest indicator matrix, in turn.

    Starts from a random row and the rows most orthogonal to those before.
    """
    rows, columns = places.shape
    scale = np.sqrt(rows) / np.maximum(np.linalg.norm(places, axis=0), SAME)
    scale *= np.where(places[0] > 0.0, -1.0, 1.0)
    unit = places * scale
    unit /= np.maximum(np.linalg.norm(unit, axis=1), SAME)[:, None]
    turn = np.zeros((columns, columns))
    turn[:, 0] = unit[rng.integers(rows)]
    covered = np.zeros(rows)
    for column in range(1, columns):
        covered += np.abs(unit @ turn[:, column - 1])
        turn[:, column] = unit[np.argmin(covered)]
    before = 0.0
    for _ in range(MOST_TURNS + 1):
        labels = np.argmax(unit @ turn, axis=1)
        sums = np.zeros((columns, columns))
        np.add.at(sums, labels, unit)
        left, sizes, right = np.linalg.svd(sums)
        value = 2.0 * (rows - float(sizes.sum()))
        if abs(value - before) < SAME:
            break
        before, last = value, turn
        turn = right.T @ left.T
    else:
        turn = last
    return Labeling(labels, scale[:, None] * turn, np.zeros(columns))
