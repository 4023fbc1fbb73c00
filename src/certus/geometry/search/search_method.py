"""How ``algorithm``, ``metric``, ``p`` and ``metric_params`` go together, with scikit-learn's meaning."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import DistanceMetric

from certus.base import warn_user
from certus.geometry.metrics.distance_metric import (
    ALL_METRICS,
    BALL_TREE_METRICS,
    BRUTE_METRICS,
    KD_TREE_METRICS,
    SPARSE_METRICS,
)

_ALLOWED = {"kd_tree": KD_TREE_METRICS, "ball_tree": BALL_TREE_METRICS, "brute": BRUTE_METRICS}


def check_method(metric: Any, algorithm: str, params: dict[str, Any] | None, p: float | None) -> None:
    """Raise if the algorithm does not know the metric; warn if p is given twice."""
    if params is not None and "p" in params and p is not None:
        warn_user(
            "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
            SyntaxWarning,
        )
    if isinstance(metric, DistanceMetric):
        return
    if callable(metric):
        if algorithm == "kd_tree":
            raise ValueError(f"kd_tree does not support callable metric {metric!r}.\nHint: use algorithm='brute'.")
        return
    allowed = _ALLOWED.get(algorithm, ALL_METRICS)
    if metric not in allowed:
        raise ValueError(
            f"Metric '{metric}' not valid for algorithm={algorithm!r}, which allows {sorted(allowed)}.\n"
            "Hint: algorithm='auto' chooses one that allows it."
        )


def effective_metric(metric: Any, params: dict[str, Any] | None, p: float | None) -> tuple[Any, dict[str, Any]]:
    """The metric and its parameters, with the members of the Minkowski family under their own names."""
    params = dict(params or {})
    if not (isinstance(metric, str) and metric == "minkowski"):
        return metric, params
    power, weights = params.pop("p", p), params.pop("w", None)
    power = 2 if power is None else power
    simple = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}.get(power) if weights is None else None
    return (simple, params) if simple is not None else (metric, {**params, "p": power, "w": weights})


def choose_method(algorithm: str, metric: Any, params: dict[str, Any], *, is_sparse: bool) -> str:
    """What the search is called: as asked for, or brute force where nothing else is possible."""
    minkowski = isinstance(metric, str) and metric == "minkowski"
    if is_sparse:
        return _method_for_sparse(algorithm, metric)
    if minkowski and params["p"] < 1:
        return _method_for_semimetric(algorithm)
    if minkowski and params["w"] is not None and algorithm == "kd_tree":
        raise ValueError(
            "algorithm='kd_tree' is not valid for metric='minkowski' with a weight parameter 'w'.\n"
            "Hint: try algorithm='ball_tree' or algorithm='brute' instead."
        )
    return "brute" if isinstance(metric, str) and metric == "precomputed" else algorithm


def _method_for_semimetric(algorithm: str) -> str:
    if algorithm in ("kd_tree", "ball_tree"):
        raise ValueError(
            f'algorithm="{algorithm}" does not support 0 < p < 1 for the Minkowski metric. To resolve this '
            'problem either set p >= 1 or algorithm="brute".'
        )
    warn_user(
        "Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing the execution with "
        "`algorithm='brute'`.",
        UserWarning,
    )
    return "brute"


def _method_for_sparse(algorithm: str, metric: Any) -> str:
    if algorithm not in ("auto", "brute"):
        warn_user(
            "A tree cannot search sparse rows, they are compared by brute force.\nHint: set algorithm='brute'.",
            UserWarning,
        )
    if isinstance(metric, str) and metric not in SPARSE_METRICS:
        raise ValueError(
            f"Metric '{metric}' not valid for sparse input. Allowed are {list(SPARSE_METRICS)}.\n"
            "Hint: make X dense with X.toarray(), or pass a function as metric."
        )
    return "brute"
