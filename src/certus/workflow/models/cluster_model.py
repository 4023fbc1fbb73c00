"""The model that a study without a target hands over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from certus.base import TableLike, register_part
from certus.workflow.models.distance_ratios import distance_ratios
from certus.workflow.models.study_model import StudyModel


@register_part("workflow")
class ClusterModel(StudyModel):
    """An encoder and centers: the cluster of every row of a data frame, and how far it is from its center.

    Distances are those of the encoded columns: numbers in units of their standard deviation, categories as 0/1.
    """

    model_: Pipeline

    def distances(self, X: TableLike) -> NDArray[np.float64]:
        """The distance of every row to its center."""
        every = np.asarray(self.model_.transform(X), dtype=np.float64)
        # Of clusters that divide each other in turn, a row's own center need not be the nearest.
        return np.take_along_axis(every, np.asarray(self.model_.predict(X))[:, None], axis=1)[:, 0]

    def ratios(self, X: TableLike) -> NDArray[np.float64]:
        """Distance to the own center over distance to the nearest other one, at most 1."""
        return distance_ratios(self.model_, X)
