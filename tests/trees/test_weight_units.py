"""Trees do not depend on the unit in which weights are given."""

from __future__ import annotations

import numpy as np
import pytest

from certus.trees import DecisionTreeClassifier, DecisionTreeRegressor
from certus.trees.growing.weight_units import in_units


@pytest.mark.parametrize("factor", [1e-30, 0.1, 3.0, 1e30])
@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize("whole", [True, False])
def test_the_unit_of_weights_does_not_matter(kind, factor, whole):
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(300, 4)), rng.integers(0, 5, 300).astype(float)
    weights = weights if whole else weights * rng.random(300)
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    # Limits that are met exactly by whole weights are the ones that rounding would decide.
    model = kind(min_weight_fraction_leaf=0.05, ccp_alpha=1e-3, random_state=0)
    plain, scaled = model.fit(X, y, weights).tree_, kind(**model.get_params()).fit(X, y, factor * weights).tree_
    np.testing.assert_array_equal(scaled.feature, plain.feature)
    np.testing.assert_array_equal(scaled.threshold, plain.threshold)
    np.testing.assert_allclose(scaled.weighted_n_node_samples, factor * plain.weighted_n_node_samples)


def test_a_leaf_may_hold_exactly_the_least_share():
    X, y = np.arange(10.0)[:, None], np.arange(10) >= 7
    for weight in (1.0, 0.1, 1.0 / 3.0, 1e-20):
        model = DecisionTreeClassifier(min_weight_fraction_leaf=0.3).fit(X, y, np.full(10, weight))
        assert model.tree_.threshold[0] == 6.5


def test_equal_weights_are_none_and_zeros_stay():
    assert in_units(None) == (None, 1.0)
    assert in_units(np.full(4, 0.1)) == (None, 0.1)
    found, unit = in_units(np.array([0.0, 0.2, 0.6]))
    np.testing.assert_array_equal(found, [0.0, 1.0, 3.0])
    assert unit == 0.2
