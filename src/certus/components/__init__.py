"""Components: the few directions that explain most of a table, and how much any directions could explain."""

from certus.components.gaussian_random_projection import GaussianRandomProjection
from certus.components.incremental_pca import IncrementalPCA
from certus.components.pca import PCA
from certus.components.random_projections import johnson_lindenstrauss_min_dim
from certus.components.randomized_decomposition import randomized_svd
from certus.components.sparse_random_projection import SparseRandomProjection
from certus.components.truncated_svd import TruncatedSVD

__all__ = [
    "GaussianRandomProjection",
    "IncrementalPCA",
    "PCA",
    "SparseRandomProjection",
    "TruncatedSVD",
    "johnson_lindenstrauss_min_dim",
    "randomized_svd",
]


def __dir__() -> list[str]:
    return __all__
