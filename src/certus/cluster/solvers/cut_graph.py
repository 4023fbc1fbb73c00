"""A graph whose parts are looked for: degrees, components, normalized affinities, and what a division cuts.

Loops, affinities of a row to itself, are left out. With the degrees d, a division into parts has the normalized cut

    sum over parts C of (affinity between C and the other rows) / (sum of the degrees in C).

It is trace(H'(I - B)H) for the normalized affinities B_ij = a_ij / sqrt(d_i d_j) and k orthonormal columns H (Shi and
Malik 2000; Yu and Shi 2003). A row without any affinity has degree 1 and B_ii = 1 here: it cuts nothing.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
BLOCK = 512  # rows that are multiplied at a time


class CutGraph:
    """Symmetric affinities without loops.

    Parameters
    ----------
    affinities : array or sparse matrix of shape (n, n)
        Symmetric.
    """

    def __init__(self, affinities: Any) -> None:
        if sparse.issparse(affinities):
            self.affinities = sparse.csr_array(affinities, dtype=np.float64)
            self.affinities = sparse.csr_array(self.affinities - sparse.diags_array(self.affinities.diagonal()))
            self.affinities.eliminate_zeros()
        else:
            self.affinities = np.array(affinities, dtype=np.float64)
            np.fill_diagonal(self.affinities, 0.0)
        degrees = np.asarray(self.affinities.sum(axis=1)).ravel()
        if (degrees < 0.0).any():
            row = int(np.argmin(degrees))
            raise ValueError(
                f"The affinities of a row must not sum to less than 0, got {degrees[row]!r} in row {row}.\n"
                "Hint: affinities are similarities, larger for rows that are more alike; kernels with negative values "
                "give none."
            )
        self.isolated = degrees == 0.0
        self.degrees = np.where(self.isolated, 1.0, degrees)
        self.rows = len(degrees)

    @property
    def nonnegative(self) -> bool:
        """Whether no affinity is negative, which a cut needs."""
        least = self.affinities.data.min(initial=0.0) if sparse.issparse(self.affinities) else self.affinities.min()
        return bool(least >= 0.0)

    def components(self) -> tuple[int, Integers]:
        """How many components there are, and the one of every row; a component's number follows its first row."""
        if not sparse.issparse(self.affinities) and _reached_from_first(self.affinities):
            return 1, np.zeros(self.rows, dtype=np.intp)
        count, found = connected_components(sparse.csr_array(self.affinities), directed=False)
        _, first, inverse = np.unique(found, return_index=True, return_inverse=True)
        return int(count), np.asarray(np.argsort(np.argsort(first))[inverse], dtype=np.intp)

    def normalized(self) -> Any:
        """The matrix B."""
        scale = 1.0 / np.sqrt(self.degrees)
        if sparse.issparse(self.affinities):
            diagonal = sparse.diags_array(scale)
            return sparse.csr_array(diagonal @ self.affinities @ diagonal + sparse.diags_array(self.isolated * 1.0))
        matrix = self.affinities * scale
        matrix *= scale[:, None]
        matrix[np.diag_indices(self.rows)] = self.isolated
        return matrix

    def cut(self, labels: Integers) -> float:
        """The normalized cut of a division, rounded up."""
        count = int(labels.max()) + 1
        members = sparse.csr_array((np.ones(self.rows), (np.arange(self.rows), labels)), shape=(self.rows, count))
        between = np.asarray((members.T @ (self.affinities @ members.toarray())), dtype=np.float64)
        np.fill_diagonal(between, 0.0)
        volumes = np.bincount(labels, self.degrees, minlength=count)
        used = volumes > 0.0
        epsilon = float(np.finfo(np.float64).eps)
        return float((between.sum(axis=1)[used] / volumes[used]).sum()) * (1.0 + 4.0 * (self.rows + 4) * epsilon)


def _reached_from_first(affinities: Floats) -> bool:
    """Whether a dense graph is connected, seen from its first row; False where that is not plain after one step."""
    return bool((affinities[0, 1:] > 0.0).all())


class Product:
    """Multiplication of a block of vectors by a symmetric matrix, over fixed blocks of its rows."""

    def __init__(self, matrix: Any, threads: int) -> None:
        self.matrix, self._threads = matrix, threads
        self.rows = matrix.shape[0]

    def __call__(self, vectors: Floats) -> Floats:
        if sparse.issparse(self.matrix) or self.rows <= 2 * BLOCK:
            return np.asarray(self.matrix @ vectors)
        found = np.empty_like(vectors)

        def multiply(first: int) -> None:
            found[first : first + BLOCK] = self.matrix[first : first + BLOCK] @ vectors

        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(multiply, range(0, self.rows, BLOCK)))
        return found
