"""Classifiers around the neighbor searches of other libraries."""

from importlib import import_module
from typing import Any

import numpy as np


class _Voter:
    """The most frequent of the labels of the nearest rows, numbers from 0."""

    def __init__(self, n_neighbors: int = 5, n_jobs: int = 1) -> None:
        self.n_neighbors, self.n_jobs = n_neighbors, n_jobs

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        self.labels_, self.classes_ = np.asarray(y, dtype=np.intp), int(np.max(y)) + 1
        self._index(X)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        labels = self.labels_[self._rows(X)]
        places = np.arange(len(X))[:, None] * self.classes_ + labels
        votes = np.bincount(places.ravel(), minlength=len(X) * self.classes_)
        return votes.reshape(len(X), self.classes_).argmax(axis=1)

    def _index(self, X: np.ndarray) -> None:
        raise NotImplementedError

    def _rows(self, X: np.ndarray) -> np.ndarray:
        raise NotImplementedError


class FlatFaiss(_Voter):
    """faiss's exact index, which knows single precision only."""

    def _index(self, X: np.ndarray) -> None:
        library = import_module("faiss")
        library.omp_set_num_threads(self.n_jobs)
        self.index_ = library.IndexFlatL2(X.shape[1])
        self.index_.add(np.ascontiguousarray(X, dtype=np.float32))

    def _rows(self, X: np.ndarray) -> np.ndarray:
        return self.index_.search(np.ascontiguousarray(X, dtype=np.float32), self.n_neighbors)[1]


class PyKDTree(_Voter):
    """pykdtree's kd-tree; the number of threads comes from OMP_NUM_THREADS."""

    def _index(self, X: np.ndarray) -> None:
        self.index_ = import_module("pykdtree.kdtree").KDTree(np.ascontiguousarray(X))

    def _rows(self, X: np.ndarray) -> np.ndarray:
        return self.index_.query(np.ascontiguousarray(X), k=self.n_neighbors)[1].reshape(len(X), -1)


class SciPyTree(_Voter):
    """scipy's kd-tree."""

    def _index(self, X: np.ndarray) -> None:
        self.index_ = import_module("scipy.spatial").cKDTree(X)

    def _rows(self, X: np.ndarray) -> np.ndarray:
        return self.index_.query(X, k=self.n_neighbors, workers=self.n_jobs)[1].reshape(len(X), -1)
