"""Gower's distance is its definition, for frames, missing cells, weights, and in every learner that searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import certus
from certus.cluster import DBSCAN, KMedoids
from certus.geometry import gower_distances, pairwise_distances
from certus.neighbors import KNeighborsClassifier, KNeighborsRegressor, LocalOutlierFactor, NearestNeighbors
from tests.geometry.twin import nearest

COLORS = ["red", "green", "blue"]


def mixed(rows: int, seed: int, missing: float = 0.2) -> list[list[Any]]:
    rng = np.random.default_rng(seed)
    table = [
        [
            float(rng.integers(0, 9)),
            COLORS[rng.integers(3)],
            bool(rng.integers(2)),
            int(rng.integers(4)),
            4e6 + rng.normal(),
        ]
        for _ in range(rows)
    ]
    for row in table:
        for j in range(4):  # the last column is always there
            if rng.random() < missing:
                row[j] = None
    return table


def frame(table: list[list[Any]]) -> pd.DataFrame:
    data = pd.DataFrame(table, columns=["size", "color", "new", "shop", "place"])
    return data.astype({"size": float, "color": "category", "shop": "Int64"})


def polars_frame(table: list[list[Any]]) -> pl.DataFrame:
    kinds = {"size": pl.Float64, "color": pl.Categorical, "new": pl.Boolean, "shop": pl.Int64, "place": pl.Float64}
    return pl.DataFrame(table, schema=kinds, orient="row")


def twin(queries: list[list[Any]], rows: list[list[Any]], categorical: set[int], weights: Any = None) -> np.ndarray:
    """Cell by cell."""
    weights = [1.0] * len(rows[0]) if weights is None else weights
    ranges = {}
    for j in set(range(len(rows[0]))) - categorical:
        there = [row[j] for row in rows if row[j] is not None]
        ranges[j] = max(there) - min(there)
    found = np.empty((len(queries), len(rows)))
    for a, x in enumerate(queries):
        for b, y in enumerate(rows):
            total = weight = 0.0
            for j, w in enumerate(weights):
                if x[j] is None or y[j] is None:
                    continue
                if j in categorical or ranges[j] == 0:
                    total += w * (x[j] != y[j])
                else:
                    total += w * min(1.0, abs(x[j] - y[j]) / ranges[j])
                weight += w
            found[a, b] = total / weight
    return found


@pytest.mark.parametrize("weights", [None, [0.5, 2.0, 0.0, 1.0, 3.0]])
@pytest.mark.parametrize("form", [list, frame, polars_frame])
def test_distances_are_the_definition(form: Any, weights: Any) -> None:
    rows, queries = mixed(40, 0), mixed(15, 1)
    queries[0][1], queries[1][4] = "violet", 5e6  # a new category, a number far outside
    expected = twin(queries, rows, {1, 2, 3}, weights)
    named = [3] if form is list else ["shop"]
    found = gower_distances(form(queries), form(rows), categorical=named, weights=weights)
    assert_allclose(found, expected, rtol=1e-14)
    among = gower_distances(form(rows), categorical=named, weights=weights)
    assert_allclose(among, twin(rows, rows, {1, 2, 3}, weights), rtol=1e-14)
    assert_array_equal(among, among.T)
    assert (np.diag(among) == 0).all()
    assert among.max() <= 1


def test_an_example_by_hand() -> None:
    found = gower_distances([[22, "M", 10.0], [25, "F", 30.0], [32, "M", None]])
    assert_allclose(found[0], [0, (0.3 + 1 + 1) / 3, (1 + 0) / 2])
    assert_allclose(found[1, 2], (0.7 + 1) / 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_numbers_of_every_type_and_a_far_origin(dtype: Any) -> None:
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 50, (30, 3)).astype(dtype)
    spans = np.ptp(rows.astype(float), axis=0)
    expected = (np.abs(rows[:, None].astype(float) - rows[None].astype(float)) / spans).mean(axis=2)
    assert_allclose(gower_distances(rows), expected, rtol=1e-14)
    far = rows.astype(np.float64) + 2.0**40  # moves no difference by a bit
    assert_array_equal(gower_distances(far), gower_distances(rows))


def test_neighbors_are_those_of_the_definition() -> None:
    rows, queries = mixed(60, 3), mixed(20, 4)
    queries[0][1] = "violet"
    params = {"categorical": ["shop"]}
    search = NearestNeighbors(metric="gower", metric_params=params).fit(frame(rows))
    distances, found = search.kneighbors(frame(queries), 7)
    expected = gower_distances(frame(queries), frame(rows), categorical=["shop"])
    assert_allclose(expected, twin(queries, rows, {1, 2, 3}), rtol=1e-14)
    assert_array_equal(found, nearest(expected, 7)[1])  # ties: the earlier row
    assert_array_equal(distances, nearest(expected, 7)[0])
    inside = search.radius_neighbors(frame(queries), 0.3, return_distance=False)
    for row, near in zip(expected, inside, strict=True):
        assert_array_equal(near, np.flatnonzero(row <= 0.3))


def test_learners_equal_those_on_the_matrix(tmp_path: Any) -> None:
    rows, queries = frame(mixed(60, 5)), frame(mixed(20, 6))
    y = np.arange(60) % 3
    among, between = gower_distances(rows), gower_distances(queries, rows)
    for kind in (KNeighborsClassifier, KNeighborsRegressor):
        model = kind(5, metric="gower").fit(rows, y)
        assert_array_equal(model.predict(queries), kind(5, metric="precomputed").fit(among, y).predict(between))
        certus.save(model, tmp_path / "model.certus")
        assert_array_equal(certus.load(tmp_path / "model.certus").predict(queries), model.predict(queries))
    outliers = LocalOutlierFactor(5, metric="gower").fit(rows)
    given = LocalOutlierFactor(5, metric="precomputed").fit(among)
    assert_array_equal(outliers.negative_outlier_factor_, given.negative_outlier_factor_)
    assert KMedoids(3, metric="precomputed", random_state=0).fit(among).labels_.max() == 2


def test_adding_and_forgetting_move_ranges_and_categories() -> None:
    rows, more, queries = mixed(30, 7), mixed(10, 8), frame(mixed(20, 9))
    more[0][0], more[1][1] = 100.0, "violet"
    y = np.arange(40) % 3
    whole = KNeighborsClassifier(5, metric="gower").fit(frame(rows + more), y)
    grown = KNeighborsClassifier(5, metric="gower").fit(frame(rows), y[:30]).partial_fit(frame(more), y[30:])
    for ours, theirs in zip(grown.kneighbors(queries), whole.kneighbors(queries), strict=True):
        assert_array_equal(ours, theirs)
    first = KNeighborsClassifier(5, metric="gower").fit(frame(rows), y[:30])
    for ours, theirs in zip(grown.forget(range(30, 40)).kneighbors(queries), first.kneighbors(queries), strict=True):
        assert_array_equal(ours, theirs)


def test_a_refused_fit_changes_nothing() -> None:
    rows, queries = mixed(30, 10), frame(mixed(10, 11))
    model = KNeighborsClassifier(3, metric="gower").fit(frame(rows), np.arange(30) % 2)
    before = model.kneighbors(queries)[1]
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(frame(rows[::-1]), np.arange(30) % 2, sample_weight=np.full(30, -1.0))
    assert_array_equal(model.kneighbors(queries)[1], before)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="Row 1 of the queries and row 0 of the known rows"):
        gower_distances([[1.0, "a"], [None, "b"]], [[1.0, None], [2.0, "a"]])
    model = NearestNeighbors(n_neighbors=1, metric="gower").fit([[1.0, None], [2.0, "a"]])
    with pytest.raises(ValueError, match="Row 1 of the queries and row 0 of the known rows"):
        model.kneighbors([[1.0, "a"], [None, "b"]])
    with pytest.raises(ValueError, match="must hold finite numbers"):
        gower_distances([[np.inf], [1.0]])
    with pytest.raises(ValueError, match="finite range"):
        gower_distances([[1.7e308], [-1.7e308]])
    with pytest.raises(ValueError, match="Column 0 of X must hold numbers"):
        gower_distances([["a"]], [[1.0]])
    with pytest.raises(ValueError, match="pass dates as numbers"):
        gower_distances(pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2021-01-01"])}))
    with pytest.raises(ValueError, match="categorical must name columns"):
        gower_distances([[1.0]], categorical=["color"])
    for weights in ([1.0, 2.0], [-1.0], [0.0], [np.nan]):
        with pytest.raises(ValueError, match="weights must"):
            gower_distances([[1.0]], weights=weights)
    with pytest.raises(ValueError, match="same columns"):
        gower_distances([[1.0]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="not valid for algorithm='ball_tree'"):
        NearestNeighbors(metric="gower", algorithm="ball_tree").fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match="must hold only 'categorical'"):
        NearestNeighbors(metric="gower", metric_params={"p": 2}).fit([[1.0], [2.0]])
    with pytest.raises(TypeError, match="Sparse data"):
        NearestNeighbors(metric="gower").fit(sparse.csr_array([[1.0], [2.0]]))
    with pytest.raises(ValueError, match="needs the rows themselves"):
        NearestNeighbors(metric="gower").fit(NearestNeighbors().fit([[1.0], [2.0]]))
    with pytest.raises(ValueError, match="gower_distances"):
        pairwise_distances([[1.0]], metric="gower")
    with pytest.raises(ValueError, match="gower"):
        DBSCAN(metric="gower").fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match="gower_distances"):
        KMedoids(1, metric="gower").fit([[1.0], [2.0]])


def test_constant_columns_and_a_single_row() -> None:
    assert_array_equal(gower_distances([[3.0, "a"]]), [[0.0]])
    assert_array_equal(gower_distances([[3.0], [4.0]], [[3.0], [3.0]]), [[0.0, 0.0], [1.0, 1.0]])
    assert_allclose(gower_distances([[3.0], [5.0]], ranges=[8.0])[0], [0.0, 0.25])
