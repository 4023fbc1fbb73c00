"""Clusterings behind one face: k-means from given rows, trees and medoids of other libraries, silhouettes."""

from importlib import import_module
from typing import Any

import numpy as np

ROUNDS = 20


def _named(path: str) -> Any:
    module, name = path.rsplit(".", 1)
    return getattr(import_module(module), name)


class StartedKMeans:
    """Lloyd's rounds of a KMeans class from evenly spaced rows, so many for everyone."""

    def __init__(self, path: str, clusters: int) -> None:
        self.path, self.clusters = path, clusters

    def fit(self, X: np.ndarray, _y: np.ndarray) -> Any:
        start = X[:: len(X) // self.clusters][: self.clusters]
        self.inertia_ = _named(self.path)(self.clusters, init=start, n_init=1, max_iter=ROUNDS, tol=0.0).fit(X).inertia_
        return self


class LinkedTree:
    """fastcluster's tree: of the rows alone where it has such a form (``of_rows``), else of all distances."""

    def __init__(self, linkage: str, of_rows: bool = False) -> None:
        self.linkage, self.of_rows = linkage, of_rows

    def fit(self, X: np.ndarray, _y: np.ndarray) -> Any:
        library = import_module("fastcluster")
        self.linkage_matrix_ = (library.linkage_vector if self.of_rows else library.linkage)(X, self.linkage)
        return self


class FasterPAM:
    """The medoids of the kmedoids library, the matrix of distances included."""

    def __init__(self, clusters: int, threads: int) -> None:
        self.clusters, self.threads = clusters, threads

    def fit(self, X: np.ndarray, _y: np.ndarray) -> Any:
        distances = import_module("sklearn.metrics").pairwise_distances(X, n_jobs=self.threads)
        found = import_module("kmedoids").fasterpam(distances, self.clusters, random_state=0, n_cpu=self.threads)
        self.inertia_ = float(found.loss)
        return self


class Silhouette:
    """The mean silhouette of the rows under their labels, by a function."""

    def __init__(self, path: str) -> None:
        self.path = path

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        self.silhouette_ = float(_named(self.path)(X, y))
        return self
