"""Every loss: Fenchel-Young, derivative, constants, range."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certus.losses import (
    LOSSES,
    Absolute,
    EpsilonInsensitive,
    Exponential,
    Gamma,
    Hinge,
    Huber,
    Logistic,
    ModifiedHuber,
    Multinomial,
    Perceptron,
    Poisson,
    Quantile,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
    Tweedie,
    TweedieIdentity,
    ZeroOne,
    named_loss,
    tweedie_loss,
)

REGRESSION = [
    Squared(),
    Absolute(),
    Quantile(0.2),
    Huber(1.35),
    EpsilonInsensitive(0.3),
    SquaredEpsilonInsensitive(0.3),
]
MARGIN = [Logistic(), Hinge(), SquaredHinge(), ModifiedHuber(), Perceptron(), Exponential()]
MEAN = [Poisson(), Gamma(), Tweedie(1.2), Tweedie(1.5), Tweedie(1.9)]
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


@pytest.mark.parametrize("loss", [*REGRESSION, *MARGIN, *MEAN], ids=_name)
def test_numeric_derivative(loss):
    f = np.linspace(-2.9, 2.9, 1000) + 1e-4  # avoids the kinks
    y = np.ones_like(f)
    step = 1e-6
    numeric = (loss.value(y, f + step) - loss.value(y, f - step)) / (2.0 * step)
    np.testing.assert_allclose(loss.derivative(y, f), numeric, atol=1e-6)


@pytest.mark.parametrize("loss", [*REGRESSION, *MARGIN, *MEAN], ids=_name)
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


@pytest.mark.parametrize("loss", MEAN[1:], ids=str)
@given(y=st.floats(0.01, 50.0), f=st.floats(-4.0, 4.0), g=st.floats(-4.0, 4.0), u=st.floats(-20.0, 20.0))
def test_losses_of_a_positive_mean(loss, y, f, g, u):
    _check(loss, y, f, g, u)


@pytest.mark.parametrize(
    "loss", [*REGRESSION, *MARGIN, *MEAN, Tweedie(3.0), TweedieIdentity(1.0), Tweedie(0.0)], ids=str
)
def test_curvature_is_the_derivative_of_the_derivative(loss):
    f = np.linspace(0.1, 2.9, 1000) + 1e-4  # avoids the kinks
    y = np.ones_like(f)
    step = 1e-6
    numeric = (loss.derivative(y, f + step) - loss.derivative(y, f - step)) / (2.0 * step)
    np.testing.assert_allclose(loss.curvature(y, f), numeric, atol=1e-6)


def test_poisson_and_gamma_are_tweedie_losses():
    rng = np.random.default_rng(0)
    y, f = rng.gamma(2.0, size=50), rng.normal(size=50)
    for loss, power in ((Poisson(), 1.0), (Gamma(), 2.0)):
        assert tweedie_loss(power) == loss
        for name in ("value", "derivative", "curvature"):
            ours, general = getattr(loss, name)(y, f), getattr(Tweedie(power), name)(y, f)
            np.testing.assert_allclose(ours, general, rtol=1e-12, atol=1e-14)
            inside = loss.derivative(y, f)
        np.testing.assert_allclose(loss.conjugate(y, inside), Tweedie(power).conjugate(y, inside), atol=1e-9)


@pytest.mark.parametrize("power", [-1.0, 0.0, 1.0, 1.5, 2.0, 3.0])
def test_tweedie_losses_are_half_deviances(power):
    from sklearn.metrics import mean_tweedie_deviance

    rng = np.random.default_rng(1)
    y, mean = rng.gamma(2.0, size=50), rng.gamma(2.0, size=50)
    expected = [0.5 * mean_tweedie_deviance([a], [b], power=power) for a, b in zip(y, mean, strict=True)]
    np.testing.assert_allclose(Tweedie(power).value(y, np.log(mean)), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(TweedieIdentity(power).value(y, mean), expected, rtol=1e-9, atol=1e-12)


def test_conjugate_of_poisson_without_a_link():
    f = np.linspace(1e-3, 400.0, 400_000)
    for u in (-3.0, -0.5, 0.0, 0.5, 0.9):
        found = np.max(u * f - TweedieIdentity(1.0).value(np.full_like(f, 2.0), f))
        assert TweedieIdentity(1.0).conjugate([2.0], [u])[0] == pytest.approx(found, abs=1e-6)


@pytest.mark.parametrize("loss", [*REGRESSION, *MARGIN, *MEAN], ids=str)
def test_best_constant_and_null(loss):
    rng = np.random.default_rng(2)
    y = np.where(rng.random(60) < 0.7, 1.0, -1.0) if loss in MARGIN else rng.gamma(2.0, size=60)
    weights = rng.random(60)
    best = float(loss.best_constant(y, weights))
    total = [float(weights @ loss.value(y, np.full(60, best + shift))) for shift in (0.0, -1e-3, 1e-3, -0.3, 0.3)]
    assert total[0] <= min(total) + 1e-12
    assert loss.null(y, weights) == pytest.approx(total[0])


@pytest.mark.parametrize("loss", [Logistic(), Exponential(), ModifiedHuber(), Poisson(), Squared()], ids=_name)
def test_links(loss):
    predictions = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(loss.inverse_link(loss.link(predictions)), predictions)


def test_names():
    assert len({loss.name for loss in LOSSES}) == len(LOSSES)
    assert named_loss("log_loss") == Logistic()
    assert named_loss("huber", 2.0) == Huber(2.0)
    assert named_loss("squared_error", 2.0) == Squared()


def test_targets():
    assert Poisson().targets.first_outside([1.0, -2.0, -1.0]) == 1
    assert Poisson().targets.first_outside([0.0]) is None
    assert Gamma().targets.first_outside([1.0, 0.0]) == 1
    assert Logistic().targets.first_outside([1.0, -1.0, 0.0]) == 2
    assert [str(loss.targets) for loss in (Poisson(), Gamma(), Squared(), Hinge())] == [
        "at least 0",
        "greater than 0",
        "any number",
        "-1 or 1",
    ]


def test_zero_one_counts_ties_as_errors():
    assert ZeroOne().value([1.0, 1.0, -1.0], [1e-300, 0.0, -2.0]).tolist() == [0.0, 1.0, 0.0]
    assert ZeroOne.range == (0.0, 1.0)


def test_bad_parameters():
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        Quantile(1.0)
    with pytest.raises(ValueError, match="delta of the Huber loss must be above 0"):
        Huber(0.0)
    with pytest.raises(ValueError, match="at most 0 or at least 1"):
        Tweedie(0.5)
    with pytest.raises(ValueError, match=r"epsilon .* must be at least 0"):
        EpsilonInsensitive(-0.1)
