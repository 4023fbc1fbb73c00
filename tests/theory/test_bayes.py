"""Bayes actions, Bayes risk and the limits of nearest neighbors."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from certus.theory import (
    bayes_action,
    bayes_error,
    bayes_interval,
    bayes_predictor,
    cost_action,
    cover_hart,
    gaussian_bayes_error,
    neighbor_error,
    neighbor_limit,
    one_neighbor_error,
)


def line(x):
    return 0.2 + 0.6 * x


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 9)), min_size=1, max_size=6), st.floats(0.05, 0.95))
def test_no_action_is_better(pairs, quantile):
    outcomes = np.array([float(o) for o, _ in pairs])
    chances = np.array([w for _, w in pairs]) / sum(w for _, w in pairs)
    losses = {
        "square": lambda y, a: (y - a) ** 2,
        "absolute": lambda y, a: np.abs(y - a),
        "zero-one": lambda y, a: (y != a).astype(float),
        "pinball": lambda y, a: np.maximum(quantile * (y - a), (quantile - 1) * (y - a)),
    }
    for name, loss in losses.items():
        found = bayes_action(outcomes, chances, name, quantile=quantile)
        assert found.risk == pytest.approx(float(chances @ loss(outcomes, found.action)), abs=1e-12)
        for action in np.linspace(-6, 6, 49):
            assert float(chances @ loss(outcomes, action)) >= found.risk - 1e-9


def test_actions_have_their_names():
    outcomes, chances = [0.0, 1.0, 2.0, 10.0], [0.1, 0.45, 0.25, 0.2]
    assert bayes_action(outcomes, chances).action == pytest.approx(np.dot(outcomes, chances))
    assert bayes_action(outcomes, chances, "absolute").action == 1.0
    assert bayes_action(outcomes, chances, "zero-one").action == 1.0
    assert bayes_action(outcomes, chances, "pinball", quantile=0.9).action == 10.0


def test_costs_move_the_decision():
    equal = [[0, 1], [1, 0]]
    assert cost_action([0.6, 0.4], equal).action == 0
    assert cost_action([0.6, 0.4], [[0, 1], [5, 0]]).action == 1
    found = cost_action([0.5, 0.5], [[0, 1, 0.2], [1, 0, 0.2]])
    assert (found.action, found.risk) == (2, pytest.approx(0.2))


def test_bayes_predictor_beats_every_function():
    rng = np.random.default_rng(0)
    joint = rng.dirichlet(np.ones(12)).reshape(4, 3)
    best = bayes_predictor(joint)
    for answers in itertools.product(range(3), repeat=4):
        assert 1 - joint[np.arange(4), answers].sum() >= best.risk - 1e-12
    costs = rng.random((3, 2))
    cheap = bayes_predictor(joint, costs=costs)
    for answers in itertools.product(range(2), repeat=4):
        risk = sum(joint[i, y] * costs[y, a] for i, a in enumerate(answers) for y in range(3))
        assert risk >= cheap.risk - 1e-12
    square = bayes_predictor(joint, [0.0, 1.0, 5.0], "square")
    assert square.predictions[0] == pytest.approx(joint[0] @ [0, 1, 5] / joint[0].sum())


def test_gaussian_classes():
    assert gaussian_bayes_error([0, 0], [2, 0], np.eye(2)) == pytest.approx(stats.norm.cdf(-1), rel=1e-12)
    assert gaussian_bayes_error([0.0], [0.0], [[1.0]], 0.3) == 0.3
    grid = np.linspace(-12, 14, 400_001)
    for p in (0.2, 0.5, 0.9):
        low = np.minimum(p * stats.norm.pdf(grid, 0, 1.5), (1 - p) * stats.norm.pdf(grid, 2, 1.5))
        assert gaussian_bayes_error([0.0], [2.0], [[2.25]], p) == pytest.approx(np.trapezoid(low, grid), rel=1e-6)


def test_limits_of_nearest_neighbors():
    assert bayes_error(line) == pytest.approx(0.35, abs=1e-10)
    assert neighbor_limit(line, 1) == pytest.approx(0.44, abs=1e-10)
    assert neighbor_limit(line, 3) == pytest.approx(0.41648, abs=1e-10)
    assert neighbor_limit(line, 501) == pytest.approx(0.35, abs=3e-3)


def test_limits_are_reached_by_many_rows():
    rng = np.random.default_rng(1)
    x = np.sort(rng.random(200_000))
    y = rng.random(len(x)) < line(x)
    at = rng.random(20_000)
    place = np.clip(np.searchsorted(x, at), 1, len(x) - 1)
    near = np.where(at - x[place - 1] < x[place] - at, place - 1, place)
    wrong = y[near] != (rng.random(len(at)) < line(at))
    assert wrong.mean() == pytest.approx(0.44, abs=4 * 0.5 / np.sqrt(20_000))


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=6))
def test_cover_and_hart(weights):
    chances, classes = np.array(weights) / sum(weights), len(weights)
    bayes, neighbor = 1 - chances.max(), one_neighbor_error(chances)
    assert bayes - 1e-12 <= neighbor <= cover_hart(bayes, classes) + 1e-12 <= 2 * bayes + 2e-12
    low, high = bayes_interval(neighbor, classes)
    assert low - 1e-9 <= bayes <= high + 1e-9
    if classes == 2:
        assert neighbor_error(float(chances[0])) == pytest.approx(neighbor, abs=1e-12)


def test_one_neighbor_is_best_without_noise_and_with_nothing_but_noise():
    assert one_neighbor_error([1.0, 0.0]) == 0.0
    assert one_neighbor_error([0.25] * 4) == pytest.approx(0.75)
    assert cover_hart(0.75, 4) == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bayes_action([1.0], [0.5]), "chances must add up to 1"),
        (lambda: bayes_action([1.0, 2.0], [1.0]), "outcomes must be 1 finite numbers"),
        (lambda: bayes_action([1.0], [1.0], "cube"), "loss must be one of"),
        (lambda: bayes_action([1.0], [1.0], quantile=1.0), "quantile must lie strictly between 0 and 1"),
        (lambda: cost_action([0.5, 0.5], [[1, 2]]), r"costs must be a finite \(2 classes, actions\) table"),
        (lambda: cost_action([-0.5, 1.5], np.eye(2)), "chances must be a non-empty vector"),
        (lambda: bayes_predictor([[0.5, 0.6]]), "joint must add up to 1"),
        (lambda: bayes_predictor([0.5, 0.5]), r"joint must be a \(points, outcomes\) table"),
        (lambda: gaussian_bayes_error([0.0], [1.0, 2.0], [[1.0]]), "do not fit"),
        (lambda: gaussian_bayes_error([0.0], [1.0], [[1.0]], 1.0), "first_chance must lie"),
        (lambda: bayes_error(line, 1.0, 0.0), "low must be less than high"),
        (lambda: neighbor_error(0.5, 2), "neighbors must be odd"),
        (lambda: neighbor_error(1.5), "chance must lie between 0 and 1"),
        (lambda: cover_hart(0.6), "bayes must lie between"),
        (lambda: bayes_interval(0.6), "neighbor must lie between"),
    ],
)
def test_error_names_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
