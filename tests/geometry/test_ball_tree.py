"""Balls for any metric: the neighbors of a plain twin, and no wrong answer for what is no metric."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from certus.cluster import DBSCAN
from certus.geometry.metrics.distance_metric import other_distances
from certus.geometry.search import build_index
from certus.geometry.search.ball_tree_index import BallTreeIndex
from certus.neighbors import KNeighborsClassifier, NearestNeighbors


def angle(x: Any, y: Any) -> float:
    return float(np.arccos(np.clip(x @ y / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0)))


def scaled(x: Any, y: Any, factor: float = 1.0) -> float:
    return float(factor * np.abs(x - y).sum())


METRICS: list[tuple[Any, dict[str, Any]]] = [
    ("jaccard", {}),
    ("rogerstanimoto", {}),
    ("russellrao", {}),
    ("mahalanobis", {"V": np.diag([1.0, 4.0, 0.3, 2.0])}),
    (angle, {}),
    (scaled, {"factor": 3.0}),
]


@pytest.mark.parametrize(("metric", "params"), METRICS)
@pytest.mark.parametrize("form", ["plain", "ties", "far"])
def test_neighbors_are_those_of_a_plain_twin(metric: Any, params: dict[str, Any], form: str) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 4)) + 0.2
    rows = {"plain": rows, "ties": np.round(rows), "far": rows + 1e5}[form]
    if isinstance(metric, str) and metric != "mahalanobis":
        rows = (rows > np.median(rows)).astype(float)
    elif form == "ties":
        rows[~rows.any(axis=1)] = 1.0  # an angle needs a direction
    queries = np.concatenate([rows[:6], rows[20:26] + (form == "plain") * 0.1])
    index = build_index(rows, metric, params, algorithm="ball_tree", leaf_size=5)
    assert isinstance(index, BallTreeIndex)
    exact = other_distances(queries, rows, metric, params)
    order = np.argsort(exact, axis=1, kind="stable")
    for k in (1, 7):
        distances, found = index.query(queries, k, None)
        assert_array_equal(found, order[:, :k])
        assert_array_equal(distances, np.take_along_axis(exact, order[:, :k], axis=1))
    for radius in (float(np.quantile(exact, 0.1)), float(np.median(exact)), -1.0, np.inf):
        inside = exact <= radius
        lists = index.within(queries, radius, None)
        assert_array_equal(lists.rows, np.nonzero(inside)[1])
        assert_array_equal(lists.distances, exact[inside])
        assert_array_equal(index.count_within(queries, radius, None), inside.sum(axis=1))
        assert_array_equal(index.have_within(queries, radius, 3, None), inside.sum(axis=1) >= 3)


def test_a_function_is_called_less_often_than_for_all_pairs() -> None:
    calls = 0

    def counted(x: Any, y: Any) -> float:
        nonlocal calls
        calls += 1
        return float(np.abs(x - y).max())

    rows = np.random.default_rng(1).uniform(size=(3000, 2))
    model = NearestNeighbors(n_neighbors=3, metric=counted, algorithm="ball_tree").fit(rows)
    model.kneighbors(rows[:5])
    calls = 0
    found = model.kneighbors(rows[:40], return_distance=False)
    assert calls < 40 * len(rows) / 8
    assert_array_equal(found, NearestNeighbors(n_neighbors=3, metric="chebyshev").fit(rows).kneighbors(rows[:40])[1])


def test_what_is_no_metric_is_refused_when_it_shows() -> None:
    rows = np.random.default_rng(2).normal(size=(300, 2))
    for metric, axiom in (
        (lambda x, y: float(((x - y) ** 2).sum()), "triangle"),
        (lambda x, y: float(abs(x[0] - y[0]) + (x[1] > y[1])), "symmetry"),
        (lambda x, y: float(x[0] - y[0]), "nonnegativity"),
    ):
        with pytest.raises(ValueError, match=rf"(?s)must be a metric.*{axiom}.*algorithm='brute'"):
            NearestNeighbors(metric=metric, algorithm="ball_tree").fit(rows).kneighbors(rows)
        NearestNeighbors(metric=metric, algorithm="brute").fit(rows).kneighbors(rows)

    def metric_of_the_old(x: Any, y: Any) -> float:  # a metric among training rows, not for queries far away
        return float(((x - y) ** 2).sum()) if max(x[0], y[0]) > 50 else float(np.abs(x - y).max())

    model = NearestNeighbors(metric=metric_of_the_old, algorithm="ball_tree", leaf_size=5).fit(rows)
    with pytest.raises(ValueError, match=r"(?s)triangle: the distances of a query"):
        model.kneighbors(rows[:5] + 60.0)


def test_learners_take_it() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(200, 3))
    labels = (rows[:, 0] > 0).astype(int)
    for algorithm in ("ball_tree", "brute"):
        model = KNeighborsClassifier(metric=angle, algorithm=algorithm).fit(rows, labels)
        assert model.score(rows, labels) > 0.8
    found = [DBSCAN(0.2, metric=angle, algorithm=algorithm).fit(rows).labels_ for algorithm in ("ball_tree", "brute")]
    assert_array_equal(*found)
