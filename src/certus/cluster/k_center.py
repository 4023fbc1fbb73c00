"""k centers with a small largest distance. Gonzalez (1985)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from certus.base import fit_method, register
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights
from certus.base.params import Interval
from certus.cluster.evidence.medoid_certificate import (
    TRIANGLE,
    least_shared_radius,
    radius_certificate,
    shared_radius_certificate,
)
from certus.cluster.fitting.chosen_rows import METRIC, ChosenRows
from certus.geometry import pairwise_distances
from certus.guarantees import Report

MOST_COMPARED = 2**31  # distances behind a certificate where the triangle inequality cannot be used


@register(
    tasks=("clustering", "transformation"),
    guarantees=("radius within twice the least one",),
    cost="fit O(k n p), predict O(k n p)",
)
class KCenter(ChosenRows):
    """k centers by farthest-first traversal: for metrics the largest distance is at most twice the least possible.

    From a first row, one end of the table, the row farthest from all centers becomes the next one. The k + 1 rows that
    this visits are pairwise at least as far apart as the radius, and two of them share one of any k centers. For a
    function, a matrix and what is no metric, such as "sqeuclidean" and "cosine", the report compares with centers among
    the rows, and nothing is promised beforehand.

    Attributes
    ----------
    radius_ : float
        The largest distance of a row to its nearest center.
    inertia_ : float
        The sum of the distances to the nearest centers.
    report_ : Report
        How much smaller the radius of any k centers could be; empty for a distance without triangle inequality where
        there are too many rows and centers.

    Examples
    --------
    >>> from certus.cluster import KCenter
    >>> model = KCenter(2).fit([[0.0], [1], [2], [50], [51], [52]])
    >>> model.radius_, model.report_["excess radius of the centers"].value <= 0.5 + 1e-9
    (2.0, True)
    """

    _constraints: ClassVar[Any] = {"n_clusters": [Interval(1, None, integer=True)], "metric": METRIC}
    _state: ClassVar[tuple[str, ...]] = ("medoid_indices_", "cluster_centers_", "labels_", "inertia_", "radius_")

    radius_: float

    def __init__(self, n_clusters: int = 8, *, metric: Any = "euclidean") -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> KCenter:
        """Choose the centers.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Only whether a weight is 0 matters: such rows need no center near them.
        """
        table = self._check_rows(X, reset=True)
        given = check_weights(self, sample_weight, table)
        weights = np.ones(len(table)) if given is None else (np.asarray(given) > 0.0).astype(np.float64)
        kept = self._enough_rows(weights)
        chosen = [int(self._in_order_of_values(table, kept)[0])]
        closest = self._to_chosen(table, np.array(chosen))[:, 0]
        while True:
            counted = np.where(weights > 0.0, closest, -1.0)
            row, radius = int(np.argmax(counted)), float(counted.max())
            if len(chosen) == self.n_clusters:
                break
            chosen.append(row)
            closest = np.minimum(closest, self._to_chosen(table, np.array([row]))[:, 0])
        self._choose(table, np.array(chosen), weights, 1)
        self.radius_ = radius
        self.report_ = self._certified(table, [*chosen, row] if radius > 0.0 else [])
        return self

    def _certified(self, table: Any, witness: list[int]) -> Report:
        """That no k centers are much better, as the rows of the witness are far from each other."""
        given = (witness, self.n_clusters, self.metric)
        if not witness or (isinstance(self.metric, str) and self.metric in TRIANGLE):
            return Report([radius_certificate(self.radius_, self.radius_ if witness else 0.0, *given)])
        if len(witness) ** 2 * len(table) > MOST_COMPARED:
            return Report()
        if isinstance(self.metric, str) and self.metric == "precomputed":
            distances = np.asarray(table, dtype=np.float64)[witness]
        else:
            distances = pairwise_distances(table[witness], table, metric=self.metric)
        return Report([shared_radius_certificate(self.radius_, least_shared_radius(distances), *given)])
