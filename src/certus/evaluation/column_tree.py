"""Which columns of numbers tell the same: a tree of mergers by rank correlation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

RANK_DISTANCE = "1 - |rank correlation|"


def merge_columns(columns: ArrayLike) -> NDArray[np.float64]:
    """Mergers of columns in scipy's form, by one minus the size of their rank correlation.

    Groups are as far apart as their members on average; constant columns are far from all others.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.evaluation import merge_columns
    >>> columns = np.array([[1.0, 2.0, 5.0], [2.0, 4.0, 1.0], [3.0, 9.0, 2.0], [4.0, 10.0, 4.0]])
    >>> merge_columns(columns)[0, :2].tolist()
    [0.0, 1.0]
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform
    from scipy.stats import rankdata

    ranks = rankdata(np.asarray(columns, dtype=float), axis=0)
    ranks -= ranks.mean(axis=0)
    norms = np.sqrt(np.sum(ranks**2, axis=0))
    cosines = (ranks.T @ ranks) / np.maximum(np.outer(norms, norms), np.finfo(float).tiny)
    far = np.clip(1.0 - np.abs(cosines), 0.0, 1.0)
    np.fill_diagonal(far, 0.0)
    return np.asarray(linkage(squareform(far, checks=False), "average"))
