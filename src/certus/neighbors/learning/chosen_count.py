"""Choosing k by leave-one-out: one search finds the neighbors for every k."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.neighbors.learning.k_neighbors import KNeighbors

Floats = NDArray[np.float64]


class ChosenCount(KNeighbors):
    """Mixin that fits ``n_neighbors_`` among candidates.

    Attributes
    ----------
    n_neighbors_ : int
        The candidate with the least error, the first of equals.
    loo_errors_ : ndarray
        Error of every candidate when each row is predicted from the others; NaN where there are too few rows.
    """

    n_neighbors: Any
    n_neighbors_: int
    loo_errors_: Floats

    def _candidates(self) -> list[int]:
        given = self.n_neighbors if isinstance(self.n_neighbors, Iterable) else [self.n_neighbors]
        counts = [int(k) for k in given]
        if not counts or min(counts) < 1:
            raise ValueError(f"n_neighbors must hold numbers >= 1, got {self.n_neighbors!r}.")
        return counts

    def _usual_count(self) -> int:
        return int(getattr(self, "n_neighbors_", 0) or max(self._candidates()))

    def _check_count(self, n_neighbors: Any) -> int:
        return super()._check_count(self.n_neighbors_ if n_neighbors is None else n_neighbors)

    def _choose(self, error: Callable[[NDArray[np.intp], Floats], float]) -> None:
        """Set what is learned; ``error`` judges neighbors and their distances, the nearest of them first."""
        candidates = self._candidates()
        self.loo_errors_ = np.full(len(candidates), np.nan)
        most = max((k for k in candidates if k < self.n_samples_fit_), default=0)
        if most:
            distances, neighbors = self.kneighbors(None, n_neighbors=most)
            for place, k in enumerate(candidates):
                if k <= most:
                    self.loo_errors_[place] = error(np.ascontiguousarray(neighbors[:, :k]), distances[:, :k])
            self.n_neighbors_ = candidates[int(np.nanargmin(self.loo_errors_))]
        else:
            self.n_neighbors_ = min(candidates)
