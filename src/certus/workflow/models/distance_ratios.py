"""How clearly rows belong to one cluster rather than to the next.

The simplified silhouette (Hruschka, de Castro and Campello 2004) of a row is 1 - a/b, where a is the distance to the
center of its own cluster and b that to the nearest other center. The loss a/b lies between 0 (on a center) and 1 (in
the middle between two, or nearer to another center than to its own), so that its mean can be bounded from rows that
placed no center.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import TableLike


class Centers(Protocol):
    """A fitted clusterer, or a pipeline that ends in one."""

    def transform(self, X: TableLike) -> ArrayLike:
        """The distance of every row to every center."""
        ...

    def predict(self, X: TableLike) -> NDArray[Any]:
        """The cluster of every row."""
        ...


def distance_ratios(clusterer: Centers, X: TableLike) -> NDArray[np.float64]:
    """a/b of every row, at most 1; 1 where two centers coincide, or where there is only one."""
    distances = np.array(clusterer.transform(X), dtype=np.float64)
    if distances.shape[1] < 2:
        return np.ones(len(distances))
    place = np.asarray(clusterer.predict(X), dtype=np.intp)[:, None]
    own = np.take_along_axis(distances, place, axis=1)[:, 0]
    np.put_along_axis(distances, place, np.inf, axis=1)
    other = distances.min(axis=1)
    return np.minimum(1.0, np.divide(own, other, out=np.ones(len(other)), where=other > 0.0))
