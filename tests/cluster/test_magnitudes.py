"""Tables of any magnitude: the clusters of the table in another unit, or one error; no vanished cost is certified."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from certus.cluster import (
    DBSCAN,
    HDBSCAN,
    OPTICS,
    AgglomerativeClustering,
    DivisiveClustering,
    KCenter,
    KCentroids,
    KMeans,
    KMedoids,
    certify_clustering,
)

UNITS = (2.0**-700, 2.0**-1000, 2.0**300)


def blobs() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(size=(20, 2)) + middle for middle in ([0, 0], [9, 0], [0, 9])])


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    "learner",
    [
        HDBSCAN(min_cluster_size=5),
        OPTICS(min_samples=5),
        KMedoids(3, random_state=0),
        KCenter(3),
        KCentroids(3, metric="cosine", random_state=0),
        KCentroids(3, metric="manhattan", random_state=0),
        DivisiveClustering(3),
        AgglomerativeClustering(3, linkage="average"),
        AgglomerativeClustering(3, linkage="single"),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_another_unit_has_the_same_clusters(learner: Any, unit: float) -> None:
    table = blobs() + 20.0
    labels = learner.fit(table).labels_.copy()
    assert np.array_equal(learner.fit(table * unit).labels_, labels)


@pytest.mark.parametrize("unit", [1e-300, 1e-160, 2.0**100])
def test_trees_of_weights_in_another_unit(unit: float) -> None:
    table, weights = blobs(), np.random.default_rng(1).uniform(0.5, 2.0, 60)
    for linkage in ("ward", "average", "centroid"):
        plain = AgglomerativeClustering(3, linkage=linkage).fit(table, sample_weight=weights)
        scaled = AgglomerativeClustering(3, linkage=linkage).fit(table, sample_weight=weights * unit)
        assert np.array_equal(plain.children_, scaled.children_)
        grown = np.sqrt(unit) if linkage == "ward" else 1.0
        np.testing.assert_allclose(
            scaled.linkage_matrix_[:, 2] / grown, plain.linkage_matrix_[:, 2], rtol=1e-12, atol=1e-300
        )


@pytest.mark.parametrize("unit", UNITS)
def test_dense_regions_in_another_unit(unit: float) -> None:
    table = blobs()
    assert np.array_equal(DBSCAN(eps=2.0 * unit).fit(table * unit).labels_, DBSCAN(eps=2.0).fit(table).labels_)


@pytest.mark.parametrize(
    "learner",
    [KMeans(3), KMedoids(3, power=2), AgglomerativeClustering(3), KCentroids(3, metric="minkowski")],
    ids=lambda learner: type(learner).__name__,
)
def test_costs_that_would_vanish_are_refused(learner: Any) -> None:
    """The squares of 1e-200 are 0 in floating point: such a cost would be certified as perfect."""
    table = blobs() * 1e-200
    with pytest.raises(ValueError, match=r"X must have a column whose values differ by 1e-140.*\nHint: rescale"):
        learner.fit(table)
    with pytest.raises(ValueError, match="vanish"):
        certify_clustering(table, np.zeros(len(table)))
    with pytest.raises(ValueError, match="vanish"):  # a constant column does not make up for it
        learner.fit(np.column_stack([table, np.ones(len(table))]))
    learner.set_params(n_clusters=1).fit(np.ones((8, 2)))  # nothing differs: nothing vanishes
