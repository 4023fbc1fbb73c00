"""Learners that answer from the training rows nearest to a query."""

from certus.neighbors._graphs import kneighbors_graph, radius_neighbors_graph, sort_graph_by_row_values
from certus.neighbors.k_neighbors_classifier import KNeighborsClassifier
from certus.neighbors.k_neighbors_regressor import KNeighborsRegressor
from certus.neighbors.k_neighbors_transformer import KNeighborsTransformer
from certus.neighbors.local_outlier_factor import LocalOutlierFactor
from certus.neighbors.nearest_centroid import NearestCentroid
from certus.neighbors.nearest_neighbors import NearestNeighbors
from certus.neighbors.neighborhood_components_analysis import NeighborhoodComponentsAnalysis
from certus.neighbors.radius_neighbors_classifier import RadiusNeighborsClassifier
from certus.neighbors.radius_neighbors_regressor import RadiusNeighborsRegressor
from certus.neighbors.radius_neighbors_transformer import RadiusNeighborsTransformer

__all__ = [
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "LocalOutlierFactor",
    "NearestCentroid",
    "NearestNeighbors",
    "NeighborhoodComponentsAnalysis",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
    "kneighbors_graph",
    "radius_neighbors_graph",
    "sort_graph_by_row_values",
]


def __dir__() -> list[str]:
    return __all__
