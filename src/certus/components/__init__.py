"""Components: the few directions that explain most of a table, and how much any directions could explain."""

from certus.components.incremental_pca import IncrementalPCA
from certus.components.pca import PCA
from certus.components.randomized_decomposition import randomized_svd
from certus.components.truncated_svd import TruncatedSVD

__all__ = ["IncrementalPCA", "PCA", "TruncatedSVD", "randomized_svd"]


def __dir__() -> list[str]:
    return __all__
