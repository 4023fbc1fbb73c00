"""What the theory says about these modules: numbers, invariances, constructions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import optimize
from scipy.special import expit, log_softmax
from scipy.stats import norm

from certus.base import blas_on_one_thread
from certus.kernels import ArcCosine
from certus.linear import LogisticRegression
from certus.neural.modules import (
    LSTM,
    Adagrad,
    Adam,
    Attention,
    BatchNorm,
    BinaryCrossEntropy,
    Conv2d,
    CrossEntropy,
    Dense,
    Dropout,
    FeedForward,
    GraphConvolution,
    LayeredNetwork,
    MaxPool2d,
    MessagePassing,
    Momentum,
    MultiHeadAttention,
    PositionalEncoding,
    PrototypicalModel,
    Recurrent,
    ReLU,
    RMSProp,
    Sequential,
    Sigmoid,
    Softmax,
    SquaredError,
    Tanh,
    approximation_errors,
    batch_descent,
    boolean_network,
    gradient_norms,
    initial_weights,
    linear_decay,
    mini_batch_descent,
    neuron_descent,
)

RNG = np.random.default_rng(1)


def test_glorot_bound_and_variance() -> None:
    weights = initial_weights(784, 256, random_state=0)
    assert round(np.sqrt(6 / (784 + 256)), 5) == 0.07596
    assert 0.0759 < np.abs(weights).max() <= np.sqrt(6 / (784 + 256))
    assert weights.var() == pytest.approx(2 / (784 + 256), rel=0.01)
    assert initial_weights(500, 300, init="he", random_state=0).var() == pytest.approx(2 / 500, rel=0.02)


def test_sparse_weights_have_few_inputs() -> None:
    weights = initial_weights(50, 20, init="sparse", fraction=0.1, random_state=0)
    assert ((weights != 0).sum(axis=0) == 5).all()


def test_linear_decay() -> None:
    rate = linear_decay(0.1, 0.001, 100)
    assert [rate(t) for t in (0, 25, 50, 100, 1000)] == pytest.approx([0.1, 0.07525, 0.0505, 0.001, 0.001], rel=1e-12)


def test_momentum_grows_to_its_limit() -> None:
    rule, gradient = Momentum(0.8), np.ones(1)
    steps = [rule.change("w", gradient, 0.1)[0] for _ in range(200)]
    assert steps[0] == pytest.approx(0.1)
    assert steps[-1] == pytest.approx(0.1 / (1 - 0.8))
    assert (np.diff(steps) >= 0).all()


def test_rates_per_weight() -> None:
    g = np.array([3.0, -0.01])
    assert Adagrad().change("w", g, 0.1) == pytest.approx([0.1, -0.1], rel=1e-5)
    adagrad, forgetting = Adagrad(), RMSProp(0.9)
    for _ in range(100):
        slow, fast = adagrad.change("w", g, 0.1), forgetting.change("w", g, 0.1)
    assert slow == pytest.approx([0.01, -0.01], rel=1e-4)  # rate / sqrt(t): slows down for good
    assert fast == pytest.approx([0.1, -0.1], rel=1e-3)  # forgets, and does not
    adam = Adam()
    for _ in range(3):
        assert adam.change("w", g, 0.1) == pytest.approx([0.1, -0.1], rel=1e-5)


def test_sigmoid_derivatives_vanish() -> None:
    unit, product = Sigmoid(), 1.0
    for depth in range(1, 21):
        unit.forward(RNG.normal(size=1))
        product *= unit.backward([1.0])[0]
        assert product <= 4.0**-depth
    X, y = RNG.normal(size=(20, 8)), RNG.normal(size=(20, 1))
    norms = {}
    for unit_class, init in ((Sigmoid, "glorot"), (ReLU, "he")):
        layers = [[Dense(8, 8, init=init, random_state=place), unit_class()] for place in range(15)]
        net = Sequential(*itertools.chain(*layers), Dense(8, 1, random_state=99))
        norms[unit_class] = gradient_norms(net, X, y)
    assert norms[Sigmoid][0] < 1e-6 * norms[Sigmoid][-1]
    assert norms[ReLU][0] > 1e-2 * norms[ReLU][-1]


def test_layers_without_activation_are_one_linear_layer() -> None:
    layers = [Dense(n, m, random_state=n) for n, m in ((4, 7), (7, 5), (5, 2))]
    X = RNG.normal(size=(6, 4))
    W = np.linalg.multi_dot([layer.parameters["weights"] for layer in layers])
    assert np.allclose(Sequential(*layers).forward(X), X @ W, rtol=1e-13)


def test_equal_units_stay_equal_and_random_ones_do_not() -> None:
    X, y = RNG.normal(size=(30, 3)), RNG.normal(size=(30, 1))
    for start, equal in ((0.3, True), (None, False)):
        net = Sequential(Dense(3, 4, random_state=0), Tanh(), Dense(4, 1, random_state=1))
        if start is not None:
            for parameter in net.parameters.values():
                parameter[...] = start
        for _ in zip(range(50), batch_descent(net, SquaredError(), X, y, 0.1), strict=False):
            pass
        spread = np.ptp(net.parameters["0.weights"], axis=1).max()
        assert (spread < 1e-12) == equal


def test_cross_entropy_is_the_negative_log_likelihood() -> None:
    scores, y = RNG.normal(size=(20, 3)), RNG.integers(0, 3, 20)
    likelihood = np.prod(Softmax().forward(scores)[np.arange(20), y])
    assert CrossEntropy().forward(scores, y) == pytest.approx(-np.log(likelihood) / 20, rel=1e-12)
    f, t = RNG.normal(size=20), RNG.integers(0, 2, 20)
    likelihood = np.prod(np.where(t == 1, expit(f), 1 - expit(f)))
    assert BinaryCrossEntropy().forward(f, t) == pytest.approx(-np.log(likelihood) / 20, rel=1e-12)
    two = np.stack([np.zeros(20), f], axis=1)  # a softmax of two scores is a sigmoid of their difference
    assert CrossEntropy().forward(two, t) == pytest.approx(BinaryCrossEntropy().forward(f, t), rel=1e-12)
    assert CrossEntropy().forward([[1e4, 0.0]], [1]) == 1e4
    assert -log_softmax(scores, axis=1)[np.arange(20), y].mean() == pytest.approx(CrossEntropy().forward(scores, y))


@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_networks_of_all_boolean_functions(inputs: int) -> None:
    corners = np.array(list(itertools.product((-1, 1), repeat=inputs)))
    for table in itertools.product((-1, 1), repeat=2**inputs):
        network = boolean_network(table)
        assert network.predict(corners).tolist() == list(table)
        assert network.n_hidden <= max(1, 2 ** (inputs - 1))


@pytest.mark.parametrize("inputs", [2, 3, 5, 8])
def test_parity_takes_as_many_units_as_inputs(inputs: int) -> None:
    corners = np.array(list(itertools.product((-1, 1), repeat=inputs)))
    table = np.prod(corners, axis=1)
    network = boolean_network(table)
    assert network.n_hidden == inputs
    assert np.array_equal(network.predict(corners), table)


def test_boolean_networks_of_more_inputs() -> None:
    for inputs in (4, 6):
        corners = np.array(list(itertools.product((-1, 1), repeat=inputs)))
        for _ in range(20):
            table = RNG.choice((-1, 1), 2**inputs)
            assert np.array_equal(boolean_network(table).predict(corners), table)
    for wrong in ([1, -1, 1], [0, 1], [1], [[1, -1]]):
        with pytest.raises(ValueError, match=r"table must be[\s\S]*Hint:"):
            boolean_network(wrong)
    with pytest.raises(ValueError, match="-1 and 1 only"):
        boolean_network([1, -1]).predict([[0]])


def test_xor_is_learned_with_one_hidden_layer() -> None:
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    y = np.array([[0], [1], [1], [0]])
    net = Sequential(Dense(2, 8, random_state=1), Tanh(), Dense(8, 1, random_state=2))
    steps = batch_descent(net, BinaryCrossEntropy(), X, y, 0.5)
    last = [step.loss for step, _ in zip(steps, range(1000), strict=False)][-1]
    assert last < 0.01
    assert ((net.forward(X) > 0) == y).all()


def test_a_sigmoid_neuron_is_logistic_regression() -> None:
    X = RNG.normal(size=(80, 2))
    y = (X @ [1.0, -0.5] + RNG.normal(size=80) > 0.2).astype(float)
    for step, _ in zip(neuron_descent(X, y, 2.0), range(1500), strict=False):
        pass
    model = LogisticRegression(C=np.inf, tol=1e-12).fit(X, y)
    assert step.weights == pytest.approx(model.coef_[0], abs=1e-6)
    assert step.offset == pytest.approx(model.intercept_[0], abs=1e-6)


def test_a_neuron_with_squared_error_descends_along_its_gradient() -> None:
    X, y = RNG.normal(size=(40, 3)), RNG.uniform(size=40)
    steps = [
        s for s, _ in zip(neuron_descent(X, y, 1.0, activation=Sigmoid(), loss=SquaredError()), range(50), strict=False)
    ]

    def risk(v):
        return 0.5 * np.mean((expit(X @ v[:3] + v[3]) - y) ** 2)

    at = np.array([*steps[10].weights, steps[10].offset])
    moved = np.array([*steps[11].weights, steps[11].offset])
    assert at - moved == pytest.approx(optimize.approx_fprime(at, risk, 1e-7), abs=1e-6)
    assert (np.diff([step.loss for step in steps]) < 0).all()
    with pytest.raises(ValueError, match="activation must be None"):
        next(neuron_descent(X, y, 1.0, activation=Sigmoid()))


def test_batches_cover_every_row_once_per_epoch_in_a_new_order() -> None:
    seen: list[np.ndarray] = []

    class Looking(Dense):
        def forward(self, x):
            seen.append(np.asarray(x)[:, 0])
            return super().forward(x)

    X = np.arange(10.0)[:, None]
    steps = mini_batch_descent(Looking(1, 1), SquaredError(), X, X, 1e-4, 4, random_state=0)
    epochs = [step.epoch for step, _ in zip(steps, range(9), strict=False)]
    assert epochs == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    orders = [np.concatenate(seen[3 * k : 3 * k + 3]) for k in range(3)]
    assert all(sorted(order) == list(range(10)) for order in orders)
    assert len({tuple(order) for order in orders}) == 3
    with pytest.raises(ValueError, match="batch_size"):
        mini_batch_descent(Dense(1, 1), SquaredError(), X, X, 0.1, 0)


def test_weight_decay_shrinks_by_its_rate_alone() -> None:
    layer = Dense(1, 1, random_state=0)
    layer.parameters["bias"][:] = 3.0
    first = layer.parameters["weights"].copy()
    for _ in itertools.islice(batch_descent(layer, SquaredError(), [[0.0]], [[3.0]], 0.1, penalty=0.5), 11):
        pass
    assert layer.parameters["weights"] == pytest.approx(first * 0.95**11, rel=1e-12)
    assert layer.parameters["bias"].tolist() == [3.0]  # offsets are not shrunk


@pytest.mark.parametrize(("unit", "order"), [("relu", 1), ("threshold", 0)])
def test_wide_random_networks_have_the_arc_cosine_kernel(unit: str, order: int) -> None:
    X = RNG.normal(size=(5, 3))
    half = 0.5 * ArcCosine(order).gram(X)  # the kernel has a factor 2
    sigma = {"relu": lambda a: np.maximum(a, 0), "threshold": lambda a: (a > 0).astype(float)}[unit]
    errors = []
    for m in (100, 10_000):
        units = [(RNG.normal(size=(m, 3)), lambda X, w: sigma(X @ w.T)) for _ in range(20)]
        draws = [PrototypicalModel(np.ones(m), *given).kernel(X) for given in units]
        errors.append(np.sqrt(np.mean((np.array(draws) - half) ** 2)))
    assert errors[1] < 0.03
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.35)  # at rate m^(-1/2)


def test_the_kernel_of_a_hidden_layer() -> None:
    net = LayeredNetwork((3, 6, 1), "tanh", random_state=0)
    X = RNG.normal(size=(4, 3))
    net.forward(X)
    hidden = net.outputs[1][:, 1:]
    W = net.parameters["W1"]
    same = PrototypicalModel(net.parameters["W2"][1:, 0], W.T, lambda X, w: np.tanh(w[:, 0] + X @ w[:, 1:].T))
    assert np.allclose(same.kernel(X), hidden @ hidden.T / 6)
    assert np.allclose(same.predict(X), hidden @ net.parameters["W2"][1:, 0])


def test_a_kernel_machine_is_a_prototypical_model() -> None:
    X = RNG.normal(size=(6, 2))
    kernel = ArcCosine(1)
    alpha = RNG.normal(size=6)
    model = PrototypicalModel(alpha, X, kernel.gram)
    assert np.allclose(model.predict(X[:2]), kernel.gram(X[:2], X) @ alpha)
    with pytest.raises(ValueError, match="one weight per point"):
        PrototypicalModel(alpha[:2], X, kernel.gram)


def test_error_falls_with_width() -> None:
    found = {
        dimension: approximation_errors(f, (1, 4, 16), dimension=dimension, points=100, max_iter=300, random_state=0)
        for dimension, f in ((1, lambda X: np.abs(np.sin(3 * X[:, 0]))), (2, lambda X: X[:, 0] * X[:, 1]))
    }
    for errors in found.values():
        assert errors[0] > 2 * errors[1] > 4 * errors[2]
    with pytest.raises(ValueError, match="dimension must be 1 or 2"):
        approximation_errors(lambda X: X[:, 0], (1,), dimension=3)


def test_a_shifted_image_gives_a_shifted_convolution() -> None:
    layer = Conv2d(1, 2, 3, random_state=0)
    image = np.zeros((1, 1, 12, 12))
    image[0, 0, 3:7, 3:7] = RNG.normal(size=(4, 4))
    moved = np.roll(image, (2, 1), axis=(2, 3))
    assert np.allclose(np.roll(layer.forward(image), (2, 1), axis=(2, 3)), layer.forward(moved), rtol=1e-13)
    pool = MaxPool2d(2)
    assert np.array_equal(np.roll(pool.forward(image), 1, axis=2), pool.forward(np.roll(image, 2, axis=2)))
    peak = np.zeros((1, 1, 4, 4))
    peak[0, 0, 2, 2] = 1.0
    assert np.array_equal(pool.forward(peak), pool.forward(np.roll(peak, 1, axis=3)))  # a small shift changes nothing


def test_convolution_by_hand() -> None:
    layer = Conv2d(2, 3, 2, stride=2, padding=1, random_state=0)
    x = RNG.normal(size=(2, 2, 4, 5))
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    found = layer.forward(x)
    assert found.shape == (2, 3, 3, 3)
    W, b = layer.parameters["weights"], layer.parameters["bias"]
    for n, o, i, j in itertools.product(range(2), range(3), range(3), range(3)):
        window = padded[n, :, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
        assert found[n, o, i, j] == pytest.approx((window * W[o]).sum() + b[o])


def _bit_task(cell, lag: int, steps: int) -> float:
    """Error of a network that must tell the first bit after a lag of noise."""
    rng = np.random.default_rng(0)
    net = Sequential(cell, Dense(8, 1, random_state=1))
    loss, rule = BinaryCrossEntropy(), Adam()
    for step in range(steps + 5):
        bits = rng.integers(0, 2, (64, 1))
        x = 0.3 * rng.normal(size=(64, lag, 1))
        x[:, 0, 0] = 2.0 * bits[:, 0] - 1.0
        scores = net.forward(x)[:, -1]
        if step >= steps:
            return float(((scores > 0) != bits).mean())
        loss.forward(scores, bits)
        gradient = np.zeros((64, lag, 1))
        gradient[:, -1] = loss.backward()
        net.backward(gradient)
        for name, slope in net.gradients.items():
            net.parameters[name][...] -= rule.change(name, slope, 0.02)
    raise AssertionError


def test_an_lstm_keeps_a_bit_where_a_recurrent_network_fails() -> None:
    with blas_on_one_thread():
        assert _bit_task(LSTM(1, 8, forget_bias=3.0, random_state=0), 80, 150) == 0.0
        assert _bit_task(Recurrent(1, 8, random_state=0), 80, 150) > 0.2


def test_rows_of_attention_add_up_to_one() -> None:
    x = RNG.normal(size=(2, 6, 4))
    layer = Attention()
    layer.forward(x, x, x)
    assert np.allclose(layer.weights.sum(axis=-1), 1.0, rtol=1e-14)
    assert (layer.weights > 0).all()
    causal = MultiHeadAttention(4, 2, causal=True, random_state=0)
    causal.forward(x)
    assert (np.triu(causal.attention.weights, 1) == 0).all()


def test_attention_without_positions_is_equivariant() -> None:
    x, order = RNG.normal(size=(1, 6, 4)), RNG.permutation(6)
    layer = MultiHeadAttention(4, 2, random_state=0)
    assert np.allclose(layer.forward(x)[:, order], layer.forward(x[:, order]), rtol=1e-12)
    coded = Sequential(PositionalEncoding(4), layer)
    assert not np.allclose(coded.forward(x)[:, order], coded.forward(x[:, order]), rtol=1e-2)


def test_position_codes() -> None:
    code = PositionalEncoding(6).code(50)
    assert np.allclose(code[:, 0], np.sin(np.arange(50)))
    assert np.allclose(code[:, 1], np.cos(np.arange(50)))
    assert np.allclose(code[7, 4], np.sin(7 / 10000 ** (4 / 6)))
    assert np.allclose((code**2).sum(axis=1), 3.0)


def test_a_later_token_never_changes_an_earlier_output() -> None:
    layer = Sequential(PositionalEncoding(4), MultiHeadAttention(4, 2, causal=True, random_state=0))
    x = RNG.normal(size=(1, 6, 4))
    before = layer.forward(x)
    for changed in range(6):
        other = x.copy()
        other[0, changed] += 10.0
        after = layer.forward(other)
        assert np.array_equal(after[:, :changed], before[:, :changed])
        assert not np.allclose(after[:, changed], before[:, changed])


def test_relabelled_nodes_give_the_same() -> None:
    edges = ["AB", "AC", "BC", "CD", "DE"]
    order = "BDAEC"

    def graph(names):
        A = np.zeros((5, 5))
        for u, v in edges:
            A[names.index(u), names.index(v)] = A[names.index(v), names.index(u)] = 1.0
        return A

    X = RNG.normal(size=(5, 3))
    moved = X[["ABCDE".index(name) for name in order]]
    for layer in (GraphConvolution(3, 2, random_state=0), *map(MessagePassing, ("sum", "mean", "max"))):
        one, two = layer.forward(graph("ABCDE"), X), layer.forward(graph(order), moved)
        assert np.allclose(one[["ABCDE".index(name) for name in order]], two, rtol=1e-13)
        assert np.allclose(one.sum(axis=0), two.sum(axis=0), rtol=1e-12)  # so is whatever reads the whole graph


def test_graph_layers_by_hand() -> None:
    A, X = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), np.array([[1.0], [2.0], [5.0]])
    assert MessagePassing("sum").forward(A, X).ravel().tolist() == [8.0, 3.0, 6.0]
    assert np.allclose(MessagePassing("mean").forward(A, X).ravel(), [8 / 3, 1.5, 3.0])
    assert MessagePassing("max").forward(A, X).ravel().tolist() == [5.0, 2.0, 5.0]
    layer = GraphConvolution(1, 1)
    layer.parameters["linear.weights"][:] = 1.0
    degree = np.array([3.0, 2.0, 2.0])
    expected = (A + np.eye(3)) / np.sqrt(np.outer(degree, degree)) @ X
    assert np.allclose(layer.forward(A, X), expected)


def test_batch_norm_uses_running_statistics_afterwards() -> None:
    layer = BatchNorm(2, momentum=0.5)
    for _ in range(60):
        out = layer.forward(RNG.normal(3.0, 2.0, size=(200, 2)))
    assert np.allclose(out.mean(axis=0), 0.0, atol=1e-12)
    assert np.allclose(out.std(axis=0), 1.0, atol=1e-4)
    layer.train(False)
    one = layer.forward([[3.0, 3.0]])
    assert np.abs(one).max() < 0.3
    assert np.array_equal(layer.forward([[3.0, 3.0], [99.0, 99.0]])[:1], one)  # other rows of the batch do not matter
    layer.backward([[1.0, 1.0], [1.0, 1.0]])
    assert layer.gradients["beta"].tolist() == [2.0, 2.0]


def test_dropout_keeps_the_mean_and_is_off_afterwards() -> None:
    layer = Dropout(0.25, random_state=0)
    out = layer.forward(np.ones((400, 400)))
    assert out.mean() == pytest.approx(1.0, abs=3 * norm.ppf(0.999) / 400)
    assert set(np.unique(out)) == {0.0, 1.0 / 0.75}
    layer.train(False)
    assert np.array_equal(layer.forward(out), out)


def test_a_layered_graph_counts_its_parts() -> None:
    net = LayeredNetwork((2, 3, 1), "sigmoid")
    assert (net.n_vertices, net.n_edges) == (2 + 1 + 3 + 1 + 1, 3 * 3 + 4)
    assert net.forward([[1.0, 2.0]]).shape == (1, 1)
    assert [output.shape[1] for output in net.outputs] == [3, 4, 1]
    assert (net.outputs[0][:, 0] == 1).all()
    threshold = LayeredNetwork((1, 1), "threshold", weights=[[[-1.0], [1.0]]])
    assert threshold.forward([[1.0], [1.5]]).ravel().tolist() == [0.0, 1.0]


def test_a_step_goes_against_the_gradient_of_its_batch() -> None:
    X, y, loss = RNG.normal(size=(12, 3)), RNG.normal(size=(12, 1)), SquaredError()
    net = Sequential(Dense(3, 4, random_state=0), Tanh(), Dense(4, 1, random_state=1))
    first = {name: value.copy() for name, value in net.parameters.items()}
    loss.forward(net.forward(X), y)
    net.backward(loss.backward())
    slopes = {name: value.copy() for name, value in net.gradients.items()}
    step = next(iter(batch_descent(net, loss, X, y, 0.3)))
    for name, value in net.parameters.items():
        assert value == pytest.approx(first[name] - 0.3 * slopes[name], rel=1e-14)
    assert step.gradient_norm == pytest.approx(np.sqrt(sum((slope**2).sum() for slope in slopes.values())))
    one = LayeredNetwork((3, 2, 1), "sigmoid", random_state=0)  # a step on one row is the product of outputs and deltas
    before = one.parameters["W2"].copy()
    next(iter(mini_batch_descent(one, loss, X[:1], y[:1], 0.3, 1, random_state=0)))
    assert one.parameters["W2"] == pytest.approx(before - 0.3 * one.outputs[1].T @ one.deltas[1], rel=1e-14)


def test_feed_forward_treats_every_position_alike() -> None:
    layer, x = FeedForward(4, 8, random_state=0), RNG.normal(size=(2, 5, 4))
    assert np.allclose(layer.forward(x)[:, 3], layer.forward(x[:, 3:4])[:, 0], rtol=1e-13)


def test_outputs_are_compositions_of_modules() -> None:
    parts = [Dense(3, 4, random_state=0), ReLU(), Dense(4, 2, random_state=1), Softmax()]
    X = RNG.normal(size=(5, 3))
    nested = parts[3].forward(parts[2].forward(parts[1].forward(parts[0].forward(X))))
    assert np.array_equal(Sequential(*parts).forward(X), nested)
    assert np.allclose(nested.sum(axis=1), 1.0)
    scores = Sequential(*parts[:3]).forward(X)
    assert np.array_equal(scores.argmax(axis=1), nested.argmax(axis=1))
    assert np.array_equal(Sigmoid().forward(scores) > 0.5, scores > 0)
