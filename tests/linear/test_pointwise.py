"""Losses of rows against the same formulas in extended precision, for scores of every size."""

from __future__ import annotations

import numpy as np
import pytest

from certus.linear._native_calls import smooth_kernels
from certus.losses import Logistic, Multinomial

SIZES = (1e-8, 1e-3, 1.0, 20.0, 300.0, 900.0)


@pytest.mark.parametrize("size", SIZES)
def test_logistic(size: float) -> None:
    rng = np.random.default_rng(0)
    scores, y = size * rng.normal(size=(500, 1)), rng.integers(0, 2, size=(500, 1)).astype(float)
    weights = rng.random(500)
    value, slopes, curvature = smooth_kernels.apply_loss(Logistic(), y, weights, scores.copy(), 1)
    f, s = scores[:, 0].astype(np.longdouble), weights.astype(np.longdouble)
    signed = np.where(y[:, 0] == 1.0, f, -f)  # the margin
    losses = np.maximum(-signed, 0.0) + np.log1p(np.exp(-np.abs(f)))
    assert value == pytest.approx(float(s @ losses), rel=1e-13)
    wrong = np.exp(-np.logaddexp(np.longdouble(0.0), signed))  # probability of the other class
    expected = s * np.where(y[:, 0] == 1.0, -wrong, wrong)
    np.testing.assert_allclose(slopes[:, 0], expected.astype(float), rtol=1e-13, atol=1e-300)
    spread = s * wrong * np.exp(-np.logaddexp(np.longdouble(0.0), -signed))
    np.testing.assert_allclose(curvature[:, 0], spread.astype(float), rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("classes", [3, 26])
def test_multinomial(size: float, classes: int) -> None:
    rng = np.random.default_rng(1)
    scores, y = size * rng.normal(size=(200, classes)), rng.integers(0, classes, size=(200, 1)).astype(float)
    value, slopes, chances = smooth_kernels.apply_loss(Multinomial(), y, None, scores.copy(), 1)
    f, labels = scores.astype(np.longdouble), y[:, 0].astype(int)
    f = f - f.max(axis=1, keepdims=True)
    total = np.exp(f).sum(axis=1)
    expected = np.exp(f) / total[:, None]
    losses = np.log(total) - f[np.arange(200), labels]
    assert value == pytest.approx(float(losses.sum()), rel=1e-13)
    np.testing.assert_allclose(chances, expected.astype(float), rtol=1e-13, atol=1e-300)
    expected[np.arange(200), labels] = -(np.exp(f) * (labels[:, None] != np.arange(classes))).sum(axis=1) / total
    np.testing.assert_allclose(slopes, expected.astype(float), rtol=1e-12, atol=1e-300)
