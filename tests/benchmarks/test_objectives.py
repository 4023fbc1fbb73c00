"""The gaps by which competitors are judged, checked against direct minimization."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize

from benchmarks.problems import data, objectives


def test_quadratic_gap_equals_the_difference_of_objectives():
    alpha = 2.0
    table = data.regression(n=60, d=4, alpha=alpha)
    X, y = table["X"], table["y"]

    def value(parameters):
        residual = y - X @ parameters[:-1] - parameters[-1]
        return 0.5 * residual @ residual + 0.5 * alpha * parameters[:-1] @ parameters[:-1]

    wide = np.column_stack([X, np.ones(60)])
    best = np.linalg.solve(wide.T @ wide + np.diag([alpha] * 4 + [0.0]), wide.T @ y)
    off = best + 0.1 * np.arange(1, 6)
    model = SimpleNamespace(coef_=off[:-1], intercept_=off[-1])
    wanted = (value(off) - value(best)) / value(off)
    assert objectives.quadratic_gap(model, table, alpha) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("classes", [2, 4])
def test_logistic_optimum_is_the_least_value(classes):
    C = 0.7
    table = data.linear_classes(n=80, d=3, classes=classes, C=C)
    free = 1 if classes == 2 else classes

    def gap(flat):
        parameters = flat.reshape(free, 4)
        model = SimpleNamespace(coef_=parameters[:, :-1], intercept_=parameters[:, -1])
        return objectives.logistic_gap(model, table, C)

    assert gap(np.zeros(free * 4)) == pytest.approx(1 - table["optimum"] / table["value_at_zero"])
    found = optimize.minimize(gap, np.zeros(free * 4), method="BFGS", options={"gtol": 1e-9})
    assert abs(found.fun) < 1e-10


def test_data_are_reproducible():
    first, second = (data.clusters(n=30, d=2, classes=3, queries=5) for _ in range(2))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert first["X"].shape == (30, 2)
    assert first["X_test"].shape == (5, 2)
