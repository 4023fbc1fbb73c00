"""How clearly rows belong to one cluster rather than to the next.

The simplified silhouette (Hruschka, de Castro and Campello 2004) of a row is 1 - a/b, where a and b are its distances
to the nearest and the second nearest center. The loss a/b lies between 0 (on a center) and 1 (in the middle between
two), so that its mean can be bounded from rows that placed no center.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import TableLike


class Centers(Protocol):
    """A fitted clusterer, or a pipeline that ends in one."""

    def transform(self, X: TableLike) -> ArrayLike:
        """The distance of every row to every center."""
        ...


def distance_ratios(clusterer: Centers, X: TableLike) -> NDArray[np.float64]:
    """a/b of every row; 1 where two centers coincide, or where there is only one."""
    distances = np.sort(np.asarray(clusterer.transform(X), dtype=np.float64), axis=1)
    if distances.shape[1] < 2:
        return np.ones(len(distances))
    nearest, second = distances[:, 0], distances[:, 1]
    return np.minimum(1.0, np.divide(nearest, second, out=np.ones(len(second)), where=second > 0.0))
