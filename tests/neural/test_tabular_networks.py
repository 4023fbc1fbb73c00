"""Networks for tables: what happens to columns, members, data frames and missing values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_diabetes, make_friedman2
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor as ForeignRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from certus import load, save
from certus.neural import TabularMLPClassifier, TabularMLPRegressor
from certus.neural.learning.member_scores import combined_scores
from certus.neural.learning.number_embedding import NumberEmbedding

SMALL: dict[str, Any] = {"hidden_layer_sizes": (24,), "max_iter": 40, "learning_rate_init": 0.01, "random_state": 0}


def mixed(rows: int = 300, seed: int = 0) -> tuple[pl.DataFrame, np.ndarray]:
    """A table with a skewed column, holes, categories, dates and truth values, and labels that need them."""
    rng = np.random.default_rng(seed)
    size, kind = rng.lognormal(0, 3, rows), rng.choice(["a", "b", "c"], rows)
    holes = rng.random(rows) < 0.3
    table = pl.DataFrame(
        {
            "size": size,
            "holes": np.where(holes, None, rng.normal(size=rows)).tolist(),
            "kind": kind,
            "open": rng.random(rows) < 0.5,
            "day": pl.Series(np.datetime64("2024-01-01") + rng.integers(0, 300, rows)),
        }
    )
    return table, np.where(holes, "lost", np.where((size > 1) ^ (kind == "a"), "yes", "no"))


def test_numbers_are_scaled_robustly_and_stay_within_three() -> None:
    rng = np.random.default_rng(0)
    column = np.concatenate([rng.normal(5.0, 2.0, 1000), [1e300, -1e300, np.nan]])[:, None]
    plain = NumberEmbedding(None, 4).fit(column).transform(column)
    assert np.isfinite(plain).all()
    assert np.abs(plain[:, 0]).max() <= 3.0
    np.testing.assert_array_equal(plain[-1], [0.0, 1.0])  # missing: the middle, and a mark
    known = column[~np.isnan(column)]
    low, middle, high = np.quantile(known, (0.25, 0.5, 0.75))
    z = (known[:1000] - middle) / (high - low)
    np.testing.assert_allclose(plain[:1000, 0], z / np.sqrt(1 + (z / 3) ** 2))
    pieces = NumberEmbedding("piecewise", 4).fit(column).transform(column)
    assert pieces.shape[1] == 2 + 4
    order = np.argsort(known)
    assert (np.diff(pieces[order, 2:], axis=0) >= 0).all()  # every piece rises from 0 to 1
    assert pieces[order[0], 2:].sum() == 0.0
    assert pieces[order[-1], 2:].sum() == 4.0
    waves = NumberEmbedding("periodic", 4).fit(column).transform(column)
    assert waves.shape[1] == 2 + 12
    assert (waves[-1, 2:] == 0.0).all()


def test_data_frames_of_any_kind_are_read_by_their_types(tmp_path: Any) -> None:
    table, y = mixed()
    model = TabularMLPClassifier(**SMALL).fit(table, y)
    assert model.score(table, y) > 0.9
    assert model.classes_.tolist() == ["lost", "no", "yes"]
    other = table.to_pandas()
    np.testing.assert_array_equal(model.predict(other), model.predict(table))
    save(model, tmp_path / "model.certus")
    np.testing.assert_array_equal(load(tmp_path / "model.certus").predict_proba(table), model.predict_proba(table))
    unseen = table.with_columns(kind=pl.lit("never seen"), holes=pl.lit(None, dtype=pl.Float64))
    assert (model.predict(unseen) == "lost").mean() > 0.9
    numbers = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["u", "v"])
    assert TabularMLPRegressor(**SMALL).fit(numbers, numbers["u"]).score(numbers, numbers["u"]) > 0.9


def test_a_column_that_is_missing_or_of_another_type_is_refused() -> None:
    table, y = mixed(100)
    model = TabularMLPClassifier(**(SMALL | {"max_iter": 2})).fit(table, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table.drop("kind"))
    with pytest.raises(ValueError, match="column 'size', row 1: 'big' is not a number"):
        model.predict(table.with_columns(size=pl.lit("big")))


def test_predictions_are_the_means_of_the_members() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = TabularMLPRegressor(members=3, **SMALL).fit(X[:300], y[:300])
    engine, inputs = model._engine(), model._table(X)
    members = np.stack([engine.forward(inputs, member=m) for m in range(3)])
    assert np.ptp(members, axis=0).min() > 0.0
    mean, spread, least, largest = model.target_range_
    np.testing.assert_allclose(
        model.predict(X), np.clip(members.mean(axis=0) * spread + mean, least, largest)[:, 0], rtol=1e-12
    )
    labels = TabularMLPClassifier(members=2, **SMALL).fit(X, y > 140)
    engine, inputs = labels._engine(), labels._table(X)
    each = [1 / (1 + np.exp(-engine.forward(inputs, member=m))) for m in range(2)]
    np.testing.assert_allclose(labels.predict_proba(X)[:, 1:], np.mean(each, axis=0), rtol=1e-9)
    scores = combined_scores(engine, inputs, "logistic")
    np.testing.assert_allclose(1 / (1 + np.exp(-scores)), np.mean(each, axis=0), rtol=1e-9)


def test_targets_need_no_scale_and_predictions_stay_in_their_range() -> None:
    X, y = make_friedman2(400, noise=10.0, random_state=0)
    ours = TabularMLPRegressor(**SMALL).fit(X[:300], 1e6 + 1e3 * y[:300])
    with pytest.warns(ConvergenceWarning):
        theirs = make_pipeline(StandardScaler(), ForeignRegressor(random_state=0)).fit(X[:300], y[:300])
    assert ours.score(X[300:], 1e6 + 1e3 * y[300:]) > max(0.9, theirs.score(X[300:], y[300:]))
    far = ours.predict(X * 1e6)
    assert far.min() >= (1e6 + 1e3 * y[:300]).min() - 1e-6
    assert far.max() <= (1e6 + 1e3 * y[:300]).max() + 1e-6


def test_the_best_epoch_is_kept() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = TabularMLPRegressor(**(SMALL | {"dropout": 0.0})).fit(X[:200], y[:200], X_val=X[200:300], y_val=y[200:300])
    assert model.validation_scores_ is not None
    assert len(model.validation_scores_) == 40 == model.n_iter_
    assert model.best_iter_ == int(np.argmax(model.validation_scores_)) + 1
    mean, spread = model.target_range_[:2]
    found = -np.mean((model._raw_scores(model._table(X[200:300]))[:, 0] - (y[200:300] - mean) / spread) ** 2)
    assert found == pytest.approx(model.best_validation_score_, rel=1e-5)


def test_equal_bits_for_any_number_of_threads() -> None:
    table, y = mixed(400)
    found = [
        TabularMLPClassifier(**(SMALL | {"max_iter": 4, "n_jobs": jobs, "hidden_layer_sizes": (128, 64)})).fit(table, y)
        for jobs in (1, 2, 8)
    ]
    for other in found[1:]:
        np.testing.assert_array_equal(other.predict_proba(table), found[0].predict_proba(table))


def test_rows_of_weight_zero_teach_nothing() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = 2.0 * X[:, 0]
    far = np.where(np.arange(120) < 60, y, 1e6)
    weights = np.where(np.arange(120) < 60, 1.0, 0.0)
    half = TabularMLPRegressor(max_iter=5, random_state=0).fit(X, far, weights)
    assert np.abs(half.predict(X)).max() <= np.abs(y[:60]).max() * (1.0 + 1e-6)
