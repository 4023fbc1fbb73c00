"""The cost of anybody's clustering, and how far it can be from the least."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from certus.base import Interval, OneOf, blas_on_one_thread, check_parameters
from certus.base.inputs import TableLike
from certus.cluster.evidence.cost_certificate import dual_certificate, line_certificate, spectral_certificate
from certus.cluster.evidence.dual_bound import Relaxation
from certus.cluster.evidence.medoid_certificate import certificate_of_rows
from certus.cluster.evidence.sampled_certificate import sampled_certificate
from certus.cluster.fitting.least_spread import refuse_vanishing_squares
from certus.cluster.k_means import WIDEST_CERTIFIED
from certus.cluster.solvers.dense_rows import DenseRows
from certus.guarantees import Report

Floats = NDArray[np.float64]
SAMPLES = 40

_RULES: Any = {
    "cost": [OneOf("k-means", "k-median", "k-medoids", "k-center")],
    "effort": [Interval(0, None, integer=True)],
    "confidence": [Interval(0, 1, closed="neither")],
    "seed": [Interval(0, None, integer=True)],
}


def cluster_cost(X: TableLike, labels: Any) -> float:
    """The sum of squared distances of rows to the mean of their cluster, for any clustering.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    labels : array-like of shape (n_samples,) or (n_samples, n_clusters)
        The cluster of every row, or the membership matrix Z with one 1 in every row.

    Returns
    -------
    float
        sum_i sum_k z_ik |x_i - mu_k|^2.

    Examples
    --------
    >>> from certus.cluster import cluster_cost
    >>> cluster_cost([[0.0], [2.0], [10.0]], ["a", "a", "b"])
    2.0
    >>> cluster_cost([[0.0], [2.0], [10.0]], [[1, 0], [1, 0], [0, 1]])
    2.0
    """
    table = check_array(X, dtype=np.float64)
    codes, count = _codes(labels, len(table))
    return _cost(table, _means(table, codes, count)[codes])


def certify_clustering(
    X: TableLike,
    labels: Any,
    *,
    cost: str = "k-means",
    effort: int = 200,
    confidence: float = 0.95,
    seed: int = 0,
) -> Report:
    """How much cheaper any clustering with as many clusters could be, for anybody's labels.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    labels : array-like of shape (n_samples,) or (n_samples, n_clusters)
        The cluster of every row, or a membership matrix.
    cost : {"k-means", "k-median", "k-medoids", "k-center"}, default="k-means"
        What a clustering costs: squared distances to the means; distances, or squared distances, to the best row of the
        cluster; the largest distance to the best row of the cluster.
    effort : int, default=200
        Rounds that tighten the bound, as ``bound_effort`` of `KMeans`.
    confidence : float, default=0.95
        Probability with which the bound of a table with more than 2000 rows holds, where random subsets are used.
    seed : int, default=0
        Decides the subsets.

    Returns
    -------
    Report
        The excess cost of the clustering, for which `Certificate.check` takes X.

    Examples
    --------
    >>> from certus.cluster import certify_clustering
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 8.0]]
    >>> certify_clustering(X, [0, 0, 0, 1, 1])["excess cost of the clustering"].value < 1e-6
    True
    """
    check_parameters(
        "certify_clustering", _RULES, {"cost": cost, "effort": effort, "confidence": confidence, "seed": seed}
    )
    table = np.ascontiguousarray(check_array(X, dtype=np.float64))
    if cost in ("k-means", "k-medoids"):
        refuse_vanishing_squares("certify_clustering", table)
    codes, count = _codes(labels, len(table))
    if cost != "k-means":
        return Report([certificate_of_rows(table, codes, count, cost, effort)])
    centers = _means(table, codes, count)
    # Rows may be nearer to another cluster's mean than to their own: labels cost what they cost.
    paid, weights = _cost(table, centers[codes]), np.ones(len(table))
    with blas_on_one_thread():
        if table.shape[1] == 1:
            return Report([line_certificate(paid, centers, table, weights, labels=codes)])
        if effort and len(table) <= WIDEST_CERTIFIED:
            bound = Relaxation(table, weights, count).ascend(effort, paid)
            return Report([dual_certificate(paid, centers, bound, labels=codes)])
        found = []
        if min(table.shape) <= WIDEST_CERTIFIED:
            found = [spectral_certificate(paid, centers, *DenseRows(table, weights, 1).scatter(), labels=codes)]
        if effort:
            sampled = sampled_certificate(
                paid,
                centers,
                table,
                weights,
                rounds=effort,
                samples=SAMPLES,
                confidence=confidence,
                seed=seed,
                labels=codes,
            )
            found.append(sampled)
        return Report(found)


def _codes(labels: Any, rows: int) -> tuple[NDArray[np.intp], int]:
    """Labels as numbers from 0, and how many there are."""
    given = np.asarray(labels)
    if given.ndim == 2:
        if not (np.isin(given, (0, 1)).all() and (given.sum(axis=1) == 1).all()):
            raise ValueError("labels must have one 1 and else 0 in every row of a membership matrix.")
        given = np.argmax(given, axis=1)
    if given.ndim != 1 or len(given) != rows:
        raise ValueError(
            f"labels must name the cluster of each of the {rows} rows of X, got an array of shape {given.shape}.\n"
            "Hint: one label per row, or a membership matrix with one row per row of X."
        )
    names, codes = np.unique(given, return_inverse=True)
    return codes, len(names)


def _means(X: Floats, codes: NDArray[np.intp], count: int) -> Floats:
    shift = X.mean(axis=0)
    totals = np.zeros((count, X.shape[1]))
    np.add.at(totals, codes, X - shift)
    return np.asarray(totals / np.bincount(codes, minlength=count)[:, None] + shift)


def _cost(X: Floats, centers: Floats) -> float:
    difference = X - centers
    return float(np.einsum("ij,ij->", difference, difference))
