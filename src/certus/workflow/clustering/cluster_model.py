"""The model that a study without a target hands over."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import register_part
from certus.workflow.clustering.ratios import distance_ratios
from certus.workflow.model import StudyModel


@register_part("workflow")
class ClusterModel(StudyModel):
    """An encoder and centers: the cluster of every row of a data frame, and how far it is from its center.

    Distances are those of the encoded columns: numbers in units of their standard deviation, categories as 0/1.
    """

    @property
    def gives_probabilities(self) -> bool:
        """Clusters have no probabilities."""
        return False

    def distances(self, X: Any) -> NDArray[np.float64]:
        """The distance of every row to its center."""
        return np.asarray(np.min(self.model_.transform(X), axis=1), dtype=np.float64)

    def ratios(self, X: Any) -> NDArray[np.float64]:
        """Distance to the nearest center over distance to the second nearest."""
        return distance_ratios(self.model_, X)
