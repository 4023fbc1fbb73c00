"""Every loss: Fenchel-Young, derivative, constants, range."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certus.losses import (
    Absolute,
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Huber,
    Logistic,
    Multinomial,
    Perceptron,
    Poisson,
    Quantile,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
    ZeroOne,
)

REGRESSION = [
    Squared(),
    Absolute(),
    Quantile(0.2),
    Huber(1.35),
    EpsilonInsensitive(0.3),
    SquaredEpsilonInsensitive(0.3),
]
MARGIN = [Logistic(), Hinge(), SquaredHinge(), Perceptron(), Exponential()]
scores = st.floats(-20.0, 20.0)


def _name(loss):
    return loss.name


def _check(loss, y, f, g, u):
    """Fenchel-Young inequality for any u, equality at the derivative; both constants; the range."""
    y, f, g, u = (np.array([number]) for number in (y, f, g, u))
    value, slope = loss.value(y, f)[0], loss.derivative(y, f)[0]
    assert loss.range[0] <= value <= loss.range[1]
    room = 1e-9 * (1.0 + abs(value) + abs(f[0] * slope) + abs(f[0] * u[0]))
    assert value + loss.conjugate(y, u)[0] >= f[0] * u[0] - room
    assert value + loss.conjugate(y, np.array([slope]))[0] == pytest.approx(f[0] * slope, abs=room)
    other, other_slope = loss.value(y, g)[0], loss.derivative(y, g)[0]
    assert other >= value + slope * (g[0] - f[0]) - room - 1e-9 * other  # convex, with this subgradient
    distance = abs(f[0] - g[0])
    if np.isfinite(loss.lipschitz):
        assert abs(value - other) <= loss.lipschitz * distance + room
        assert abs(slope) <= loss.lipschitz
    if np.isfinite(loss.smoothness):
        assert abs(slope - other_slope) <= loss.smoothness * distance + 1e-12


@pytest.mark.parametrize("loss", REGRESSION, ids=_name)
@given(y=scores, f=scores, g=scores, u=st.floats(-3.0, 3.0))
def test_regression_losses(loss, y, f, g, u):
    _check(loss, y, f, g, u)


@pytest.mark.parametrize("loss", MARGIN, ids=_name)
@given(y=st.sampled_from([-1.0, 1.0]), f=scores, g=scores, u=st.floats(-3.0, 3.0))
def test_margin_losses(loss, y, f, g, u):
    _check(loss, y, f, g, u)


@given(y=st.one_of(st.just(0.0), st.floats(0.01, 50.0)), f=st.floats(-10.0, 4.0), g=st.floats(-10.0, 4.0), u=scores)
def test_poisson(y, f, g, u):
    _check(Poisson(), y, f, g, u)


@pytest.mark.parametrize("loss", [*REGRESSION, *MARGIN, Poisson()], ids=_name)
def test_numeric_derivative(loss):
    f = np.linspace(-2.9, 2.9, 1000) + 1e-4  # avoids the kinks
    y = np.ones_like(f)
    step = 1e-6
    numeric = (loss.value(y, f + step) - loss.value(y, f - step)) / (2.0 * step)
    np.testing.assert_allclose(loss.derivative(y, f), numeric, atol=1e-6)


@pytest.mark.parametrize("loss", [*REGRESSION, *MARGIN, Poisson()], ids=_name)
def test_conjugate_is_the_supremum(loss):
    f = np.linspace(-40.0, 40.0, 160_001)
    y = np.full_like(f, 1.0)
    for u in np.linspace(-2.5, 2.5, 41):
        exact = loss.conjugate(np.ones(1), np.array([u]))[0]
        found = np.max(u * f - loss.value(y, f))
        if np.isfinite(exact):
            assert found == pytest.approx(exact, abs=1e-5)
        else:
            half = f[40_000:-40_000]
            assert found > np.max(u * half - loss.value(y[40_000:-40_000], half)) + 0.4  # grows with the range of f


@pytest.mark.parametrize("loss", [Absolute(), Quantile(0.2), Huber(0.7), EpsilonInsensitive(), Hinge(), Perceptron()])
def test_lipschitz_constants_are_attained(loss):
    assert np.abs(loss.derivative([1.0, 1.0], [-50.0, 50.0])).max() == pytest.approx(loss.lipschitz)


@given(data=st.data(), classes=st.integers(2, 5))
def test_multinomial(data, classes):
    vector = st.lists(scores, min_size=classes, max_size=classes)
    f, g = (np.array([data.draw(vector)]) for _ in range(2))
    y = np.array([data.draw(st.integers(0, classes - 1))])
    loss = Multinomial()
    slope, other = loss.derivative(y, f), loss.derivative(y, g)
    room = 1e-9 * (1.0 + np.abs(f).max())
    assert loss.value(y, f)[0] + loss.conjugate(y, slope)[0] == pytest.approx(float(np.vdot(f, slope)), abs=room)
    assert loss.value(y, g)[0] + loss.conjugate(y, slope)[0] >= float(np.vdot(g, slope)) - room
    distance = np.linalg.norm(f - g)
    assert np.linalg.norm(slope) <= loss.lipschitz * (1.0 + 1e-12)
    assert np.linalg.norm(slope - other) <= loss.smoothness * distance + 1e-12
    assert loss.value(y, f)[0] >= 0.0


def test_multinomial_with_two_classes_is_logistic():
    f = np.linspace(-800.0, 800.0, 41)
    pairs = np.column_stack([np.zeros_like(f), f])
    np.testing.assert_allclose(
        Multinomial().value(np.ones(41, dtype=int), pairs), Logistic().value(np.ones(41), f), rtol=1e-14
    )
    np.testing.assert_allclose(
        Multinomial().derivative(np.ones(41, dtype=int), pairs)[:, 1], Logistic().derivative(np.ones(41), f), atol=1e-16
    )


def test_multinomial_conjugate_outside_the_simplex():
    assert np.isinf(Multinomial().conjugate([0], [[0.1, 0.2, -0.3]])[0])  # -0.3 is no probability
    assert np.isinf(Multinomial().conjugate([0], [[-0.5, 0.2, 0.2]])[0])  # does not sum to 1


def test_zero_one_counts_ties_as_errors():
    assert ZeroOne().value([1.0, 1.0, -1.0], [1e-300, 0.0, -2.0]).tolist() == [0.0, 1.0, 0.0]
    assert ZeroOne.range == (0.0, 1.0)


def test_bad_parameters():
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        Quantile(1.0)
    with pytest.raises(ValueError, match="delta > 0"):
        Huber(0.0)
    with pytest.raises(ValueError, match="epsilon >= 0"):
        EpsilonInsensitive(-0.1)
