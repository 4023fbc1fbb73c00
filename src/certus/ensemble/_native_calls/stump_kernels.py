"""The search for the stump with the smallest weighted error, in compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native
from certus.base import resolve_threads
from certus.trees import _native_calls as tree_kernels


@dataclass(frozen=True)
class Stump:
    """One split; ``left`` and ``right`` are the weights of the classes on its sides.

    ``feature`` is -1 where saying the same class everywhere is better than any split.
    """

    feature: int
    threshold: float
    left: NDArray[np.float64]
    right: NDArray[np.float64]


class StumpSearch:
    """The columns of a table, sorted once, to be searched again and again with other weights.

    Parameters
    ----------
    X : ndarray or sparse matrix by columns, float32
        The table, without missing values.
    codes : ndarray of shape (n_samples,)
        Classes, numbered from 0.
    n_classes : int
        Their number.
    kept : ndarray of bool
        Which rows count.
    """

    def __init__(self, X: Any, codes: NDArray[Any], n_classes: int, kept: NDArray[np.bool_]) -> None:
        labels = np.ascontiguousarray(codes, dtype=np.uint32)
        rows = np.flatnonzero(kept).astype(np.uint32)
        self._n_classes = n_classes
        self._threads = resolve_threads() if X.shape[0] * X.shape[1] > 50_000 else 1
        if sparse.issparse(X):
            table = tree_kernels.sparse_table(X)
            self._search = _native.stump_search_sparse(
                table, kept.astype(np.uint8), rows, labels, n_classes, self._threads
            )
        else:
            self._search = _native.stump_search(X, rows, labels, n_classes, self._threads)

    def best(self, weights: NDArray[np.float64]) -> Stump:
        """The stump with the smallest weighted error; of equally good ones the first column, smallest threshold."""
        left, right = np.empty(self._n_classes), np.empty(self._n_classes)
        feature, threshold = self._search.best(weights, left, right, self._threads)
        return Stump(feature, threshold, left, right)
