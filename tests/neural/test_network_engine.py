"""The compiled network: gradients, step sizes, optimizers, equal bits for any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from certus.base import blas_on_one_thread
from certus.neural import _native_calls as kernels
from certus.neural.engine import NetworkEngine, StepRule

LOSSES: list[tuple[str, float, tuple[float, ...]]] = [
    ("multinomial", 0.0, ()),
    ("logistic", 0.0, ()),
    ("squared", 0.0, ()),
    ("poisson", 0.0, ()),
    ("huber", 0.7, ()),
    ("quantile", 0.3, ()),
    ("quantile", 0.5, (0.1, 0.5, 0.9)),
]


def targets(loss: str, rows: int, outputs: int, rng: np.random.Generator) -> dict[str, Any]:
    if loss == "multinomial":
        return {"classes": rng.integers(0, outputs, rows).astype(np.int32)}
    if loss == "poisson":
        return {"values": rng.poisson(2.0, (rows, outputs)).astype(float)}
    return {"values": rng.random((rows, outputs)).round() if loss == "logistic" else rng.normal(size=(rows, outputs))}


def central_differences(engine: NetworkEngine, X: Any, given: dict[str, Any], step: float = 1e-6) -> np.ndarray:
    found = np.empty_like(engine.parameters)
    for place, value in enumerate(engine.parameters.tolist()):
        engine.parameters[place] = value + step
        above = engine.gradient(X, **given)[0]
        engine.parameters[place] = value - step
        below = engine.gradient(X, **given)[0]
        engine.parameters[place] = value
        found[place] = (above - below) / (2.0 * step)
    return found


@pytest.mark.parametrize("batch_norm", [False, True])
@pytest.mark.parametrize(("loss", "parameter", "quantiles"), LOSSES)
def test_gradients_equal_central_differences(
    loss: str, parameter: float, quantiles: tuple[float, ...], batch_norm: bool
) -> None:
    rng = np.random.default_rng(0)
    for activation in kernels.ACTIVATIONS:
        engine = NetworkEngine(
            (5, 7, 6, 3),
            (activation, activation),
            loss=(loss, parameter),
            quantiles=quantiles,
            batch_norm=batch_norm,
            heads=True,
            auxiliary=0.3,
            smoothing=0.1 if loss in ("multinomial", "logistic") else 0.0,
        )
        engine.initialize(np.random.RandomState(1))
        given = targets(loss, 13, 1 if quantiles else 3, rng) | {"weights": rng.random(13)}
        X = rng.normal(size=(13, 5))
        gradient = engine.gradient(X, **given)[1]
        error = np.abs(gradient - central_differences(engine, X, given)).max() / np.abs(gradient).max()
        assert error < 1e-7, activation


def test_the_gradient_with_dropout_is_that_of_the_thinned_network() -> None:
    rng = np.random.default_rng(0)
    engine = NetworkEngine((4, 30, 20, 1), ("tanh", "mish"), dropout=0.4, seed=3)
    engine.initialize(np.random.RandomState(1))
    X, given = rng.normal(size=(9, 4)), {"values": rng.normal(size=(9, 1))}
    gradient = engine.gradient(X, **given)[1]
    np.testing.assert_allclose(gradient, central_differences(engine, X, given), atol=1e-7)
    assert 0.2 < (gradient[: 4 * 30] == 0.0).mean() < 0.7 or (gradient == 0.0).any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_bits_for_any_number_of_threads(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 40)).astype(dtype), rng.integers(0, 5, 3000).astype(np.int32)
    ends = []
    for threads in (1, 2, 8):
        engine = NetworkEngine(
            (40, 300, 250, 5), ("relu", "gelu"), loss=("multinomial", 0.0), dtype=dtype, dropout=0.2, threads=threads
        )
        engine.initialize(np.random.RandomState(0))
        table, wanted = kernels.network_table(X), kernels.network_targets(dtype, classes=y)
        order = np.arange(3000)
        with blas_on_one_thread():
            engine.epoch(table, wanted, StepRule(clip_norm=1.0), order=order, shuffle=True, batch=700, number=0)
            ends.append((engine.parameters.copy(), engine.forward(X)))
    for parameters, scores in ends[1:]:
        np.testing.assert_array_equal(parameters, ends[0][0])
        np.testing.assert_array_equal(scores, ends[0][1])


def test_tables_in_any_form_give_the_same() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 12)) * (rng.random((300, 12)) < 0.3)
    y = rng.normal(size=(300, 1))
    engine = NetworkEngine((12, 9, 1), ("relu",))
    engine.initialize(np.random.RandomState(0))
    loss, gradient = engine.gradient(X, values=y)
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], sparse.csr_array(X)):
        other, slope = engine.gradient(same, values=y)
        assert other == pytest.approx(loss, rel=1e-12)
        np.testing.assert_allclose(slope, gradient, atol=1e-12)
        np.testing.assert_allclose(engine.forward(same), engine.forward(X), atol=1e-12)


def test_the_gradient_of_a_loss_of_the_caller() -> None:
    rng = np.random.default_rng(0)
    engine = NetworkEngine((3, 6, 2), ("tanh",))
    engine.initialize(np.random.RandomState(0))
    X, y = rng.normal(size=(20, 3)), rng.normal(size=(20, 2))
    np.testing.assert_allclose(
        engine.backward(X, engine.forward(X) - y), engine.gradient(X, values=y)[1], rtol=1e-10, atol=1e-14
    )


def one_step(rule: StepRule, steps: int = 1) -> np.ndarray:
    """A parameter that begins at 1 and has the gradient 2 at every step; the others' gradient is 0."""
    engine = NetworkEngine((1, 1), ())
    engine.parameters[:] = 1.0
    for _ in range(steps):
        engine.step(np.array([2.0, 0.0]), rule)
    return engine.parameters.copy()


def test_optimisers_make_their_steps() -> None:
    eta = 0.1
    assert one_step(StepRule("sgd", eta, first=0.0))[0] == pytest.approx(1 - eta * 2)
    assert one_step(StepRule("sgd", eta, first=0.9), 2)[0] == pytest.approx(1 - eta * 2 * (1 + 1.9))
    nesterov = one_step(StepRule("sgd", eta, first=0.9, nesterov=True))[0]
    assert nesterov == pytest.approx(1 - eta * 2 * 1.9)
    assert one_step(StepRule("adam", eta))[0] == pytest.approx(1 - eta, abs=1e-7)
    assert one_step(StepRule("adagrad", eta), 2)[0] == pytest.approx(1 - eta * (1 + 0.5**0.5), abs=1e-7)
    assert one_step(StepRule("rmsprop", eta, second=0.9))[0] == pytest.approx(1 - eta / 0.1**0.5, abs=1e-7)
    assert one_step(StepRule("adamw", eta, alpha=0.5))[0] == pytest.approx((1 - eta * 0.5) - eta, abs=1e-7)
    assert one_step(StepRule("sgd", eta, first=0.0, alpha=0.5))[0] == pytest.approx(1 - eta * 2.5)
    assert one_step(StepRule("sgd", eta, first=0.0, l1=3.0))[0] == pytest.approx(1 - eta * 2 - eta * 3)
    assert one_step(StepRule("sgd", eta, first=0.0, l1=9.0))[0] == 0.0
    assert one_step(StepRule("sgd", eta, first=0.0, clip_norm=0.5))[0] == pytest.approx(1 - eta * 0.5)


def test_under_a_constant_gradient_momentum_reaches_its_limit() -> None:
    eta, momentum = 0.01, 0.9
    before, after = (one_step(StepRule("sgd", eta, first=momentum), steps)[0] for steps in (400, 401))
    assert before - after == pytest.approx(2.0 * eta / (1.0 - momentum))


def test_the_step_size_falls_linearly_or_like_a_cosine() -> None:
    linear = StepRule("sgd", 0.1, "linear", rate_end=0.001, decay_steps=100)
    np.testing.assert_allclose(
        [linear.step_size(t) for t in (0, 25, 50, 100, 500)], [0.1, 0.07525, 0.0505, 0.001, 0.001]
    )
    cosine = StepRule("sgd", 0.1, "cosine", rate_end=0.02, decay_steps=10)
    np.testing.assert_allclose([cosine.step_size(t) for t in (0, 5, 10, 11)], [0.1, 0.06, 0.02, 0.02])


def test_frozen_layers_stay_and_the_others_move() -> None:
    rng = np.random.default_rng(0)
    engine = NetworkEngine((4, 5, 6, 2), ("relu", "relu"), frozen=1, batch_norm=True, loss=("multinomial", 0.0))
    engine.initialize(np.random.RandomState(0))
    before = [coef.copy() for coef in engine.coefs]
    table = kernels.network_table(rng.normal(size=(50, 4)))
    wanted = kernels.network_targets(np.float64, classes=rng.integers(0, 2, 50).astype(np.int32))
    rule = StepRule(frozen=1, alpha=1.0)
    engine.epoch(table, wanted, rule, order=np.arange(50), shuffle=True, batch=10, number=0)
    np.testing.assert_array_equal(engine.coefs[0], before[0])
    assert (engine.running_means[0] == 0.0).all()
    assert not (engine.running_means[1] == 0.0).any()
    assert not np.allclose(engine.coefs[1], before[1])


def test_orders_depend_on_seed_and_epoch_alone() -> None:
    rng = np.random.default_rng(0)
    table = kernels.network_table(rng.normal(size=(64, 3)))
    wanted = kernels.network_targets(np.float64, values=rng.normal(size=(64, 1)))

    def order_of(seed: int, number: int) -> np.ndarray:
        engine = NetworkEngine((3, 1), (), seed=seed)
        order = np.arange(64)
        engine.epoch(table, wanted, StepRule(), order=order, shuffle=True, batch=8, number=number)
        return order

    np.testing.assert_array_equal(order_of(0, 0), order_of(0, 0))
    np.testing.assert_array_equal(np.sort(order_of(0, 1)), np.arange(64))
    assert len({tuple(order_of(seed, number)) for seed in (0, 1) for number in (0, 1)}) == 4


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_gradients_of_members_equal_central_differences(dropout: float) -> None:
    rng = np.random.default_rng(0)
    for members in (1, 3):
        engine = NetworkEngine((5, 7, 6, 2), ("relu", "silu"), members=members, dropout=dropout, seed=1)
        engine.initialize(np.random.RandomState(1))
        engine.parameters += 0.3 * rng.normal(size=len(engine.parameters))
        X, given = rng.normal(size=(13, 5)), {"values": rng.normal(size=(13, 2)), "weights": rng.random(13)}
        gradient = engine.gradient(X, **given)[1]
        np.testing.assert_allclose(gradient, central_differences(engine, X, given), atol=1e-7 * np.abs(gradient).max())


def test_members_are_networks_with_scaled_weights() -> None:
    rng = np.random.default_rng(0)
    engine = NetworkEngine((4, 6, 2), ("tanh",), members=2)
    engine.initialize(np.random.RandomState(0))
    engine.parameters += 0.2 * rng.normal(size=len(engine.parameters))
    X = rng.normal(size=(300, 4))
    for m in range(2):
        z = ((X * engine.in_factors[0][m]) @ engine.coefs[0]) * engine.out_factors[0][m] + engine.intercepts[0][m]
        hidden = z + engine.blends[0] * (np.tanh(z) - z)
        scores = ((hidden * engine.in_factors[1][m]) @ engine.coefs[1]) * engine.out_factors[1][m]
        np.testing.assert_allclose(engine.forward(X, member=m), scores + engine.intercepts[1][m], atol=1e-12)
        np.testing.assert_allclose(engine.forward(X, depth=1, member=m), hidden, atol=1e-12)


def test_what_does_not_fit_the_network_is_refused() -> None:
    engine = NetworkEngine((4, 6, 2), ("tanh",))
    X = np.zeros((5, 4))
    for table in (np.zeros((5, 3)), X.astype(np.float32), X[0]):
        with pytest.raises(ValueError, match="X must be a table of 4 columns"):
            engine.forward(table)
    for given in (
        {"values": np.zeros((5, 1))},
        {"values": np.zeros((4, 2))},
        {"classes": np.full(5, 2, dtype=np.int32)},
        {"classes": np.full(5, -1, dtype=np.int32)},
        {"values": np.zeros((5, 2)), "weights": np.ones(3)},
        {},
    ):
        with pytest.raises(ValueError, match="gradient needs classes"):
            engine.gradient(X, **given)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="deltas must have the shape"):
        engine.backward(X, np.zeros((5, 3)))
    with pytest.raises(ValueError, match="there is no layer 3"):
        engine.forward(X, depth=3)
    with pytest.raises(ValueError, match="gradient must have the shape"):
        engine.step(np.zeros(3), StepRule())
