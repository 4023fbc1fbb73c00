"""Distances between rows and what is built on them: neighbors, radii, spanning trees, and the axioms they rest on."""

from certus.geometry.row_distances import distance_blocks, label_distance_sums, pairwise_distances

__all__ = ["distance_blocks", "label_distance_sums", "pairwise_distances"]


def __dir__() -> list[str]:
    return __all__
