"""The base of embeddings that look at distances alone: rows with any metric, or the distances themselves."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.metrics import DistanceMetric
from sklearn.utils import Tags
from sklearn.utils.validation import check_symmetric

from certus.base import Transformer
from certus.base.inputs import TableLike, TargetLike, check_X
from certus.base.params import Exactly, Function, InstanceOf, Interval, OneOf
from certus.base.persistence import check_shapes
from certus.components.learning.component_learner import LARGEST
from certus.geometry import pairwise_distances
from certus.geometry.search import ALL_METRICS

Floats = NDArray[np.float64]


class DistanceTable(ClassNamePrefixFeaturesOutMixin, Transformer):
    """What such embeddings share.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates.
    metric : str, callable or DistanceMetric, default="euclidean"
        The distance; ``"precomputed"``: X holds distances.
    metric_params : dict, default=None
        Further arguments of the metric.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the training rows.
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples)
        Their distances.
    """

    _constraints: ClassVar[Any] = {
        "n_components": [Interval(1, None, integer=True)],
        "metric": [
            OneOf(*(name for name in ALL_METRICS if name not in ("gower", "nan_euclidean"))),
            Function(),
            InstanceOf(DistanceMetric),
        ],
        "metric_params": [InstanceOf(dict), Exactly(None)],
    }
    _state: ClassVar[tuple[str, ...]] = ("embedding_", "dissimilarity_matrix_", "_rows")
    _keeps_training_rows: ClassVar[bool] = True

    n_components: int
    metric: Any
    metric_params: dict[str, Any] | None
    embedding_: Floats
    dissimilarity_matrix_: Floats
    n_features_in_: int
    _rows: Floats | None

    @property
    def _given(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._given
        return tags

    def _read_distances(self, X: TableLike) -> Floats:
        """Check the training rows, and set their distances."""
        rows = check_X(self, X, reset=True, order="C", dtype=np.float64, largest=LARGEST, copy=True, min_rows=2)
        if self._given:
            self._rows = None
            self.dissimilarity_matrix_ = np.asarray(check_symmetric(rows, raise_exception=True))
            if not (self.dissimilarity_matrix_ >= 0.0).all():
                row, column = np.argwhere(self.dissimilarity_matrix_ < 0.0)[0]
                raise ValueError(
                    f"X must hold distances of at least 0, got {rows[row, column]:g} in row {row}, column {column}.\n"
                    "Hint: turn similarities into distances first, for example sqrt(k_ii + k_jj - 2 k_ij)."
                )
        else:
            self._rows = rows
            self.dissimilarity_matrix_ = pairwise_distances(rows, metric=self.metric, metric_params=self.metric_params)
        return self.dissimilarity_matrix_

    def _distances_to(self, rows: Floats) -> Floats:
        """Distances of new rows (first axis) to the training rows."""
        if self._rows is None:
            return rows
        return pairwise_distances(rows, self._rows, metric=self.metric, metric_params=self.metric_params)

    def _in_blocks(self, X: TableLike, place: Any) -> Floats:
        """Places of new rows, so many at a time that their distances fit into memory."""
        rows = check_X(self, X, order="C", dtype=np.float64, largest=LARGEST)
        step = max(1, 2**21 // len(self.embedding_))
        blocks = (place(self._distances_to(rows[first : first + step])) for first in range(0, len(rows), step))
        return np.concatenate(list(blocks))

    def fit_transform(self, X: TableLike, y: TargetLike | None = None) -> Floats:
        """Find the coordinates of the rows.

        Parameters
        ----------
        y : ignored
            There for compatibility.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self.fit(X).embedding_

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    def _restored(self) -> None:
        if "embedding_" not in vars(self):
            return
        count = len(self.embedding_)
        check_shapes(self, embedding_=(count, None), dissimilarity_matrix_=(count, count))
        if self._rows is None:
            if self.n_features_in_ != count:
                raise ValueError("embedding_ does not belong to the distances.")
        else:
            check_shapes(self, _rows=(count, self.n_features_in_))
        for name in ("embedding_", "dissimilarity_matrix_", "_rows"):
            part = getattr(self, name)
            if part is not None and not (np.abs(part) <= LARGEST).all():
                raise ValueError(f"{name} must hold finite numbers.")
