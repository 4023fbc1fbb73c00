"""The largest eigenvalues of a symmetric matrix and their vectors, the entry of largest magnitude positive."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, eigsh

Floats = NDArray[np.float64]
DENSE = 600  # rows up to which all eigenvalues are computed


def largest_eigenvectors(matrix: Any, count: int, tol: float = 0.0) -> tuple[Floats, Floats]:
    """So many algebraically largest eigenvalues, descending, and their vectors as columns."""
    rows = matrix.shape[0]
    if rows <= max(DENSE, 10 * count):
        whole = matrix.toarray() if sparse.issparse(matrix) else matrix
        values, vectors = linalg.eigh(whole, subset_by_index=[rows - count, rows - 1], check_finite=False)
    else:
        start = 1.0 + np.random.default_rng(0).uniform(size=rows)  # a fixed start: equal tables, equal answers
        # Products one by one in Python, so that Ctrl-C is answered between them.
        operator = LinearOperator(matrix.shape, matvec=lambda vector: matrix @ vector, dtype=np.float64)
        values, vectors = eigsh(operator, k=count, which="LA", v0=start, tol=tol)
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(count)])
    return values, vectors * np.where(signs == 0.0, 1.0, signs)
