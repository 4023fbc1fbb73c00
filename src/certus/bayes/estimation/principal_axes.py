"""Principal axes of centered rows: the right singular vectors and values.

Tall tables go by the eigenvalues of the cross products, which costs a fraction of a singular value decomposition
but squares the condition; where that would show, the decomposition itself is used.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

Array = NDArray[np.float64]
# Relative to the largest, singular values above this are good to about nine digits in the cross products.
TRUSTED = 3e-4


def principal_axes(rows: Array) -> tuple[Array, Array]:
    """Singular values, largest first, and axes (one per row) of a table with rows of any number."""
    count, columns = rows.shape
    if count >= 2 * columns:
        squares, vectors = linalg.eigh(rows.T @ rows)
        if squares[0] > TRUSTED**2 * squares[-1]:
            return np.sqrt(squares[::-1]), np.ascontiguousarray(vectors[:, ::-1].T)
    _, values, axes = linalg.svd(rows, full_matrices=False)
    return values, axes
