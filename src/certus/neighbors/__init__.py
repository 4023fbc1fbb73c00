"""Learners that answer from the training rows nearest to a query."""

from certus.neighbors.classifier import KNeighborsClassifier
from certus.neighbors.regressor import KNeighborsRegressor

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor"]
