"""The compiled network and the modules are two ways to one gradient."""

from __future__ import annotations

import numpy as np
import pytest

from certus.neural.engine import NetworkEngine
from certus.neural.modules import (
    BatchNorm,
    BinaryCrossEntropy,
    CrossEntropy,
    Dense,
    Loss,
    Module,
    ReLU,
    Sequential,
    Sigmoid,
    SquaredError,
    Tanh,
)

UNITS: dict[str, type[Module]] = {"relu": ReLU, "tanh": Tanh, "logistic": Sigmoid}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(23, 5))
LOSSES: dict[str, tuple[Loss, dict[str, np.ndarray], float]] = {
    "squared": (SquaredError(), {"values": RNG.normal(size=(23, 3))}, 1.0),
    "logistic": (BinaryCrossEntropy(), {"values": RNG.integers(0, 2, (23, 3)).astype(float)}, 3.0),
    "multinomial": (CrossEntropy(), {"classes": RNG.integers(0, 3, 23).astype(np.int32)}, 1.0),
}


def twin(engine: NetworkEngine, activation: str, batch_norm: bool) -> Sequential:
    """The same weights in modules."""
    parts: list[Module] = []
    for place, (W, b) in enumerate(zip(engine.coefs, engine.intercepts, strict=True)):
        layer = Dense(*W.shape)
        layer.parameters["weights"][:], layer.parameters["bias"][:] = W, b
        last = place == len(engine.coefs) - 1
        parts += [layer] if last else [layer, *([BatchNorm(W.shape[1])] if batch_norm else []), UNITS[activation]()]
    return Sequential(*parts)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("activation", UNITS)
@pytest.mark.parametrize("batch_norm", [False, True])
def test_compiled_gradients_are_those_of_the_modules(loss: str, activation: str, batch_norm: bool) -> None:
    engine = NetworkEngine((5, 8, 6, 3), (activation, activation), loss=(loss, 0.0), batch_norm=batch_norm)
    engine.initialize(np.random.RandomState(2))
    error, given, scale = LOSSES[loss]
    value, gradient = engine.gradient(X, **given)
    net = twin(engine, activation, batch_norm)
    targets = given.get("classes", given.get("values"))
    assert value == pytest.approx(scale * error.forward(net.forward(X), targets), rel=1e-12)
    net.backward(scale * error.backward())
    order = ("weights", "bias", "gamma", "beta")  # of all layers in turn, as the engine keeps its parameters
    parts = [part.gradients[name].ravel() for name in order for part in net.modules if name in part.gradients]
    expected = np.concatenate(parts)
    assert np.abs(gradient - expected).max() < 1e-10 * max(1.0, np.abs(expected).max())
