"""Backward passes are the derivatives of the forward passes, for every module and every shape."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.special import expit

from certus.neural.modules import (
    LSTM,
    Attention,
    BatchNorm,
    BinaryCrossEntropy,
    Conv2d,
    CrossEntropy,
    Dense,
    Dropout,
    FeedForward,
    Flatten,
    GraphConvolution,
    LayeredNetwork,
    LayerNorm,
    MaxPool2d,
    MessagePassing,
    MultiHeadAttention,
    PositionalEncoding,
    Recurrent,
    ReLU,
    Sequential,
    Sigmoid,
    Softmax,
    SquaredError,
    Tanh,
    Threshold,
    check_gradient,
)

RNG = np.random.default_rng(0)
ROWS, SEQUENCES, IMAGES = RNG.normal(size=(5, 4)), RNG.normal(size=(2, 5, 4)), RNG.normal(size=(2, 3, 7, 6))
GRAPH = np.array([[0, 1, 0.5, 0], [1, 0, 0, 0], [0.5, 0, 0, 2], [0, 0, 2, 0]], dtype=float)
MASK = [np.ones((5, 3), bool), np.tri(4, 2, dtype=bool)]

CASES = {
    "dense": (Dense(4, 3, random_state=0), ROWS),
    "dense on sequences": (Dense(4, 3, random_state=0), SEQUENCES),
    "sigmoid": (Sigmoid(), ROWS),
    "tanh": (Tanh(), ROWS),
    "relu": (ReLU(), ROWS),
    "softmax": (Softmax(), SEQUENCES),
    "batch norm": (BatchNorm(4), ROWS),
    "batch norm on sequences": (BatchNorm(4), SEQUENCES),
    "layer norm": (LayerNorm(4), SEQUENCES),
    "dropout": (Dropout(0.4, random_state=0), ROWS),
    "convolution": (Conv2d(3, 2, 3, random_state=0), IMAGES),
    "convolution with stride and padding": (Conv2d(3, 2, 3, stride=2, padding=1, random_state=0), IMAGES),
    "convolution of size 1": (Conv2d(3, 2, 1, random_state=0), IMAGES),
    "pooling": (MaxPool2d(2), IMAGES),
    "pooling that drops a rest": (MaxPool2d(3), IMAGES),
    "flatten": (Flatten(), IMAGES),
    "recurrent": (Recurrent(4, 3, random_state=0), SEQUENCES),
    "lstm": (LSTM(4, 3, random_state=0), SEQUENCES),
    "attention": (Attention(), SEQUENCES, RNG.normal(size=(2, 3, 4)), RNG.normal(size=(2, 3, 6))),
    "causal attention": (Attention(causal=True), SEQUENCES, SEQUENCES + 1.0, SEQUENCES - 1.0),
    "self-attention in heads": (MultiHeadAttention(4, 2, random_state=0), SEQUENCES),
    "causal self-attention in heads": (MultiHeadAttention(4, 2, causal=True, random_state=0), SEQUENCES),
    "attention to a memory": (MultiHeadAttention(4, 2, random_state=0), SEQUENCES, RNG.normal(size=(2, 3, 4))),
    "positions": (PositionalEncoding(4), SEQUENCES),
    "feed-forward": (FeedForward(4, 6, random_state=0), SEQUENCES),
    "graph convolution": (GraphConvolution(4, 2, random_state=0), GRAPH, ROWS[:4]),
    "graph convolution of a batch": (GraphConvolution(4, 2, random_state=0), np.stack([GRAPH] * 2), SEQUENCES[:, :4]),
    "sums": (MessagePassing("sum"), GRAPH, ROWS[:4]),
    "means": (MessagePassing("mean"), GRAPH, ROWS[:4]),
    "maxima": (MessagePassing("max"), GRAPH, ROWS[:4]),
    "maxima of a batch": (MessagePassing("max"), np.stack([GRAPH] * 2), SEQUENCES[:, :4]),
    "layered network": (LayeredNetwork((4, 3, 2), "sigmoid", random_state=0), ROWS),
    "layered network with ReLU": (LayeredNetwork((4, 3, 2), "relu", output="identity", random_state=0), ROWS),
    "layered network without some edges": (LayeredNetwork((4, 3, 2), "tanh", edges=MASK, random_state=0), ROWS),
    "squared error": (SquaredError(), ROWS, ROWS[::-1].copy()),
    "cross entropy": (CrossEntropy(), ROWS, np.array([0, 3, 1, 1, 2])),
    "cross entropy along sequences": (CrossEntropy(), SEQUENCES, RNG.integers(0, 4, (2, 5))),
    "binary cross entropy": (BinaryCrossEntropy(), ROWS, (ROWS > 0).astype(int)),
    "image network": (
        Sequential(Conv2d(3, 4, 3, random_state=0), ReLU(), MaxPool2d(2), Flatten(), Dense(16, 2, random_state=1)),
        IMAGES,
    ),
    "transformer block": (
        Sequential(
            PositionalEncoding(4),
            MultiHeadAttention(4, 2, random_state=0),
            LayerNorm(4),
            FeedForward(4, 8, random_state=1),
        ),
        SEQUENCES,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_backward_is_the_derivative(name: str) -> None:
    module, *inputs = CASES[name]
    assert check_gradient(module, *inputs) < 1e-7


def test_a_wrong_backward_is_found() -> None:
    class Wrong(Tanh):
        def backward(self, gradient):
            return np.asarray(gradient) * (1.0 - 0.999 * self._recall() ** 2)

    assert 1e-5 < check_gradient(Wrong(), ROWS) < 1e-2

    class Forgetful(Dense):
        def backward(self, gradient):
            passed = super().backward(gradient)
            self._own_gradients["bias"] = self._own_gradients["bias"] * 1.001
            return passed

    assert check_gradient(Forgetful(4, 3, random_state=0), ROWS) > 1e-4


def test_a_check_leaves_the_module_as_it_was() -> None:
    module = Sequential(BatchNorm(4), Dropout(0.5, random_state=0))
    before = copy.deepcopy(module)
    check_gradient(module, ROWS)
    assert np.array_equal(module[0].running_mean, before[0].running_mean)
    assert np.array_equal(module.forward(ROWS), before.forward(ROWS))


def test_parameters_are_live() -> None:
    net = Sequential(Dense(4, 2, random_state=0), Tanh(), Dense(2, 1, random_state=1))
    net.parameters["2.weights"][...] = 0.0
    net.parameters["2.bias"][...] = 7.0
    assert net.forward(ROWS).tolist() == [[7.0]] * 5


def test_derivative_of_a_neuron_written_out() -> None:
    w, b, x, y = np.array([0.5, -1.0]), 0.3, np.array([[2.0, 1.0]]), np.array([[1.0]])
    net = Sequential(Dense(2, 1, random_state=0), Sigmoid())
    net.parameters["0.weights"][:, 0], net.parameters["0.bias"][:] = w, b
    loss = SquaredError()
    loss.forward(net.forward(x), y)
    net.backward(loss.backward())
    s = expit(x[0] @ w + b)
    slope = (s - 1.0) * s * (1.0 - s)  # L'(f) sigma'(a)
    assert net.gradients["0.weights"][:, 0] == pytest.approx(slope * x[0], rel=1e-14)
    assert net.gradients["0.bias"][0] == pytest.approx(slope, rel=1e-14)


def test_backpropagation_through_one_hidden_layer_written_out() -> None:
    net = LayeredNetwork((3, 2, 1), "sigmoid", random_state=3)
    x = RNG.normal(size=(1, 3))
    net.forward(x)
    net.backward([[1.0]])
    W, w = net.parameters["W1"], net.parameters["W2"]
    hidden = expit(W[0] + x[0] @ W[1:])
    out = expit(w[0, 0] + hidden @ w[1:, 0])
    delta = out * (1.0 - out)
    deltas = delta * w[1:, 0] * hidden * (1.0 - hidden)
    assert net.gradients["W2"][1:, 0] == pytest.approx(delta * hidden)
    assert net.gradients["W2"][0, 0] == pytest.approx(delta)
    assert net.gradients["W1"][1:] == pytest.approx(np.outer(x[0], deltas))
    assert net.gradients["W1"][0] == pytest.approx(deltas)
    assert np.allclose(net.deltas[0][0], deltas, rtol=1e-14)


def test_a_layered_network_equals_its_modules() -> None:
    net = LayeredNetwork((4, 3, 2), "tanh", output="identity", random_state=0)
    same = Sequential(Dense(4, 3, random_state=0), Tanh(), Dense(3, 2, random_state=0))
    for place, W in (("0", net.parameters["W1"]), ("2", net.parameters["W2"])):
        same.parameters[f"{place}.bias"][:], same.parameters[f"{place}.weights"][:] = W[0], W[1:]
    assert np.allclose(net.forward(ROWS), same.forward(ROWS), rtol=1e-13)
    assert np.allclose(net.backward(np.ones((5, 2))), same.backward(np.ones((5, 2))), rtol=1e-12)
    assert np.allclose(net.gradients["W1"][1:], same.gradients["0.weights"], rtol=1e-12)


@pytest.mark.parametrize("module", [Threshold(), LayeredNetwork((2, 2, 1), "sign", random_state=0)])
def test_steps_refuse_gradients(module) -> None:
    module.forward(np.ones((1, 2)))
    with pytest.raises(TypeError, match=r"gradient passes[\s\S]*Hint:"):
        module.backward(np.ones((1, 1)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Dense(3, 2).forward(np.ones((4, 2))), r"the last one of 3, got the shape \(4, 2\)"),
        (lambda: LSTM(3, 2).forward(np.ones((4, 3))), "3 axes"),
        (lambda: Dense(3, 2).backward(np.ones((4, 2))), "forward call"),
        (lambda: Conv2d(1, 1).forward(np.ones((2, 5, 5))), r"\(batch, 1 channels, height, width\)"),
        (lambda: Conv2d(2, 1).forward(np.ones((2, 1, 5, 5))), "2 channels"),
        (lambda: MaxPool2d(4).forward(np.ones((2, 1, 3, 5))), "sides of at least 4"),
        (lambda: GraphConvolution(1, 1).forward(-np.ones((2, 2)), np.ones((2, 1))), r"got -1 at \(0, 0\)"),
        (lambda: MessagePassing().forward(np.ones((2, 3)), np.ones((2, 1))), "adjacency must be square"),
        (lambda: MessagePassing("median"), "aggregate must be one of"),
        (lambda: MultiHeadAttention(5, 2), "multiple of heads"),
        (lambda: Attention().forward(ROWS, ROWS[:, :2], ROWS), "one width"),
        (lambda: Sequential(), "at least one module"),
        (lambda: Sequential(*[Tanh()] * 2), "none twice"),
        (lambda: Dropout(1.0), "below 1"),
        (lambda: CrossEntropy().forward(ROWS, [0, 1, 2, 3, 4]), "from 0 to 3"),
        (lambda: CrossEntropy().forward(ROWS, [0.5] * 5), "whole numbers"),
        (lambda: BinaryCrossEntropy().forward([0.0], [-1.0]), "0 or 1"),
        (lambda: SquaredError().forward(ROWS, ROWS[:2]), "must fit"),
        (lambda: LayeredNetwork((2, 1), "step"), "activation be one of"),
        (lambda: LayeredNetwork((2, 1), weights=[np.ones((2, 1))]), r"shapes \[\(3, 1\)\]"),
    ],
)
def test_errors_help(call, message: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=message) as caught:
        call()
    assert "Hint:" in str(caught.value)
