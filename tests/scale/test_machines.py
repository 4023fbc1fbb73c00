"""Linear support vector machines in blocks: the optimum of the whole table, and a duality gap from sums over blocks."""

from __future__ import annotations

import numpy as np
import pytest

from certus.linear import LinearSVC
from tests.scale.pieces import classes_table, cut, every_cut


@every_cut
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("options", [{}, {"C": 10.0, "class_weight": "balanced"}, {"fit_intercept": False}], ids=str)
def test_the_optimum(options, classes, cuts):
    X, y = classes_table(classes=classes)
    weights = np.random.default_rng(1).integers(0, 3, size=len(y)).astype(float)
    data = X, np.array(["u", "v", "w"])[y], weights
    local, blocks = LinearSVC(**options).fit(*data), LinearSVC(**options).fit(*cut(data, cuts))
    np.testing.assert_allclose(blocks.coef_, local.coef_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(blocks.intercept_, local.intercept_, rtol=1e-5, atol=1e-7)
    assert blocks.converged_
    assert blocks.gap_ <= 1e-9 * len(y)
    assert blocks.report_.check(data)
    labels = "labels of the exact optimum"
    assert blocks.report_[labels].value >= local.report_[labels].value - 2


def test_early_stops_are_told_and_bounded():
    X, y = classes_table(classes=2)
    with pytest.warns(Warning, match=r"gap|iterations|converge"):
        early = LinearSVC(max_iter=1, C=100.0).fit(*cut((X, y), 3))
    best = LinearSVC(C=100.0).fit(X, y)

    def objective(model):
        margins = np.where(y > 0, 1.0, -1.0) * model.decision_function(X)
        w = np.append(model.coef_, model.intercept_)
        return 0.5 * float(w @ w) + 100.0 * float(np.sum(np.maximum(0.0, 1.0 - margins) ** 2))

    off = objective(early) - objective(best)
    assert 1e-6 < off <= early.gap_
    with pytest.raises(TypeError, match="another loss"):
        LinearSVC(loss="hinge").fit(*cut((X, y), 2))
