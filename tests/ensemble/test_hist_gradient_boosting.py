"""Histogram boosting as a learner: losses fall, constraints hold, categories and missing values are used."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.ensemble
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import log_loss

import certus
from certus.base.callbacks import EarlyStopping, History
from certus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor


def regression(rows: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.1 * rng.normal(size=rows)


LOSSES = {
    "squared_error": lambda y, p: np.mean((y - p) ** 2),
    "absolute_error": lambda y, p: np.mean(np.abs(y - p)),
    "quantile": lambda y, p: np.mean((y - p) * (0.8 - (y < p))),
    "poisson": lambda y, p: np.mean(p - y * np.log(p)),
    "gamma": lambda y, p: np.mean(np.log(p) + y / p),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_every_round_lowers_the_training_loss(loss: str) -> None:
    X, y = regression()
    y = np.exp(y / 3) if loss in ("poisson", "gamma") else y
    quantile = 0.8 if loss == "quantile" else None
    model = HistGradientBoostingRegressor(loss, quantile=quantile, max_iter=30).fit(X, y)
    losses = [LOSSES[loss](y, predicted) for predicted in model.staged_predict(X)]
    assert (np.diff(losses) < 1e-12).all()
    perfect = LOSSES[loss](y, y)
    assert losses[-1] - perfect < 0.5 * (LOSSES[loss](y, np.median(y)) - perfect)


@pytest.mark.parametrize("loss", ["squared_error", "poisson", "gamma", "log_loss"])
def test_predictions_equal_the_reference_on_small_tables(loss: str) -> None:
    """scikit-learn's trees round gradients to single precision; otherwise the method is the same."""
    X, y = regression()
    X[::9, 1] = np.nan
    if loss == "log_loss":
        labels = np.digitize(y, [-0.5, 0.5])
        ours = HistGradientBoostingClassifier(max_iter=20).fit(X, labels)
        theirs = sklearn.ensemble.HistGradientBoostingClassifier(max_iter=20).fit(X, labels)
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
        return
    y = np.exp(y / 3) if loss != "squared_error" else y
    ours_r = HistGradientBoostingRegressor(loss, max_iter=20).fit(X, y)
    theirs_r = sklearn.ensemble.HistGradientBoostingRegressor(loss=loss, max_iter=20).fit(X, y)
    assert_allclose(ours_r.predict(X), theirs_r.predict(X), rtol=1e-4, atol=1e-5)


def test_large_tables_on_the_coarse_grid_are_as_accurate() -> None:
    X, y = regression(60_000, seed=3)
    labels = y > 0
    ours = HistGradientBoostingClassifier(max_iter=15, early_stopping=False).fit(X[:40_000], labels[:40_000])
    theirs = sklearn.ensemble.HistGradientBoostingClassifier(max_iter=15, early_stopping=False)
    theirs.fit(X[:40_000], labels[:40_000])
    losses = [log_loss(labels[40_000:], model.predict_proba(X[40_000:])) for model in (ours, theirs)]
    assert losses[0] < losses[1] + 0.002


@pytest.mark.parametrize("sign", [-1, 1])
def test_monotone_columns(sign: int) -> None:
    X, y = regression(600)
    y = y - sign * np.abs(X[:, 0])
    model = HistGradientBoostingRegressor(monotonic_cst=[sign, 0, 0, 0], min_samples_leaf=5).fit(X, y)
    grid = np.linspace(-3, 3, 60)
    for row in X[:40]:
        line = np.repeat(row[None], len(grid), axis=0)
        line[:, 0] = grid
        assert (sign * np.diff(model.predict(line)) >= -1e-12).all()


def test_columns_that_must_not_interact_are_additive() -> None:
    X, y = regression(500)
    model = HistGradientBoostingRegressor(interaction_cst="no_interactions", max_iter=30).fit(X, y)
    base = np.zeros((1, 4))

    def at(*columns: int) -> float:
        row = base.copy()
        row[0, list(columns)] = 1.0
        return float(model.predict(row)[0])

    assert_allclose(at(0, 1) - at(1), at(0) - at(), atol=1e-10)
    free = HistGradientBoostingRegressor(max_iter=30).fit(X, y)
    difference = free.predict([[0, 0, 1, 1.0]]) - free.predict([[0, 0, 1, 0.0]])
    assert abs(difference[0] - (free.predict([[0, 0, 0, 1.0]]) - free.predict(base))[0]) > 0.1


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_categories_from_frames_equal_index_lists(frame: type) -> None:
    rng = np.random.default_rng(0)
    names = np.array(["red", "green", "blue", "black", "white"])
    codes = rng.integers(0, 5, size=500)
    y = np.array([3.0, -1.0, 2.0, 0.0, 5.0])[codes] + 0.01 * rng.normal(size=500)
    number = rng.normal(size=500)
    table = frame({"color": names[codes], "x": number})
    pandas = frame is pd.DataFrame
    table = table.astype({"color": "category"}) if pandas else table.with_columns(pl.col("color").cast(pl.Categorical))
    by_frame = HistGradientBoostingRegressor().fit(table, y)
    assert list(by_frame.is_categorical_) == [True, False]
    assert list(by_frame.categories_[0]) == sorted(names)
    ranks = np.argsort(np.argsort(names))[codes]
    array = np.column_stack([ranks.astype(float), number])
    by_index = HistGradientBoostingRegressor(categorical_features=[0]).fit(array, y)
    assert_allclose(by_frame.predict(table), by_index.predict(array))
    assert np.abs(by_frame.predict(table) - y).max() < 0.1
    first = by_index.trees_
    assert first.categories[0] >= 0  # the first division is by a set of categories


def test_unknown_and_missing_categories_follow_the_missing_side(tmp_path: Path) -> None:
    table = pd.DataFrame({"c": pd.Categorical(["a", "b"] * 60 + [None] * 60), "x": np.arange(180.0)})
    y = np.array([0.0, 1.0] * 60 + [5.0] * 60)
    model = HistGradientBoostingRegressor(max_depth=2).fit(table, y)
    other = pd.DataFrame({"c": pd.Categorical(["z", None, "a"]), "x": [150.0, 150.0, 10.0]})
    predicted = model.predict(other)
    assert predicted[0] == predicted[1]
    assert_allclose(predicted, [5.0, 5.0, 0.0], atol=0.05)
    certus.save(model, tmp_path / "model.certus")
    assert_array_equal(certus.load(tmp_path / "model.certus").predict(other), predicted)


def test_too_many_categories_are_refused_by_name() -> None:
    table = pd.DataFrame({"id": pd.Categorical([f"n{i}" for i in range(300)])})
    with pytest.raises(ValueError, match=r"'id' is expected to have a cardinality <= 255 but actually has .* 300"):
        HistGradientBoostingRegressor().fit(table, np.arange(300.0))


def test_a_million_distinct_categories() -> None:
    codes = np.arange(1_000_000)[:, None]
    with pytest.raises(ValueError, match=r"index 0 is expected to have a cardinality <= 255 .* of 1000000"):
        HistGradientBoostingRegressor(categorical_features=[0]).fit(codes, codes[:, 0])
    options = {"categorical_features": [0], "rare_categories": "group", "max_iter": 2, "early_stopping": False}
    model = HistGradientBoostingRegressor(**options).fit(codes, codes[:, 0])
    assert model.predict([[999_999]]) == model.predict([[-1]])


def test_missing_values_go_where_they_help() -> None:
    X = np.where(np.arange(200) < 100, np.nan, np.arange(200))[:, None]
    y = (np.arange(200) < 100).astype(float)
    model = HistGradientBoostingRegressor(max_iter=60).fit(X, y)
    assert_allclose(model.predict([[np.nan], [150.0]]), [1.0, 0.0], atol=0.01)
    assert np.isinf(model.trees_.threshold[0])


def test_odd_tables() -> None:
    only_missing = np.full((50, 2), np.nan)
    only_missing[:, 1] = np.arange(50)
    model = HistGradientBoostingRegressor(min_samples_leaf=5).fit(only_missing, np.arange(50.0))
    assert np.corrcoef(model.predict(only_missing), np.arange(50))[0, 1] > 0.9
    assert_allclose(HistGradientBoostingRegressor().fit(np.eye(30), np.full(30, 7.5)).predict(np.eye(30)), 7.5)
    assert HistGradientBoostingRegressor().fit([[1.0]], [3.0]).predict([[2.0]]) == 3.0
    infinite = np.array([[-np.inf], [0.0], [np.inf]] * 40)
    model = HistGradientBoostingRegressor(max_iter=80).fit(infinite, np.array([1.0, 2.0, 3.0] * 40))
    assert_allclose(model.predict([[-np.inf], [0.0], [np.inf]]), [1.0, 2.0, 3.0], atol=0.01)


def test_early_stopping_on_own_rows_and_warm_start() -> None:
    X, y = regression(600)
    X_val, y_val = regression(300, seed=5)
    y_val = y_val[::-1].copy()  # nothing to learn for these rows
    model = HistGradientBoostingRegressor(early_stopping=True, n_iter_no_change=3, max_iter=200, random_state=0)
    model.fit(X, y, X_val=X_val, y_val=y_val)
    assert model.n_iter_ < 30
    assert len(model.validation_score_) == model.n_iter_ + 1
    assert_allclose(model.validation_score_[-1], -0.5 * np.mean((y_val - model.predict(X_val)) ** 2))
    assert_allclose(model.train_score_[-1], -0.5 * np.mean((y - model.predict(X)) ** 2))
    warm = HistGradientBoostingRegressor(max_iter=5, warm_start=True, random_state=0).fit(X, y)
    warm.set_params(max_iter=12).fit(X, y)
    cold = HistGradientBoostingRegressor(max_iter=12, random_state=0).fit(X, y)
    assert_allclose(warm.predict(X), cold.predict(X), rtol=1e-10)


@pytest.mark.parametrize("scoring", ["accuracy", None, lambda model, X, y: model.score(X[:50], y[:50])])
def test_scorers(scoring: object) -> None:
    X, y = regression(400)
    labels = np.where(y > 0, "high", "low")
    model = HistGradientBoostingClassifier(
        early_stopping=True, scoring=scoring, max_iter=40, n_iter_no_change=4, random_state=0
    ).fit(X, labels)
    assert 4 < model.n_iter_ < 40
    assert 0.5 < model.validation_score_[-1] <= 1.0


def test_callbacks_see_the_objective_and_stop() -> None:
    X, y = regression()
    history = History()
    model = HistGradientBoostingRegressor(max_iter=50)
    model.set_callbacks(history, EarlyStopping("objective", below=0.2)).fit(X, y)
    assert len(history.rows) == model.n_iter_ < 50
    assert history.rows[-1]["objective"] <= 0.2 < history.rows[-2]["objective"]


def test_depth_wise_growth_fills_levels() -> None:
    X, y = regression(500)
    deep = HistGradientBoostingRegressor(max_iter=1, max_leaf_nodes=8, min_samples_leaf=1).fit(X, y)
    flat = HistGradientBoostingRegressor(max_iter=1, max_leaf_nodes=8, min_samples_leaf=1, growth="depth_wise")
    flat.fit(X, y)
    assert flat.trees_.depth.max() == 3
    assert deep.trees_.depth.max() > 3


def test_column_draws_are_reproducible() -> None:
    X, y = regression()
    fits = [HistGradientBoostingRegressor(max_features=0.5, random_state=seed).fit(X, y) for seed in (0, 0, 1)]
    assert_array_equal(fits[0].predict(X), fits[1].predict(X))
    assert not np.allclose(fits[0].predict(X), fits[2].predict(X))


def test_class_weights_are_row_weights() -> None:
    X, y = regression()
    labels = (y > 1).astype(int)
    by_class = HistGradientBoostingClassifier(class_weight={0: 1, 1: 3}, max_iter=10).fit(X, labels)
    by_row = HistGradientBoostingClassifier(max_iter=10).fit(X, labels, sample_weight=1.0 + 2.0 * labels)
    assert_array_equal(by_class.predict_proba(X), by_row.predict_proba(X))


def test_float32_rows_are_not_copied_to_doubles_and_agree() -> None:
    X, y = regression()
    single = X.astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = HistGradientBoostingRegressor(max_iter=20).fit(single, y)
    assert_array_equal(model.predict(single), model.predict(single.astype(np.float64)))
    assert_array_equal(model.predict(np.asfortranarray(single)), model.predict(single))


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"loss": "quantile"}, "needs the parameter 'quantile'"),
        ({"monotonic_cst": [1, 0]}, "monotonic_cst has shape"),
        ({"monotonic_cst": [2, 0, 0, 0]}, "must be an array-like of -1, 0 or 1"),
        ({"monotonic_cst": {"a": 1}}, "was not fitted on data with feature names"),
        ({"interaction_cst": [[0, 9]]}, r"integer indices in \[0, n_features - 1\] = \[0, 3\]"),
        ({"categorical_features": [7]}, r"must be in \[0, n_features - 1\]"),
        ({"categorical_features": ["a"]}, "data without feature names"),
        ({"loss": "gamma"}, "requires strictly positive y"),
        ({"loss": "poisson"}, "requires non-negative y"),
    ],
)
def test_refusals(changes: dict[str, object], match: str) -> None:
    X, y = regression(60)
    with pytest.raises(ValueError, match=match):
        HistGradientBoostingRegressor(**changes).fit(X, y)  # type: ignore[arg-type]


def test_forged_trees_are_refused() -> None:
    X, y = regression()
    for name, place, value in (("left", 0, 10**6), ("column", 0, -3), ("left", 1, 1), ("starts", -1, 3)):
        model = HistGradientBoostingRegressor(max_iter=3).fit(X, y)
        getattr(model.trees_, name)[place] = value
        with pytest.raises(ValueError, match=r"trees|column"):
            model.trees_._restored()
    model = HistGradientBoostingRegressor(max_iter=3).fit(X, y)
    model.trees_.column[0] = 99
    with pytest.raises(ValueError, match=r"outside 0 \.\. 3"):
        model._restored()


def test_early_stopping_hands_the_weights_to_the_scorer() -> None:
    seen = []

    def scorer(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        seen.append(sample_weight)
        return float(model.score(X, y, sample_weight=sample_weight))

    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    weights = rng.integers(1, 4, size=200).astype(float)
    learner = HistGradientBoostingRegressor(max_iter=2, early_stopping=True, scoring=scorer, random_state=0)
    learner.fit(X, X[:, 0], sample_weight=weights)
    # Before the first round and after each, on training and on held-out rows.
    assert len(seen) == 6
    assert all(given is not None for given in seen)
    np.testing.assert_array_equal(np.sort(np.concatenate(seen[:2])), np.sort(weights))
