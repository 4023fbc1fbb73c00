"""Distances between rows and what is built on them: neighbors, radii, spanning trees, the axioms they rest on;
and linear algebra that explains itself.
"""

from certus.geometry.axioms import check_metric, check_partition, check_similarity
from certus.geometry.gower_distances import gower_distances
from certus.geometry.linear_algebra import (
    Definiteness,
    Derivative,
    Eigenpairs,
    GradientCheck,
    NullDependency,
    PowerIteration,
    angle,
    check_bilinear,
    check_group,
    check_inner_product,
    check_linear,
    check_norm,
    check_vector_space,
    coordinates,
    deflate,
    dependency,
    eigen_by_deflation,
    eigen_residuals,
    gradient_check,
    gram_schmidt,
    in_span,
    is_positive_semidefinite,
    is_subspace,
    map_matrix,
    matrix_derivatives,
    null_dependency,
    power_iteration,
    rayleigh_quotient,
    transition_matrix,
    unit_vector,
)
from certus.geometry.metrics.axiom_checks import AxiomCheck
from certus.geometry.reach_orders import ReachOrder, reach_order
from certus.geometry.row_distances import distance_blocks, label_distance_sums, pairwise_distances
from certus.geometry.spanning_trees import SpanningTree, minimum_spanning_tree

__all__ = [
    "AxiomCheck",
    "Definiteness",
    "Derivative",
    "Eigenpairs",
    "GradientCheck",
    "NullDependency",
    "PowerIteration",
    "ReachOrder",
    "SpanningTree",
    "angle",
    "check_bilinear",
    "check_group",
    "check_inner_product",
    "check_linear",
    "check_metric",
    "check_norm",
    "check_partition",
    "check_similarity",
    "check_vector_space",
    "coordinates",
    "deflate",
    "dependency",
    "distance_blocks",
    "eigen_by_deflation",
    "eigen_residuals",
    "gower_distances",
    "gradient_check",
    "gram_schmidt",
    "in_span",
    "is_positive_semidefinite",
    "is_subspace",
    "label_distance_sums",
    "map_matrix",
    "matrix_derivatives",
    "minimum_spanning_tree",
    "null_dependency",
    "pairwise_distances",
    "power_iteration",
    "rayleigh_quotient",
    "reach_order",
    "transition_matrix",
    "unit_vector",
]


def __dir__() -> list[str]:
    return __all__
