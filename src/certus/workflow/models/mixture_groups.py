"""A mixture of Gaussians as groups of rows: the component that a row most probably comes from, and its center."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin

from certus.base import register_part
from certus.geometry import pairwise_distances
from certus.mixture import GaussianMixture


@register_part("workflow")
class MixtureGroups(ClusterMixin, BaseEstimator):
    """The components of a mixture as clusters with centers, so that they are judged like those of other clusterers.

    Densities of a mixture and squared distances to centers have no scale in common. What all have is the cluster
    of a row and its mean: distances are those to the means, whatever the shapes of the components.

    Parameters
    ----------
    mixture : GaussianMixture
        Trained in place.
    """

    _state = ("mixture", "n_features_in_")

    def __init__(self, mixture: GaussianMixture) -> None:
        self.mixture = mixture

    def fit(self, X: ArrayLike, y: Any = None) -> MixtureGroups:
        """Train the mixture."""
        self.mixture.fit(X)
        self.n_features_in_ = self.mixture.n_features_in_
        self.report_ = self.mixture.report_
        return self

    @property
    def cluster_centers_(self) -> NDArray[np.float64]:
        """The means of the components."""
        return np.asarray(self.mixture.means_, dtype=np.float64)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable component of every row."""
        return np.asarray(self.mixture.predict(X))

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """The distance of every row to every mean."""
        return np.asarray(pairwise_distances(np.asarray(X, dtype=np.float64), self.cluster_centers_))
