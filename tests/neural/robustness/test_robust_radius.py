"""Radii hold: no point inside gets another label, exact ones are those of all regions, and mutants are caught."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from certus.neural import MLPClassifier, lipschitz_bound, robust_radius
from certus.neural.modules import Dense, Dropout, LayeredNetwork, Sequential, Sigmoid, Softmax
from certus.neural.robustness import (
    activation_lines,
    branch_and_bound,
    dense_layers,
    linear_bounds,
    node_programs,
    radius_search,
)
from tests.neural.robustness.networks import labels, network, radius_by_regions

RNG = np.random.default_rng(0)


def inside(row: np.ndarray, radius: float, norm: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Points of the ball: corners, faces, and its middle."""
    signs = rng.choice([-1.0, 1.0], (count, len(row)))
    if norm == "inf":
        steps = np.where(rng.random(signs.shape) < 0.7, signs, rng.uniform(-1, 1, signs.shape))
    elif norm == "1":
        steps = np.zeros(signs.shape)
        steps[np.arange(count), rng.integers(0, len(row), count)] = signs[:, 0]
    else:
        steps = rng.normal(size=signs.shape)
        steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    return row + radius * (1.0 - 1e-15) * steps


def attacks(net: Sequential, row: np.ndarray, radius: float, norm: str, count: int, seed: int = 0) -> np.ndarray:
    """Random points of the ball and, in the norm inf, those to which signs of gradients lead."""
    rng = np.random.default_rng(seed)
    points = [inside(row, radius, norm, count, rng)]
    if norm == "inf":
        start = points[0][: count // 4].copy()
        own = labels(net, row[None])[0]
        for _ in range(10):
            scores = net.forward(start)
            pull = np.zeros(scores.shape)
            if scores.shape[1] == 1:
                pull[:] = 2.0 * own - 1.0
            else:
                pull[:, own] = 1.0
                rivals = scores.copy()
                rivals[:, own] = -np.inf
                pull[np.arange(len(scores)), rivals.argmax(axis=1)] -= 1.0
            step = 0.4 * radius * np.sign(net.backward(pull))
            start = np.clip(start - step, row - radius * (1 - 1e-15), row + radius * (1 - 1e-15))
        points.append(start)
    return np.concatenate(points)


def broken(net: Sequential, X: np.ndarray, radii: np.ndarray, norm: str, count: int) -> int:
    """Attacks within the radii that succeed."""
    own = labels(net, X)
    return sum(
        int((labels(net, attacks(net, row, radius, norm, count)) != place).sum())
        for row, radius, place in zip(X, radii, own, strict=True)
    )


CASES = [
    (kind, widths, norm, method)
    for kind in ("relu", "tanh", "logistic")
    for widths in ((3, 8, 3), (4, 6, 5, 1))
    for norm in ("inf", "2", "1")
    for method in ("interval", "linear", *(("exact",) if kind == "relu" and norm != "2" else ()))
]


@pytest.mark.parametrize(("kind", "widths", "norm", "method"), CASES)
def test_no_attack_inside_the_radius_succeeds(kind: str, widths: tuple[int, ...], norm: str, method: str) -> None:
    net = network(widths, kind, seed=len(widths))
    X = RNG.normal(size=(6, widths[0]))
    found = robust_radius(net, X, norm=norm, method=method)
    assert (found.lower > 0).all()
    assert (found.lower <= found.upper * (1 + 1e-12)).all()
    assert broken(net, X, found.lower, norm, 400) == 0
    there = np.isfinite(found.upper)
    order = {"inf": np.inf, "2": 2, "1": 1}[norm]
    assert (labels(net, found.adversarial[there]) != labels(net, X[there])).all()
    assert np.linalg.norm((found.adversarial - X)[there], ord=order, axis=1) == pytest.approx(found.upper[there])
    if method == "exact":
        assert found.exact.all()


@pytest.mark.slow
def test_a_million_attacks_inside_radii_fail() -> None:
    count = 0
    for kind, method in (("relu", "exact"), ("relu", "linear"), ("tanh", "linear"), ("logistic", "linear")):
        net = network((5, 10, 10, 3), kind, seed=7)
        X = RNG.normal(size=(20, 5))
        radii = robust_radius(net, X, method=method).lower
        assert broken(net, X, radii, "inf", 10_000) == 0
        count += 20 * 12_500
    assert count >= 10**6


@pytest.mark.parametrize("norm", ["inf", "1"])
@pytest.mark.parametrize(("widths", "seed"), [((2, 5, 2), 0), ((2, 5, 1), 1), ((2, 3, 2, 3), 2), ((1, 6, 2), 3)])
def test_exact_radii_are_those_of_all_regions(widths: tuple[int, ...], seed: int, norm: str) -> None:
    net = network(widths, seed=seed)
    X = np.random.default_rng(seed).normal(size=(3, widths[0]))
    found = robust_radius(net, X, norm=norm, method="exact")
    expected = np.array([radius_by_regions(net, row, norm) for row in X])
    finite = np.isfinite(expected)
    assert found.exact[finite].all()
    assert found.lower[finite] == pytest.approx(expected[finite], rel=1e-5)
    assert (found.lower[finite] <= expected[finite] * (1 + 1e-9)).all()
    for method in ("interval", "linear"):
        other = robust_radius(net, X, norm=norm, method=method)
        assert (other.lower[finite] <= expected[finite] * (1 + 1e-9)).all()
        assert (other.upper[finite] >= expected[finite] * (1 - 1e-9)).all()


def test_methods_are_ordered() -> None:
    net, X = network((4, 6, 6, 3), seed=5), RNG.normal(size=(4, 4))
    interval, linear, exact = (robust_radius(net, X, method=method) for method in ("interval", "linear", "exact"))
    assert (interval.lower <= linear.lower * (1 + 1e-6)).all()
    assert (linear.lower <= exact.lower).all()
    assert linear.lower.mean() > 1.5 * interval.lower.mean()
    assert exact.exact.mean() >= 0.75
    assert np.array_equal(robust_radius(net, X).lower, exact.lower)  # auto: 12 units


def test_too_few_nodes_leave_a_smaller_radius_that_holds() -> None:
    net, X = network((4, 14, 14, 3), seed=5), RNG.normal(size=(2, 4))
    few, many = (robust_radius(net, X, method="exact", max_nodes=nodes) for nodes in (5, 50))
    assert not few.exact.all()
    assert (few.lower <= many.lower * (1 + 1e-12)).all()
    assert broken(net, X, few.lower, "inf", 400) == 0


def test_a_linear_network_has_the_distance_to_its_plane() -> None:
    w, b = np.array([3.0, -4.0]), 0.5
    line = Sequential(Dense(2, 1), Sigmoid())
    line.parameters["0.weights"][:, 0], line.parameters["0.bias"][:] = w, b
    X = RNG.normal(size=(20, 2))
    for norm, dual in (("inf", 7.0), ("2", 5.0), ("1", 4.0)):
        found = robust_radius(line, X, norm=norm)
        assert found.lower == pytest.approx(np.abs(X @ w + b) / dual, rel=1e-5)
        assert found.exact.all()


def proved(net: Sequential, X: np.ndarray, norm: str, method: str) -> np.ndarray:
    """The largest radii that the bounds accept, without help of known points with another label."""
    parsed = dense_layers.scoring_network(net)
    margins = parsed.margins(labels(net, X))

    def accepted(numbers: np.ndarray, radius: np.ndarray) -> np.ndarray:
        return linear_bounds.cannot_change(parsed, X[numbers], margins[numbers], radius, norm, method)

    return radius_search.largest_accepted(accepted, np.full(len(X), np.inf))


@pytest.mark.parametrize("method", ["interval", "linear"])
def test_bounds_alone_stay_below_the_radius(method: str) -> None:
    net, X = network((3, 5, 3), seed=3), np.random.default_rng(3).normal(size=(5, 3))
    for norm in ("inf", "1"):
        expected = np.array([radius_by_regions(net, row, norm) for row in X])
        assert (proved(net, X, norm, method) <= expected).all()
    for kind in ("relu", "tanh", "logistic"):
        net = network((3, 8, 4, 2), kind, seed=3)
        assert broken(net, X, proved(net, X, "inf", method), "inf", 1000) == 0


def lowered(right, amount: float):
    def mutant(*given):
        s, t, S, T = right(*given)
        return s, t, S, T - amount * (given[2] - given[1]) * (S > s)

    return mutant


MUTANTS = {
    "a smaller ball": (linear_bounds, "dual_lengths", lambda right: lambda *given: 0.9 * right(*given)),
    "a lower chord": (linear_bounds, "activation_lines", lambda right: lowered(right, 0.5)),
    "smaller ranges": (
        linear_bounds,
        "interval_bounds",
        lambda right: lambda *given: tuple(0.4 * end + 0.3 * sum(right(*given)) for end in right(*given)),
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, caught = np.random.default_rng(3).normal(size=(5, 3)), 0
    module, function, change = MUTANTS[name]
    for seed in range(2):
        net = network((3, 4, 3), seed=seed)
        expected = np.array([radius_by_regions(net, row) for row in X])
        monkeypatch.setattr(module, function, change(getattr(module, function)))
        radii = np.minimum(proved(net, X, "inf", "linear"), 100.0)
        monkeypatch.undo()
        caught += int((radii > expected).sum())
        if (radii > expected).any():
            assert broken(net, X, radii, "inf", 1000) > 0
    assert caught > 0


def test_a_mutant_of_the_dual_bound_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    net, X = network((3, 5, 3), seed=3), RNG.normal(size=(5, 3))
    bound = node_programs.dual_bound
    monkeypatch.setattr(node_programs, "dual_bound", lambda *given: 1.05 * bound(*given))
    monkeypatch.setattr(branch_and_bound, "_try_point", lambda *_: None)  # what is found must not hide what is claimed
    found = [
        branch_and_bound.nearest_change(
            dense_layers.scoring_network(net), row, place, "inf", branch_and_bound.Nearest(0.0, 5.0, row * np.nan), 500
        ).lower
        for row, place in zip(X, labels(net, X), strict=True)
    ]
    expected = np.array([radius_by_regions(net, row) for row in X])
    assert (np.array(found) > expected * (1 + 1e-6)).any()


def test_bounds_of_programs_hold_for_any_multipliers() -> None:
    from scipy import optimize, sparse

    for _ in range(20):
        A, b, c = RNG.normal(size=(6, 4)), RNG.uniform(0, 2, 6), RNG.normal(size=4)
        low, high = -RNG.uniform(0, 2, 4), RNG.uniform(0, 2, 4)
        best = optimize.linprog(c, A, b, bounds=np.stack([low, high], axis=1))
        matrix = sparse.csr_array(A)
        tight = node_programs.dual_bound(c, matrix, b, low, high, -best.ineqlin.marginals)
        assert tight == pytest.approx(best.fun, abs=1e-9)
        assert tight <= best.fun + 1e-12
        for _ in range(20):
            assert node_programs.dual_bound(c, matrix, b, low, high, RNG.normal(size=6)) <= best.fun + 1e-12


def exact_scores(net: Sequential, row: np.ndarray) -> list[Fraction]:
    """A ReLU network in fractions."""
    values = [Fraction(float(x)) for x in row]
    dense = [module for module in net.modules if isinstance(module, Dense)]
    for place, layer in enumerate(dense):
        W, b = layer.parameters["weights"].tolist(), layer.parameters["bias"].tolist()
        values = [sum((v * Fraction(W[i][j]) for i, v in enumerate(values)), Fraction(b[j])) for j in range(len(b))]
        if place < len(dense) - 1:
            values = [max(v, Fraction(0)) for v in values]
    return values


@pytest.mark.parametrize("method", ["interval", "linear", "exact"])
def test_radii_hold_where_rounding_decides(method: str) -> None:
    """Scores are differences of huge numbers: what is computed and what is true differ, both must keep labels."""
    for seed in range(6):
        net = network((2, 4, 1), seed=seed)
        net.parameters["2.bias"][:] = 0.0
        net.parameters["0.weights"][:, 1] = net.parameters["0.weights"][:, 0]
        net.parameters["0.bias"][:2] = 3.0
        net.parameters["2.weights"][:2, 0] = 1e15, -1e15 * (1 + 2e-16)
        X = np.random.default_rng(seed).normal(size=(3, 2))
        radii = robust_radius(net, X, method=method).lower
        own = labels(net, X)
        for row, radius, place in zip(X, radii, own, strict=True):
            if radius == 0.0:
                continue
            assert (exact_scores(net, row)[0] > 0) == place
            for point in attacks(net, row, radius, "inf", 40):
                assert (exact_scores(net, point)[0] > 0) == place
                assert labels(net, point[None])[0] == place


def test_forgotten_roundings_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two tests around this one fail where roundings are not counted."""
    counted = linear_bounds.Region.add_noise

    def forgotten(region: linear_bounds.Region, layer: int) -> None:
        counted(region, layer)
        region.noise[-1] = 0.0 * region.noise[-1]

    monkeypatch.setattr(linear_bounds.Region, "add_noise", forgotten)
    for module in (linear_bounds, node_programs, activation_lines):
        monkeypatch.setattr(module, "U", 0.0)
    monkeypatch.setattr(linear_bounds, "SLACK", 0.0)
    with pytest.raises(AssertionError):
        test_radii_hold_where_rounding_decides("linear")
    with pytest.raises(AssertionError):
        test_scores_that_rounding_can_turn_have_no_radius()


def test_scores_that_rounding_can_turn_have_no_radius() -> None:
    net = Sequential(Dense(1, 2))
    net.parameters["0.weights"][:], net.parameters["0.bias"][:] = [[1e16, 1e16]], [1.0, 0.0]
    found = robust_radius(net, [[1.0]])  # 1e16 + 1 is not a double
    assert found.lower.tolist() == [0.0]


def test_networks_in_single_precision() -> None:
    net = network((3, 10, 3), seed=4)
    dense = [net[0], net[2]]
    parts = [[layer.parameters[name].astype(np.float32) for layer in dense] for name in ("weights", "bias")]

    def predict(X):
        a = np.maximum(np.asarray(X, dtype=np.float32) @ parts[0][0] + parts[1][0], 0)
        return (a @ parts[0][1] + parts[1][1]).argmax(axis=1)

    model = SimpleNamespace(coefs_=parts[0], intercepts_=parts[1], activation="relu", classes_=np.arange(3))
    model.predict, model.out_activation_ = predict, "softmax"
    X = RNG.normal(size=(5, 3))
    found = robust_radius(model, X)
    own = predict(X)
    for row, radius, place in zip(X, found.lower, own, strict=True):
        assert (predict(inside(row, radius, "inf", 2000, RNG)) == place).all()
    assert (found.lower > 0.9 * found.upper).mean() > 0.5


def test_probabilities_and_dropout_do_not_matter() -> None:
    net, X = network((3, 6, 3), seed=1), RNG.normal(size=(4, 3))
    longer = Sequential(*net.modules[:-1], Dropout(0.5, random_state=0), net.modules[-1], Softmax())
    assert np.allclose(robust_radius(longer, X).lower, robust_radius(net, X).lower, rtol=1e-6)
    assert longer.training  # the user's network is as it was
    assert longer.modules[0].gradients == {}


def test_lipschitz_bounds_hold() -> None:
    for kind in ("relu", "tanh", "logistic"):
        net = network((4, 9, 7, 3), kind, seed=2)
        x, z = RNG.normal(size=(2000, 4)), RNG.normal(size=(2000, 4))
        z = np.where(RNG.random((2000, 1)) < 0.5, z, x + 1e-3 * z)
        apart = net.forward(x) - net.forward(z)
        for norm, order in (("2", 2), ("inf", np.inf), ("1", 1)):
            ratio = np.linalg.norm(apart, ord=order, axis=1) / np.linalg.norm(x - z, ord=order, axis=1)
            assert ratio.max() <= lipschitz_bound(net, norm)
    line = Sequential(Dense(5, 4, random_state=0))
    W = line.parameters["0.weights"]
    for norm, order in (("2", 2), ("inf", np.inf), ("1", 1)):
        assert lipschitz_bound(line, norm) == pytest.approx(np.linalg.norm(W.T, order), rel=1e-12)
        assert lipschitz_bound(line, norm) >= np.linalg.norm(W.T, order)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"norm": "3"}, "norm must be one of inf, 2, 1"),
        ({"method": "fast"}, "method must be one of"),
        ({"method": "exact", "norm": "2"}, "ReLU units only and the norm inf or 1"),
        ({"X": [[1.0, 2.0]]}, "X must have 3 columns"),
        ({"X": [[1.0, np.nan, 0.0]]}, "row 0, column 1"),
        ({"model": SimpleNamespace(coefs_=[np.ones((3, 1))], intercepts_=[np.ones(1)])}, "classifier"),
        ({"model": object()}, "classifier|Sequential"),
        ({"model": Sequential(LayeredNetwork((3, 2)))}, "dense layers"),
        ({"model": Sequential(Dense(3, 2), Softmax(), Dense(2, 2))}, "dense layers"),
    ],
)
def test_errors_help(change: dict, message: str) -> None:
    given = {"model": network((3, 4, 2)), "X": np.zeros((1, 3)), **change}
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        robust_radius(**given)
    assert "Hint:" in str(caught.value)


def test_unpleasant_rows_and_weights() -> None:
    net, X = network((3, 6, 3), seed=1), np.random.default_rng(1).normal(size=(4, 3))
    assert robust_radius(net, np.zeros((0, 3))).lower.shape == (0,)
    assert np.array_equal(robust_radius(net, sparse.csr_array(X)).lower, robust_radius(net, X).lower)
    for size in (1e-200, 1e100):
        for method in ("linear", "exact"):
            found = robust_radius(net, X * size, method=method)
            assert (found.lower <= found.upper).all()
    tied = network((3, 4, 3), seed=1)
    for name in ("weights", "bias"):
        part = tied.parameters[f"2.{name}"]
        part[..., 1] = part[..., 0]
    place = labels(tied, X)
    assert (robust_radius(tied, X).lower[place < 2] == 0.0).all()  # the order of sums decides between equal scores
    constant = network((3, 4, 2), seed=1)
    constant.parameters["2.weights"][:] = 0.0
    found = robust_radius(constant, X)
    assert np.isinf(found.upper).all()
    assert (found.lower > 1e10).all()
    for wrong, message in ((X * 1e308, "finite scores"), ([["a", "b", "c"]], "table of numbers")):
        with pytest.raises(ValueError, match=rf"{message}[\s\S]*Hint:"):
            robust_radius(net, wrong)


def test_the_result_is_a_record() -> None:
    found = robust_radius(network((3, 4, 2)), np.zeros((2, 3)))
    assert {field.name for field in dataclasses.fields(found)} == {"lower", "upper", "exact", "adversarial", "norm"}


def test_a_model_that_always_says_the_same_has_no_upper_radius() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.r_[np.zeros(59, dtype=int), 1]
    model = MLPClassifier((4,), activation="tanh", tol=1e9, n_iter_no_change=3, random_state=1).fit(X, y)
    model.intercepts_[-1][:] = -1e3
    found = robust_radius(model, X[:2])
    assert np.isinf(found.upper).all()
