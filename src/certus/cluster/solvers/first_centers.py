"""First centers of k-means.

* "k-means++" (Arthur and Vassilvitskii 2007) draws a row with probability proportional to its weight times its squared
  distance to the centers so far. Of a few draws per center the best is kept (greedy); "plain-k-means++" has one draw.
* "k-means||" (Bahmani and others 2012) draws many rows at a time, a few times, gives each the weight of the rows around
  it, and lets greedy k-means++ choose among them. It reads the table six times, whatever the number of centers.
* "random": any rows, by weight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from certus.base import Table, TableLike
from certus.cluster.solvers.dense_rows import DenseRows
from certus.cluster.solvers.row_draws import draw_rows

Floats = NDArray[np.float64]
METHODS = ("k-means++", "plain-k-means++", "k-means||", "random")
PASSES, PER_CENTER = 5, 2  # of "k-means||": how often rows are drawn, and how many per center each time


class Rows(Protocol):
    """What k-means asks of a table; see `certus.cluster.solvers.dense_rows.DenseRows`."""

    mean: Floats

    def variance(self) -> float: ...
    def order(self) -> NDArray[np.int64]: ...
    def take(self, rows: NDArray[np.int64]) -> Floats: ...
    def spread(self, order: NDArray[np.int64], uniforms: Floats) -> NDArray[np.int64]: ...
    def improve(self, centers: Floats, most: int, tolerance: float) -> tuple[int, bool]: ...
    def nearest(self, centers: Floats) -> tuple[NDArray[np.int32], Floats]: ...
    def cost(self, centers: Floats) -> float: ...
    def scatter(self) -> tuple[Floats, float]: ...


class Starts:
    """Makes first centers, one set per run.

    Rows are drawn along an order that depends on their values alone: neither the order of the rows nor whether a
    row is repeated or weighted changes a draw.

    Parameters
    ----------
    init : {"k-means++", "plain-k-means++", "k-means||", "random"}, array or callable
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
            return self._rows.take(self.drawn(rng))
        if callable(self._init):
            random_state = np.random.RandomState(int(rng.integers(2**32)))
            made = self._init(self._X, self._clusters, random_state=random_state)
            return checked_centers(made, self._X, self._clusters)
        return checked_centers(self._init, self._X, self._clusters)

    def drawn(self, rng: np.random.Generator, tries: int | None = None) -> NDArray[np.int64]:
        """The rows that a named method draws; `tries` is the number of draws per center of k-means++."""
        if self._order is None:
            self._order = self._rows.order()
        order = self._order
        if self._init == "random":
            chances = self._weights[order] / self._weights.sum()
            return order[rng.choice(len(order), self._clusters, replace=False, p=chances)]
        if self._init == "k-means||":
            return self._in_few_passes(rng, order)
        greedy = 1 if self._init == "plain-k-means++" else 2 + int(np.log(self._clusters))
        return self._rows.spread(order, rng.random((self._clusters, tries or greedy)))

    def _in_few_passes(self, rng: np.random.Generator, order: NDArray[np.int64]) -> NDArray[np.int64]:
        chosen = draw_rows(self._weights, order, rng.random(1))
        _, closest = self._rows.nearest(self._rows.take(chosen))
        for _ in range(PASSES):
            chances = self._weights * closest
            if not chances.any():
                break
            more = draw_rows(chances, order, rng.random(PER_CENTER * self._clusters))
            closest = np.minimum(closest, self._rows.nearest(self._rows.take(more))[1])
            chosen = np.concatenate([chosen, more])
        chosen = np.unique(chosen)
        if len(chosen) < self._clusters:  # fewer different rows than centers: others will do
            others = np.setdiff1d(order, chosen, assume_unique=True)
            chosen = np.concatenate([chosen, others[: self._clusters - len(chosen)]])
        candidates = self._rows.take(chosen)
        weights = np.bincount(self._rows.nearest(candidates)[0], self._weights, minlength=len(chosen))
        counted = (
            np.flatnonzero(weights > 0.0) if np.count_nonzero(weights) >= self._clusters else np.arange(len(chosen))
        )
        some = DenseRows(candidates[counted], np.maximum(weights[counted], 1e-300), threads=1)
        tries = 2 + int(np.log(self._clusters))
        return chosen[counted[some.spread(some.order(), rng.random((self._clusters, tries)))]]


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
