"""The share of rows that are wrong or can be made wrong: counted right, and bounded with the confidence it says."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier as PeerMLPClassifier

from certus.guarantees import error_bound
from certus.guarantees.records import CertificateError
from certus.guarantees.rows import TrainingRowsError
from certus.neural import (
    MLPClassifier,
    TabularMLPClassifier,
    lipschitz_bound,
    robust_error,
    robust_radius,
    vulnerable_rows,
)
from certus.neural.modules import Dense, ReLU, Sequential
from tests.neural.robustness.networks import labels, network, radius_by_regions

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def step() -> Sequential:
    """Label 1 where the number is positive, by ReLU units."""
    net = Sequential(Dense(1, 2), ReLU(), Dense(2, 1))
    net.parameters["0.weights"][:], net.parameters["2.weights"][:] = [[1.0, -1.0]], [[1.0], [-1.0]]
    return net


@pytest.mark.parametrize("norm", ["inf", "1"])
def test_rows_that_count_are_those_within_the_exact_radius(norm: str) -> None:
    net, rng = network((2, 4, 3), seed=2), np.random.default_rng(0)
    X = rng.normal(size=(14, 2))
    y = labels(net, X)
    y[:5] = (y[:5] + 1) % 3
    exact = np.array([radius_by_regions(net, row, norm) for row in X])
    for radius in (0.0, 0.1, 0.4):
        found = vulnerable_rows(net, X, y, radius=radius, norm=norm)
        assert np.array_equal(found, (exact <= radius) | (np.arange(14) < 5))
        for method in ("interval", "linear"):
            assert (vulnerable_rows(net, X, y, radius=radius, norm=norm, method=method) >= found).all()


def test_the_certificate_is_that_of_the_count() -> None:
    net, rng = network((3, 8, 2), "tanh", seed=1), np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = np.where(rng.random(300) < 0.1, 1 - labels(net, X), labels(net, X))
    bound = robust_error(net, X, y, radius=0.05, confidence=0.9)
    rows = vulnerable_rows(net, X, y, radius=0.05)
    assert bound.value == error_bound(int(rows.sum()), 300, confidence=0.9).value
    assert bound.check()
    assert bound.check(rows)
    assert bound.fingerprint is not None
    with pytest.raises(CertificateError):
        bound.check(~rows)
    plain = robust_error(net, X, y, radius=0.0, confidence=0.9)
    assert plain.value < bound.value
    assert plain.witness["events"] == (labels(net, X) != y).sum()


def test_the_bound_holds_as_often_as_it_says() -> None:
    """Uniform rows on [-1, 1] under labels x > 0 with noise: the true share is (1 - noise) radius + noise."""
    rng, net, radius, noise, confidence = np.random.default_rng(2), step(), 0.15, 0.05, 0.8
    true, missed, runs = (1 - noise) * radius + noise, 0, 150
    for _ in range(runs):
        X = rng.uniform(-1, 1, (60, 1))
        y = ((X[:, 0] > 0) != (rng.random(60) < noise)).astype(int)
        missed += robust_error(net, X, y, radius=radius, confidence=confidence).value < true
    assert missed <= runs * (1 - confidence) + 3 * np.sqrt(runs * confidence * (1 - confidence))
    assert missed > 0  # otherwise this test could not fail


@pytest.mark.parametrize(
    ("kind", "activation", "dtype"),
    [
        (PeerMLPClassifier, "relu", np.float64),
        (MLPClassifier, "relu", np.float64),
        (MLPClassifier, "relu", np.float32),
        (MLPClassifier, "tanh", np.float32),
        (MLPClassifier, "logistic", np.float64),
    ],
)
def test_fitted_classifiers(kind, activation: str, dtype) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4)).astype(dtype)
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=300) > 0, "yes", "no")
    model = kind((8,), activation, max_iter=60, learning_rate_init=0.02, random_state=0).fit(X[:200], y[:200])
    small, large = (robust_error(model, X[200:], y[200:], radius=radius) for radius in (0.01, 0.2))
    assert small.witness["events"] < large.witness["events"]
    radii = robust_radius(model, X[200:212])
    rows = vulnerable_rows(model, X[200:212], y[200:212], radius=0.2)
    right = model.predict(X[200:212]) == y[200:212]
    assert np.array_equal(rows, ~right | (radii.lower <= 0.2))
    steps = rng.uniform(-1, 1, (300, 4)) * radii.lower[:1]
    assert len(set(model.predict((X[200] + 0.999 * steps).astype(dtype)))) == 1
    assert (model.predict(radii.adversarial) != model.predict(X[200:212])).all()


def test_rows_of_training_are_refused() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] > 0).astype(int)
    model = MLPClassifier((8,), max_iter=5, random_state=0).fit(X, y)
    with pytest.raises(TrainingRowsError):
        robust_error(model, X, y, radius=0.1)


def test_models_whose_layers_do_not_decide_are_refused() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    y = rng.integers(0, 3, 60)
    options = {"max_iter": 2, "random_state": 0}
    averaged = MLPClassifier((4,), n_init=2, combine="average", **options).fit(X, y)
    several = MLPClassifier((4,), **options).fit(X, np.eye(3, dtype=int)[y])
    shifted = MLPClassifier((4,), **options).fit(X, y)
    other = MLPClassifier((4,), **options).fit(X, (y + 1) % 3)
    shifted.predict = other.predict
    for model in (averaged, several, shifted):
        with pytest.raises(TypeError, match=r"network[\s\S]*Hint:|layers[\s\S]*Hint:"):
            robust_radius(model, X)
    tabular = TabularMLPClassifier((4,), activation="relu", **options).fit(X, y)
    with pytest.raises((TypeError, ValueError), match=r"network[\s\S]*Hint:"):
        robust_radius(tabular, X)
    for model in (averaged, tabular):
        with pytest.raises(ValueError, match=r"one network of the columns[\s\S]*Hint:"):
            lipschitz_bound(model)
    normed = MLPClassifier((4,), batch_norm=True, **options).fit(X, y)
    with pytest.raises(ValueError, match="without batch_norm"):
        robust_radius(normed, X)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"radius": -0.1}, "radius must be at least 0"),
        ({"radius": np.inf}, "radius must be at least 0"),
        ({"radius": True}, "radius must be at least 0"),
        ({"y": [0, 1, 0]}, "one label per row"),
        ({"X": np.zeros((0, 1)), "y": []}, "one label per row"),
        ({"method": "exact", "norm": "2"}, "ReLU units only"),
    ],
)
def test_errors_help(change: dict, message: str) -> None:
    given = {"X": [[1.0], [2.0]], "y": [1, 1], "radius": 0.1, **change}
    with pytest.raises(ValueError, match=message) as caught:
        robust_error(step(), given.pop("X"), given.pop("y"), **given)
    assert "Hint:" in str(caught.value)
    with pytest.raises(ValueError, match="confidence"):
        robust_error(step(), [[1.0]], [1], radius=0.1, confidence=1.5)
