"""What learners share that find dense regions by searching the neighbors of rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from certus.base import Clusterer
from certus.base.params import Exactly, Function, InstanceOf, Interval, OneOf


class SearchedRows(Clusterer):
    """Clusters by neighbors under any metric.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        The distance; "precomputed" if X holds distances, dense, or a sparse graph of those that count.
    metric_params : dict, default=None
        Its parameters.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbors are found; the result is the same.
    leaf_size : int, default=30
        Most rows in a leaf of a tree.
    n_jobs : int, default=None
        Number of threads.
    """

    _keeps_training_rows = True
    _takes_sparse = True
    _search_constraints: ClassVar[dict[str, Any]] = {
        "metric": [InstanceOf(str), Function()],
        "metric_params": [Exactly(None), InstanceOf(dict)],
        "algorithm": [OneOf("auto", "ball_tree", "kd_tree", "brute")],
        "leaf_size": [Interval(1, None, integer=True)],
        "n_jobs": [Exactly(None), Interval(None, None, integer=True)],
    }

    metric: Any
    metric_params: dict[str, Any] | None
    algorithm: str
    leaf_size: int
    n_jobs: int | None
    labels_: np.ndarray[Any, np.dtype[np.intp]]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed()
        return tags

    def _check_kept(self, rows: Any, distances: Any, count: int) -> None:
        """Raise a ValueError unless rows, None for distances, and core distances that came from a file are `count`."""
        if (rows is None) != self._precomputed() or (rows is not None and rows.shape != (count, self.n_features_in_)):
            raise ValueError("rows_ must be the training rows, unless X holds distances.")
        if distances.shape != (count,) or distances.dtype.kind != "f" or not (distances >= 0).all():
            raise ValueError("core_distances_ must be one distance per training row.")
        if (
            self.labels_.ndim != 1
            or self.labels_.dtype.kind != "i"
            or self.labels_.max(initial=-1) >= len(self.labels_)
        ):
            raise ValueError("labels_ must be numbers of clusters of the training rows.")

    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"
