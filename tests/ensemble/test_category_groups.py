"""Categorical columns with more categories than bins: which of them share a bin, and that boosting uses it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import certus
from certus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from certus.ensemble.boosting.category_groups import group_categories


def test_categories_of_few_rows_are_treated_like_missing_values() -> None:
    rng = np.random.default_rng(0)
    codes = np.concatenate([np.repeat(np.arange(255), 20), 255 + np.arange(5000)])  # 255 frequent, 5000 seen once
    y = np.where(codes < 255, codes % 2, 7.0) + 0.01 * rng.standard_normal(len(codes))
    options = {"categorical_features": [0], "rare_categories": "group", "min_samples_leaf": 5, "max_iter": 60}
    options["early_stopping"] = False
    model = HistGradientBoostingRegressor(**options).fit(codes[:, None], y)
    assert_array_equal(model.category_bins_[0], np.where(np.arange(5255) < 255, np.arange(5255), -1))
    assert_allclose(model.predict([[2.0], [3.0], [300.0], [9999.0], [np.nan]]), [0, 1, 7, 7, 7], atol=0.1)
    # rows of weight zero do not make a category frequent
    weights = np.where(codes < 10, 0.0, 1.0)
    bins = model.fit(codes[:, None], y, sample_weight=weights).category_bins_[0]
    assert (bins[:10] == -1).all()
    assert_array_equal(bins[10:255], np.arange(245))


def test_more_categories_than_bins_share_bins_by_their_target() -> None:
    rng = np.random.default_rng(0)
    codes = rng.permutation(np.repeat(np.arange(1000), 20))
    effect = rng.standard_normal(1000)
    y = effect[codes] + 0.1 * rng.standard_normal(len(codes))
    options = {"categorical_features": [0], "rare_categories": "group", "early_stopping": False}
    model = HistGradientBoostingRegressor(**options).fit(codes[:, None], y)
    assert np.mean((model.predict(np.arange(1000)[:, None]) - effect) ** 2) < 0.02
    labels = np.digitize(effect, [-0.6, 0.6])[codes]  # three classes
    several = HistGradientBoostingClassifier(**options, max_iter=20).fit(codes[:, None], labels)
    assert several.score(codes[:, None], labels) > 0.98


def test_held_out_rows_have_no_say_in_who_shares_a_bin(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 40, size=(3000, 1)), rng.standard_normal(3000)
    options = {"categorical_features": [0], "rare_categories": "group", "max_bins": 16, "max_iter": 3}
    with_rows = HistGradientBoostingRegressor(**options, early_stopping=True).fit(
        X, y, X_val=X[:500], y_val=9 * y[:500]
    )
    without = HistGradientBoostingRegressor(**options, early_stopping=False).fit(X, y)
    assert_array_equal(with_rows.category_bins_[0], without.category_bins_[0])
    certus.save(with_rows, tmp_path / "model.certus")
    assert_array_equal(certus.load(tmp_path / "model.certus").predict(X), with_rows.predict(X))


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 60), st.integers(2, 12), st.integers(0, 2**32 - 1), st.booleans())
def test_groups_of_categories(categories: int, bins: int, seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, categories, size=400).astype(float)
    codes[rng.random(400) < 0.1] = np.nan
    y = rng.standard_normal(400)
    weights = rng.integers(0, 4, size=400)
    found = group_categories(codes, y, weights.astype(float) if weighted else None, (categories, bins), 1)
    repeated = np.repeat(np.arange(400), weights) if weighted else np.arange(400)
    assert_array_equal(found, group_categories(codes[repeated], y[repeated], None, (categories, bins), 1))
    counts = np.bincount(codes[repeated][~np.isnan(codes[repeated])].astype(int), minlength=categories)
    assert_array_equal(found >= 0, counts >= 10)
    assert found.max() < bins
    alone = (bins + 1) // 2
    shared = np.flatnonzero(found >= alone)
    if (counts >= 10).sum() > bins:  # the shared bins hold lighter categories, in the order of the smooth means
        assert counts[(found >= 0) & (found < alone)].min() >= counts[shared].max()
        overall = np.nanmean(np.where(np.isnan(codes[repeated]), np.nan, y[repeated]))
        sums = np.array([y[repeated][codes[repeated] == c].sum() for c in shared])
        means = (sums + 10 * overall) / (counts[shared] + 10)
        assert (np.diff(found[shared][np.argsort(means)]) >= 0).all()
