"""First centers of k-means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from certus.base import Table, TableLike

Floats = NDArray[np.float64]


class Rows(Protocol):
    """What k-means asks of a table; see `certus.cluster.solvers.dense_rows.DenseRows`."""

    mean: Floats

    def variance(self) -> float: ...
    def order(self) -> NDArray[np.int64]: ...
    def take(self, rows: NDArray[np.int64]) -> Floats: ...
    def spread(self, order: NDArray[np.int64], uniforms: Floats) -> NDArray[np.int64]: ...
    def improve(self, centers: Floats, most: int, tolerance: float) -> tuple[int, bool]: ...
    def cost(self, centers: Floats) -> float: ...
    def scatter(self) -> tuple[Floats, float]: ...


class Starts:
    """Makes first centers, one set per run.

    Rows are drawn along an order that depends on their values alone: neither the order of the rows nor whether a
    row is repeated or weighted changes a draw.

    Parameters
    ----------
    init : {"k-means++", "random"}, array or callable
        As the parameter of `KMeans`.
    clusters : int
        How many centers.
    X : array or sparse matrix
        The table, handed to a callable.
    rows : Rows
        The same, with its weights.
    weights : array
        Weights of the rows.
    seed : int
        Decides all draws.
    """

    def __init__(
        self,
        init: TableLike | Callable[..., TableLike],
        clusters: int,
        X: Table,
        rows: Rows,
        weights: Floats,
        seed: int,
    ) -> None:
        self._init, self._clusters, self._X, self._rows, self._weights = init, clusters, X, rows, weights
        self._seed = seed
        self._order: NDArray[np.int64] | None = None

    def centers(self, run: int) -> Floats:
        """Fresh centers for one run."""
        rng = np.random.default_rng([self._seed, run])
        if isinstance(self._init, str):
            if self._order is None:
                self._order = self._rows.order()
            return self._rows.take(self._drawn(rng, self._order))
        if callable(self._init):
            random_state = np.random.RandomState(int(rng.integers(2**32)))
            made = self._init(self._X, self._clusters, random_state=random_state)
            return checked_centers(made, self._X, self._clusters)
        return checked_centers(self._init, self._X, self._clusters)

    def _drawn(self, rng: np.random.Generator, order: NDArray[np.int64]) -> NDArray[np.int64]:
        if self._init == "k-means++":
            tries = 2 + int(np.log(self._clusters))
            return self._rows.spread(order, rng.random((self._clusters, tries)))
        chances = self._weights[order] / self._weights.sum()
        return order[rng.choice(len(order), self._clusters, replace=False, p=chances)]


def checked_centers(given: Any, X: Table, clusters: int) -> Floats:
    """Centers that the user gave, as an array of the right shape."""
    dense = given.toarray() if sparse.issparse(given) else given
    centers = check_array(dense, dtype=np.float64, order="C", copy=True, input_name="init")
    if centers.shape[0] != clusters:
        raise ValueError(
            f"The shape of the initial centers {centers.shape} does not match the number of clusters {clusters}."
        )
    if centers.shape[1] != X.shape[1]:
        raise ValueError(
            f"The shape of the initial centers {centers.shape} does not match the number of features of the data "
            f"{X.shape[1]}."
        )
    return np.asarray(centers)
