"""What the classifier and the regressor of a radius share: the neighbors of all queries and their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.inputs import TableLike
from certus.geometry.search import Within
from certus.neighbors.learning.neighbor_weights import is_uniform
from certus.neighbors.learning.target_memory import TargetMemory
from certus.neighbors.search.radius_rows import RadiusRows, owners
from certus.neighbors.search.row_memory import RADIUS, SEARCH_CONSTRAINTS, WEIGHTS

RADIUS_CONSTRAINTS = {**RADIUS, **WEIGHTS, **SEARCH_CONSTRAINTS}

Floats = NDArray[np.float64]


class RadiusNeighbors(RadiusRows, TargetMemory):
    """Mixin for learners that answer with the rows within a radius."""

    weights: Any

    def _counted_neighbors(self, X: TableLike | None) -> tuple[Within, NDArray[np.intp], Floats]:
        """The neighbors of all queries, the query each of them belongs to, and how much it counts."""
        found = self._within(X, None)
        queries = owners(found)
        weights = np.ones(len(queries)) if is_uniform(self.weights) else self._distance_weights(found, queries)
        if self._row_weights is not None:
            weights = weights * self._row_weights[found.rows]
        return found, queries, weights

    def _distance_weights(self, found: Within, queries: NDArray[np.intp]) -> Floats:
        if callable(self.weights):
            return _from_function(self.weights, found)
        counted = np.ones(len(queries), bool) if self._row_weights is None else self._row_weights[found.rows] > 0
        exact = np.zeros(len(found.starts) - 1, dtype=bool)
        exact[queries[(found.distances == 0) & counted]] = True
        with np.errstate(divide="ignore"):
            inverse = 1.0 / found.distances
        return np.where(exact[queries], found.distances == 0, np.where(np.isinf(inverse), 0.0, inverse))


def _from_function(function: Any, found: Within) -> Floats:
    """A function of the distances gets them as an array with one array per query."""
    lists = np.empty(len(found.starts) - 1, dtype=object)
    lists[:] = np.split(found.distances, found.starts[1:-1])
    given = [np.asarray(part, dtype=np.float64).ravel() for part in function(lists)]
    weights = np.concatenate([*given, np.empty(0)])
    if len(weights) != len(found.rows):
        raise ValueError(
            "The function given as 'weights' must return one weight per distance, "
            f"{len(found.rows)} in all, got {len(weights)}."
        )
    return weights
