"""Clustering: groups of rows, with a bound on how much better any grouping could be."""

from certus.cluster.bisecting_k_means import BisectingKMeans
from certus.cluster.clustering_costs import certify_clustering, cluster_cost
from certus.cluster.dp_means import DPMeans
from certus.cluster.k_centroids import KCentroids
from certus.cluster.k_means import KMeans, k_means
from certus.cluster.mini_batch_k_means import MiniBatchKMeans
from certus.cluster.seeding import kmeans_plusplus, seeding_expectation

__all__ = [
    "BisectingKMeans",
    "DPMeans",
    "KCentroids",
    "KMeans",
    "MiniBatchKMeans",
    "certify_clustering",
    "cluster_cost",
    "k_means",
    "kmeans_plusplus",
    "seeding_expectation",
]


def __dir__() -> list[str]:
    return __all__
