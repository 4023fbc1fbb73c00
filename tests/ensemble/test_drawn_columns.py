"""Which columns a node draws depends on the seed only, and limits that no tree can reach are refused."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from certus.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier
from certus.trees import DecisionTreeClassifier, DecisionTreeRegressor


def counts(seed: int, rows: int = 150, columns: int = 24) -> tuple[Any, Any]:
    """Many zeros, so that columns are soon constant in nodes; some are from the start."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.3, size=(rows, columns)).astype(float)
    X[:, ::6] = 0.0
    return X, (X[:, 1] + X[:, 2] * X[:, 3] + rng.normal(size=rows) > 0.7).astype(int)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("learner", [ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier])
def test_sparse_tables_grow_the_same_forests(learner: Any, seed: int) -> None:
    X, y = counts(seed)
    options = {"n_estimators": 5, "max_features": 3, "random_state": seed}
    dense = learner(**options).fit(X, y)
    for form in (sparse.csr_array, sparse.csc_array):
        np.testing.assert_array_equal(learner(**options).fit(form(X), y).apply(X), dense.apply(X))


def test_every_column_is_drawn_equally_often() -> None:
    """All columns are copies of one, so that the root's column is the first that is drawn."""
    X = np.repeat(np.arange(20.0)[:, None], 8, axis=1)
    y = np.arange(20) >= 10
    roots = [
        DecisionTreeClassifier(max_features=1, random_state=seed, max_depth=1).fit(X, y).tree_.feature[0]
        for seed in range(1600)
    ]
    tally = np.bincount(roots, minlength=8)
    # 200 expected each; the chi-squared statistic exceeds 29.88 once in 10 000 times.
    assert float(((tally - 200.0) ** 2 / 200.0).sum()) < 29.88


@pytest.mark.parametrize("leaves", [2**62, 2**70])
@pytest.mark.parametrize("learner", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_more_leaves_than_memory_can_hold_are_refused(learner: Any, leaves: int) -> None:
    X, y = counts(0)
    with pytest.raises(MemoryError, match=rf"max_leaf_nodes={leaves} .*\nHint: None means no limit"):
        learner(max_leaf_nodes=leaves).fit(X, y)
