"""Components: the few directions that explain most of a table, and how much any directions could explain."""

from certus.components.cca import CCA
from certus.components.classical_mds import ClassicalMDS
from certus.components.gaussian_random_projection import GaussianRandomProjection
from certus.components.incremental_pca import IncrementalPCA
from certus.components.mds import MDS
from certus.components.pca import PCA
from certus.components.pls_canonical import PLSCanonical
from certus.components.pls_regression import PLSRegression
from certus.components.plssvd import PLSSVD
from certus.components.principal_component_regression import PrincipalComponentRegression
from certus.components.random_projections import johnson_lindenstrauss_min_dim
from certus.components.randomized_decomposition import randomized_svd
from certus.components.relation_of_tables import CanonicalTest, canonical_test
from certus.components.smacof import smacof
from certus.components.sparse_random_projection import SparseRandomProjection
from certus.components.spectral_embedding import SpectralEmbedding, spectral_embedding
from certus.components.truncated_svd import TruncatedSVD

__all__ = [
    "CCA",
    "CanonicalTest",
    "ClassicalMDS",
    "GaussianRandomProjection",
    "IncrementalPCA",
    "MDS",
    "PCA",
    "PLSCanonical",
    "PLSRegression",
    "PLSSVD",
    "PrincipalComponentRegression",
    "SparseRandomProjection",
    "SpectralEmbedding",
    "TruncatedSVD",
    "canonical_test",
    "johnson_lindenstrauss_min_dim",
    "randomized_svd",
    "smacof",
    "spectral_embedding",
]


def __dir__() -> list[str]:
    return __all__
