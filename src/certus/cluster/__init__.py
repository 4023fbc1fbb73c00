"""Clustering: groups of rows, with a bound on how much better any grouping could be."""

from certus.cluster.agglomerative_clustering import AgglomerativeClustering
from certus.cluster.bisecting_k_means import BisectingKMeans
from certus.cluster.clustering_costs import certify_clustering, cluster_cost
from certus.cluster.dbscan import DBSCAN, dbscan
from certus.cluster.divisive_clustering import DivisiveClustering
from certus.cluster.dp_means import DPMeans
from certus.cluster.feature_agglomeration import FeatureAgglomeration
from certus.cluster.hdbscan import HDBSCAN
from certus.cluster.k_center import KCenter
from certus.cluster.k_centroids import KCentroids
from certus.cluster.k_means import KMeans, k_means
from certus.cluster.k_medoids import KMedoids
from certus.cluster.linkage_trees import linkage_tree, ward_tree
from certus.cluster.mini_batch_k_means import MiniBatchKMeans
from certus.cluster.number_of_clusters import ClusterChoice, choose_clusters
from certus.cluster.optics import OPTICS
from certus.cluster.optics_graphs import cluster_optics_dbscan, cluster_optics_xi, compute_optics_graph
from certus.cluster.seeding import kmeans_plusplus, seeding_expectation
from certus.cluster.spectral_clustering import SpectralClustering, spectral_clustering

__all__ = [
    "AgglomerativeClustering",
    "BisectingKMeans",
    "ClusterChoice",
    "DBSCAN",
    "DPMeans",
    "DivisiveClustering",
    "FeatureAgglomeration",
    "HDBSCAN",
    "KCenter",
    "KCentroids",
    "KMeans",
    "KMedoids",
    "MiniBatchKMeans",
    "OPTICS",
    "SpectralClustering",
    "certify_clustering",
    "choose_clusters",
    "cluster_cost",
    "cluster_optics_dbscan",
    "cluster_optics_xi",
    "compute_optics_graph",
    "dbscan",
    "k_means",
    "kmeans_plusplus",
    "linkage_tree",
    "seeding_expectation",
    "spectral_clustering",
    "ward_tree",
]


def __dir__() -> list[str]:
    return __all__
