"""Linear algebra that explains itself: answers with the coefficients, factors and counterexamples that show them."""

from certus.geometry.linear_algebra.definiteness import Definiteness, is_positive_semidefinite
from certus.geometry.linear_algebra.eigen_decomposition import Eigenpairs, eigen_by_deflation
from certus.geometry.linear_algebra.eigenpairs import (
    PowerIteration,
    deflate,
    eigen_residuals,
    power_iteration,
    rayleigh_quotient,
)
from certus.geometry.linear_algebra.group_axioms import check_group
from certus.geometry.linear_algebra.map_axioms import check_bilinear, check_linear
from certus.geometry.linear_algebra.matrix_derivatives import (
    Derivative,
    GradientCheck,
    gradient_check,
    matrix_derivatives,
)
from certus.geometry.linear_algebra.norm_axioms import check_inner_product, check_norm
from certus.geometry.linear_algebra.space_axioms import check_vector_space, is_subspace
from certus.geometry.linear_algebra.spans import NullDependency, dependency, in_span, null_dependency
from certus.geometry.linear_algebra.vector_bases import (
    angle,
    coordinates,
    gram_schmidt,
    map_matrix,
    transition_matrix,
    unit_vector,
)

__all__ = [
    "Definiteness",
    "Derivative",
    "Eigenpairs",
    "GradientCheck",
    "NullDependency",
    "PowerIteration",
    "angle",
    "check_bilinear",
    "check_group",
    "check_inner_product",
    "check_linear",
    "check_norm",
    "check_vector_space",
    "coordinates",
    "deflate",
    "dependency",
    "eigen_by_deflation",
    "eigen_residuals",
    "gradient_check",
    "gram_schmidt",
    "in_span",
    "is_positive_semidefinite",
    "is_subspace",
    "map_matrix",
    "matrix_derivatives",
    "null_dependency",
    "power_iteration",
    "rayleigh_quotient",
    "transition_matrix",
    "unit_vector",
]
