"""Finding the nearest rows: metrics, indexes, and the choice between them. The kit of learners that search."""

from certus.geometry._native_calls import Nearest, Within
from certus.geometry.metrics.distance_metric import (
    ALL_METRICS,
    BALL_TREE_METRICS,
    KD_TREE_METRICS,
    NativeMetric,
    has_kernel,
    native_metric,
)
from certus.geometry.metrics.mixed_columns import coded_columns, start_categories
from certus.geometry.search.affinities import GIVEN, Affinities
from certus.geometry.search.build_index import build_index
from certus.geometry.search.neighbor_index import (
    DenseIndex,
    Index,
    PairwiseIndex,
    PrecomputedIndex,
    SparseIndex,
    dense,
)
from certus.geometry.search.precomputed_distances import (
    check_distances,
    check_format,
    rows_are_sorted,
    sorted_by_distance,
)
from certus.geometry.search.search_method import check_method, choose_method, effective_metric

__all__ = [
    "ALL_METRICS",
    "Affinities",
    "BALL_TREE_METRICS",
    "DenseIndex",
    "GIVEN",
    "Index",
    "KD_TREE_METRICS",
    "NativeMetric",
    "Nearest",
    "PairwiseIndex",
    "PrecomputedIndex",
    "SparseIndex",
    "Within",
    "build_index",
    "check_distances",
    "check_format",
    "check_method",
    "choose_method",
    "coded_columns",
    "dense",
    "effective_metric",
    "has_kernel",
    "native_metric",
    "rows_are_sorted",
    "sorted_by_distance",
    "start_categories",
]
