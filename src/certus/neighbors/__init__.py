"""Learners that answer from the training rows nearest to a query."""

from certus.neighbors.k_neighbors_classifier import KNeighborsClassifier
from certus.neighbors.k_neighbors_regressor import KNeighborsRegressor

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor"]


def __dir__() -> list[str]:
    return __all__
