"""Clustering: groups of rows, with a bound on how much better any grouping could be."""

from certus.cluster.k_means import KMeans

__all__ = ["KMeans"]


def __dir__() -> list[str]:
    return __all__
