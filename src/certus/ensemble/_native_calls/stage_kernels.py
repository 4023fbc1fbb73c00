"""Trees of gradient boosting in compiled code: one table, sorted once, for many trees; samples of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native
from certus.base import resolve_threads
from certus.trees import Tree
from certus.trees import _native_calls as tree_kernels
from certus.trees._native_calls import Growth


class StageTable:
    """The training rows, ready for many regression trees.

    Parameters
    ----------
    X : ndarray of float32, or float32 matrix by rows
        The table.
    growth : Growth
        How trees are grown; how many columns are searched decides whether they are sorted once.
    """

    def __init__(self, X: Any, growth: Growth) -> None:
        self.rows = X.shape[0]
        self._X = X
        self._threads = resolve_threads()
        if sparse.issparse(X):
            self._sparse = tree_kernels.sparse_table(X.tocsc())
            self._dense = None
        else:
            self._dense = _native.shared_columns(X, tree_kernels.native_options(growth), self._threads)

    def grow(
        self,
        residuals: NDArray[np.float64],
        rows: NDArray[np.uint32],
        weights: NDArray[np.float64] | None,
        growth: Growth,
    ) -> Tree:
        """A tree on some rows (ascending), with one residual and weight for each row of the table."""
        target, _ = tree_kernels.native_target(residuals[:, None], None)
        if weights is not None:
            target.set_weights(weights)
        options = tree_kernels.native_options(growth)
        if self._dense is not None:
            nodes = self._dense.grow(target, rows, options, self._threads)
        else:
            nodes = _native.grow_tree_sparse(self._sparse, target, rows, options, self._threads)
        return Tree(
            n_features=self._X.shape[1],
            n_outputs=1,
            n_classes=np.ones(1, dtype=np.intp),
            max_depth=nodes.max_depth,
            **tree_kernels.node_arrays(nodes, 1, 1),
        )


def sample_mask(uniform: NDArray[np.float64], wanted: int) -> NDArray[np.bool_]:
    """A sample of the rows without replacement, decided by one uniform number per row."""
    marked = np.empty(len(uniform), dtype=np.uint8)
    _native.mark_sample(uniform, wanted, marked)
    return marked.view(np.bool_)
