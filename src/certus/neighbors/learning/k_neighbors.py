"""What the classifier and the regressor of k neighbors share: parameters, and who counts how much."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.inputs import TableLike
from certus.neighbors.learning.neighbor_weights import is_uniform, neighbor_weights
from certus.neighbors.learning.target_memory import TargetMemory
from certus.neighbors.search.nearest_rows import NearestRows
from certus.neighbors.search.row_memory import COUNT, SEARCH_CONSTRAINTS, WEIGHTS

K_CONSTRAINTS = {**COUNT, **WEIGHTS, **SEARCH_CONSTRAINTS}

Floats = NDArray[np.float64]


class KNeighbors(NearestRows, TargetMemory):
    """Mixin for learners that answer with the k nearest rows."""

    weights: Any

    def _counted_neighbors(self, X: TableLike | None) -> tuple[NDArray[np.intp], Floats | None]:
        """The neighbors of each query and how much each of them counts (None: all alike)."""
        if self._row_weights is not None:
            distances, neighbors, places = self._filled_places(X)
            if is_uniform(self.weights):
                return neighbors, places
            return neighbors, places * neighbor_weights(self.weights, distances, places > 0)
        if is_uniform(self.weights):
            return np.ascontiguousarray(self.kneighbors(X, return_distance=False)), None
        distances, neighbors = self.kneighbors(X)
        return np.ascontiguousarray(neighbors), neighbor_weights(self.weights, distances)

    def _filled_places(self, X: TableLike | None) -> tuple[Floats, NDArray[np.intp], Floats]:
        """Neighbors until their weights fill k places; the last one fills what is left.

        A row of weight 2 counts as two rows at the same place, one of weight 0 is passed over.
        """
        wanted = self._check_count(None)
        weights = np.asarray(self._row_weights)
        most = self.n_samples_fit_ - (X is None)
        asked = min(most, wanted)
        while True:
            distances, neighbors = self.kneighbors(X, n_neighbors=asked)
            own = weights[neighbors]
            before = np.cumsum(own, axis=1) - own
            short = (before[:, -1] + own[:, -1]) < wanted
            if not short.any() or asked == most:
                break
            asked = min(most, 2 * asked)
        if short.any():
            raise ValueError(
                f"Expected n_neighbors <= the total weight of the rows, but n_neighbors = {wanted} and row "
                f"{int(np.argmax(short))} of X has neighbors of the weight {float(np.sum(own[np.argmax(short)])):g}."
            )
        places = np.clip(wanted - before, 0.0, own)
        used = int(np.max(np.count_nonzero(before < wanted, axis=1)))
        cut = (np.ascontiguousarray(part[:, :used]) for part in (distances, neighbors, places))
        return tuple(cut)  # type: ignore[return-value]
