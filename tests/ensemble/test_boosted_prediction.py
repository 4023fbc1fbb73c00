"""Sums of boosted trees: blocks of rows strike out leaves, single rows walk; both end in the same leaves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from certus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor


def rows_with_gaps(rows: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(rows, 6)), 1)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[rng.random(X.shape) < 0.02] = np.inf
    X[rng.random(X.shape) < 0.02] = -np.inf
    return X


@pytest.mark.parametrize("leaves", [2, 31, 64, 65, None])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_and_single_rows_agree(leaves: int | None, dtype: type) -> None:
    X = rows_with_gaps(3000, 0).astype(dtype)
    y = (
        np.where(np.isnan(X[:, 0]), 2.0, np.nan_to_num(np.sin(np.clip(X[:, 1], -5, 5))))
        + np.isnan(X[:, 2]) * X.shape[1]
    )
    model = HistGradientBoostingRegressor(max_leaf_nodes=leaves, max_iter=8, min_samples_leaf=2).fit(X, y)
    sides = model.trees_.missing_left[model.trees_.left >= 0]
    assert len(np.unique(sides)) == 2 or leaves == 2
    fresh = rows_with_gaps(203, 1).astype(dtype)
    singly = np.concatenate([model.predict(row[None]) for row in fresh])
    assert_array_equal(model.predict(fresh), singly)
    assert_array_equal(model.predict(np.asfortranarray(fresh)), singly)
    assert_array_equal(np.concatenate([model.predict(fresh[:70]), model.predict(fresh[70:])]), singly)


@pytest.mark.parametrize("leaves", [2, 31])
def test_mixed_ensembles(leaves: int) -> None:
    """Trees with and without categories, several classes, stages; missing and unknown categories."""
    rng = np.random.default_rng(3)
    X = rows_with_gaps(1500, 2)
    X[:, 0] = rng.integers(0, 9, size=len(X))
    y = (X[:, 0] % 3).astype(int) + 3 * (np.nan_to_num(X[:, 1]) > 0)
    X[::11, 0] = np.nan
    model = HistGradientBoostingClassifier(categorical_features=[0], max_iter=6, max_leaf_nodes=leaves).fit(X, y)
    sets = np.diff(model.trees_.set_starts)
    assert sets.max() > 0
    assert sets.min() == 0 or leaves > 2
    fresh = X[:150].copy()
    fresh[:20, 0], fresh[20:40, 0] = np.nan, 77.0
    singly = np.concatenate([model.decision_function(row[None]) for row in fresh])
    assert_array_equal(model.decision_function(fresh), singly)
    assert_array_equal(list(model.staged_decision_function(fresh))[-1], singly)
