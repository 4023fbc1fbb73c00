"""How good the clusters of a study are: what any others could save, their silhouettes, which are next to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline

from certus.base import TableLike
from certus.cluster import AgglomerativeClustering, KMedoids, certify_clustering
from certus.evaluation import silhouette_bound
from certus.guarantees import Certificate

EXCESS = "excess cost of the clustering"
TIGHTENED, EFFORT = 500, 100  # rows up to which the bound of a cost by means is tightened, and for so many rounds
COMPARED = 2_000  # rows up to which medoids are bounded, for which all distances are needed
PAIRS = 40_000_000  # distances behind a silhouette interval
MOST_DRAWN, FEWEST_DRAWN = 2_000, 200


@dataclass(frozen=True)
class ClusterQuality:
    """How good the clusters of the learning rows are, in the distances of their encoded columns.

    Attributes
    ----------
    excess : Certificate or None
        How much cheaper any clustering with as many clusters could be; None where that takes too long.
    silhouette : Certificate
        An interval around the mean silhouette.
    numbers : list of int
        The clusters.
    merges : list of list of float
        The tree of their centers by average linkage, in scipy's form.
    """

    excess: Certificate | None
    silhouette: Certificate
    numbers: list[int]
    merges: list[list[float]]

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values."""
        return {
            "excess": None if self.excess is None else self.excess.to_dict(),
            "silhouette": self.silhouette.to_dict(),
            "numbers": self.numbers,
            "merges": self.merges,
        }


def cluster_quality(model: Pipeline, X: TableLike, confidence: float, seed: int) -> ClusterQuality | None:
    """The record of the rows; None if they are all in one cluster, or each in its own."""
    encoded = model[:-1].transform(X)
    rows = np.asarray(encoded.toarray() if sparse.issparse(encoded) else encoded, dtype=np.float64)
    labels = np.asarray(model[-1].predict(encoded))
    numbers = np.unique(labels)
    if not 1 < len(numbers) < len(rows):
        return None
    drawn = int(np.clip(PAIRS // len(rows), FEWEST_DRAWN, MOST_DRAWN))
    centers = np.asarray(model[-1].cluster_centers_)[numbers]
    tree = AgglomerativeClustering(1, linkage="average", compute_distances=True).fit(centers)
    return ClusterQuality(
        excess=_excess(rows, labels, isinstance(model[-1], KMedoids), confidence, seed),
        silhouette=silhouette_bound(rows, labels, rows=drawn, confidence=confidence, seed=seed),
        numbers=[int(number) for number in numbers],
        merges=tree.linkage_matrix_.tolist(),
    )


def _excess(
    rows: NDArray[np.float64], labels: NDArray[Any], medoids: bool, confidence: float, seed: int
) -> Certificate | None:
    """What was minimized: distances to rows, or squared distances to means."""
    if medoids:
        if len(rows) > COMPARED:
            return None
        return certify_clustering(rows, labels, cost="k-median", effort=EFFORT)[EXCESS]
    effort = EFFORT if len(rows) <= TIGHTENED else 0
    found = certify_clustering(rows, labels, effort=effort, confidence=confidence, seed=seed)
    return found[EXCESS] if found else None
