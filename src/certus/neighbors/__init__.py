"""Learners that answer from the training rows nearest to a query."""

from certus.neighbors._graphs import kneighbors_graph, radius_neighbors_graph, sort_graph_by_row_values
from certus.neighbors.adaptive_neighbors_classifier import AdaptiveNeighborsClassifier, Decision
from certus.neighbors.cover_hart import bayes_error_interval
from certus.neighbors.graph_recall import recall_bound
from certus.neighbors.k_neighbors_classifier import KNeighborsClassifier
from certus.neighbors.k_neighbors_classifier_cv import KNeighborsClassifierCV
from certus.neighbors.k_neighbors_regressor import KNeighborsRegressor
from certus.neighbors.k_neighbors_regressor_cv import KNeighborsRegressorCV
from certus.neighbors.k_neighbors_transformer import KNeighborsTransformer
from certus.neighbors.kernel_density import KernelDensity
from certus.neighbors.local_outlier_factor import LocalOutlierFactor
from certus.neighbors.nearest_centroid import NearestCentroid
from certus.neighbors.nearest_neighbors import NearestNeighbors
from certus.neighbors.neighborhood_components_analysis import NeighborhoodComponentsAnalysis
from certus.neighbors.prototypes import Condensed, condense, edit
from certus.neighbors.radius_neighbors_classifier import RadiusNeighborsClassifier
from certus.neighbors.radius_neighbors_regressor import RadiusNeighborsRegressor
from certus.neighbors.radius_neighbors_transformer import RadiusNeighborsTransformer
from certus.neighbors.ties import tied_votes

__all__ = [
    "tied_votes",
    "recall_bound",
    "edit",
    "condense",
    "bayes_error_interval",
    "KNeighborsRegressorCV",
    "KNeighborsClassifierCV",
    "Decision",
    "Condensed",
    "AdaptiveNeighborsClassifier",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "KernelDensity",
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
