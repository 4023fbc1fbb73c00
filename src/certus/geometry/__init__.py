"""Distances between rows and what is built on them: neighbors, radii, spanning trees, and the axioms they rest on."""

from certus.geometry.axioms import check_metric, check_partition, check_similarity
from certus.geometry.gower_distances import gower_distances
from certus.geometry.metrics.axiom_checks import AxiomCheck
from certus.geometry.reach_orders import ReachOrder, reach_order
from certus.geometry.row_distances import distance_blocks, label_distance_sums, pairwise_distances
from certus.geometry.spanning_trees import SpanningTree, minimum_spanning_tree

__all__ = [
    "AxiomCheck",
    "ReachOrder",
    "SpanningTree",
    "check_metric",
    "check_partition",
    "check_similarity",
    "distance_blocks",
    "gower_distances",
    "label_distance_sums",
    "minimum_spanning_tree",
    "pairwise_distances",
    "reach_order",
]


def __dir__() -> list[str]:
    return __all__
