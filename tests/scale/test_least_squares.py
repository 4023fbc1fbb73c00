"""Least squares and ridge regression in blocks: the model and the gap of the whole table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone

import certus
from certus.linear import LinearRegression, Ridge, RidgeClassifier, RidgeCV
from tests.scale.pieces import classes_table, cut, every_cut, numbers_table

REGRESSORS = [
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    LinearRegression(positive=True),
    Ridge(alpha=3.0),
    Ridge(alpha=3.0, fit_intercept=False),
    Ridge(alpha=3.0, solver="svd"),
    Ridge(alpha=3.0, positive=True),
    RidgeCV(alphas=[0.1, 1.0, 10.0, 100.0]),
]


def objective(model, X, y, weights=None):
    alpha = getattr(model, "alpha_", getattr(model, "alpha", 0.0))
    s = np.ones(len(y)) if weights is None else weights
    return float(s @ (y - model.predict(X)) ** 2 + alpha * np.sum(model.coef_**2))


@every_cut
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("learner", REGRESSORS, ids=str)
def test_regression(learner, weighted, cuts):
    X, y = numbers_table()
    weights = np.random.default_rng(1).integers(0, 3, size=len(y)).astype(float)
    data = (X, y, weights) if weighted else (X, y)
    local, blocks = clone(learner).fit(*data), clone(learner).fit(*cut(data, cuts))
    np.testing.assert_allclose(blocks.coef_, local.coef_, rtol=1e-9, atol=1e-11)
    assert objective(blocks, *data) == pytest.approx(objective(local, *data), rel=1e-10)
    assert objective(blocks, *data) - objective(local, *data) <= blocks.gap_ + 1e-13 * objective(local, *data)
    assert blocks.gap_ <= 1e3 * local.gap_ + 1e-18 * objective(local, *data)
    assert blocks.converged_
    assert blocks.report_.check()
    assert blocks.report_.check((X, y, weights) if weighted else (X, y))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weight", [None, "balanced"])
@every_cut
def test_labels(classes, weight, cuts):
    X, y = classes_table(classes=classes)
    data = X, np.array(["u", "v", "w"])[y]
    local, blocks = (RidgeClassifier(class_weight=weight) for _ in range(2))
    local.fit(*data)
    blocks.fit(*cut(data, cuts))
    np.testing.assert_allclose(blocks.coef_, local.coef_, rtol=1e-10)
    np.testing.assert_allclose(blocks.intercept_, local.intercept_, rtol=1e-10)
    assert blocks.report_["labels of the exact optimum"].value == local.report_["labels of the exact optimum"].value
    assert (blocks.predict(X) == local.predict(X)).all()


def test_far_off_and_nearly_collinear_columns():
    generator = np.random.default_rng(3)
    x = generator.normal(size=300)
    X = np.column_stack([x + 1.7e9, x + 1e-7 * generator.normal(size=300), np.full(300, 4.0)])
    y = x + generator.normal(size=300)
    for learner in (LinearRegression(), Ridge(alpha=1e-6)):
        local, blocks = clone(learner).fit(X, y), clone(learner).fit(*cut((X, y), 7))
        np.testing.assert_allclose(objective(blocks, X, y), objective(local, X, y), rtol=1e-6)
        assert abs(blocks.coef_[2]) < 1e-6


def test_several_targets_and_float32():
    X, y = numbers_table()
    Y = np.column_stack([y, X[:, 0] - y])
    local, blocks = Ridge(alpha=[1.0, 2.0]).fit(X, Y), Ridge(alpha=[1.0, 2.0]).fit(*cut((X, Y), 3))
    np.testing.assert_allclose(blocks.coef_, local.coef_, rtol=1e-10)
    single = Ridge().fit(*cut((X.astype(np.float32), y), 3))
    assert single.coef_.dtype == np.float32


def test_the_bits_depend_on_the_blocks_alone():
    X, y = numbers_table()
    pieces = [(X[k : k + 30], y[k : k + 30]) for k in range(0, 200, 30)]
    first = Ridge().fit(*certus.scale.blocks(pieces).xy())
    second = Ridge().fit(*certus.scale.blocks(iter(pieces)).xy())
    np.testing.assert_array_equal(first.coef_, second.coef_)


def test_what_needs_the_whole_table_is_refused():
    X, y = cut(numbers_table(), 2)
    with pytest.raises(TypeError, match=r"solver='sag'.*\nHint: fit to a sample, certus\.scale\.sample"):
        Ridge(solver="sag").fit(X, y)


def exact_excess(model, X, y, alpha):
    """The objective of a model minus its minimum, in exact fractions."""
    rows, target = [[Fraction(v) for v in row] for row in X.tolist()], [Fraction(v) for v in y.tolist()]
    count, width = len(rows), len(rows[0])
    means, middle = [sum(row[j] for row in rows) / count for j in range(width)], sum(target) / count
    centered = [[v - m for v, m in zip(row, means, strict=True)] for row in rows]
    left = [v - middle for v in target]
    matrix = [
        [sum(row[i] * row[j] for row in centered) + (Fraction(alpha) if i == j else 0) for j in range(width)]
        for i in range(width)
    ]
    right = [sum(row[i] * v for row, v in zip(centered, left, strict=True)) for i in range(width)]
    for i in range(width):  # positive definite: no pivoting is needed
        for j in range(i + 1, width):
            factor = matrix[j][i] / matrix[i][i]
            matrix[j] = [u - factor * v for u, v in zip(matrix[j], matrix[i], strict=True)]
            right[j] -= factor * right[i]
    best = [Fraction(0)] * width
    for i in reversed(range(width)):
        best[i] = (right[i] - sum(matrix[i][k] * best[k] for k in range(i + 1, width))) / matrix[i][i]

    def value(coef, intercept):
        residuals = (
            v - intercept - sum(c * u for c, u in zip(coef, row, strict=True))
            for row, v in zip(rows, target, strict=True)
        )
        return sum(r * r for r in residuals) + Fraction(alpha) * sum(c * c for c in coef)

    ours = value([Fraction(float(c)) for c in model.coef_], Fraction(float(model.intercept_)))
    return float(ours - value(best, middle - sum(c * m for c, m in zip(best, means, strict=True))))


@pytest.mark.parametrize("seed", range(20))
def test_gaps_hold_in_exact_arithmetic(seed):
    """Columns of any size, far off 0 or nearly equal; a mutant that moves the model beyond rounding is caught."""
    generator = np.random.default_rng(seed)
    rows, width = int(generator.integers(20, 40)), int(generator.integers(1, 4))
    X = generator.normal(size=(rows, width)) * 10.0 ** generator.integers(-3, 4, size=width)
    X += 10.0 ** generator.integers(-2, 8, size=width) * (generator.random(width) < 0.6)
    if width > 1 and seed % 3 == 0:
        X[:, -1] = X[:, 0] + 1e-6 * generator.normal(size=rows) * X[:, 0].std()
    y = generator.normal(size=rows) + 1e5 * (seed % 2)
    alpha = 10.0 ** generator.integers(-8, 4)
    model = Ridge(alpha=alpha).fit(*cut((X, y), sorted(generator.integers(0, rows, size=3).tolist())))
    excess = exact_excess(model, X, y, alpha)
    assert 0.0 <= excess <= model.gap_
    model.coef_ = model.coef_ + 10.0 * np.sqrt(model.gap_ / np.sum((X - X.mean(axis=0)) ** 2))
    assert exact_excess(model, X, y, alpha) > model.gap_
