"""Boltzmann machines of two hidden layers: sums over all states, bounds by mean fields, and what is learned."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import logsumexp

from certus.neural import DeepBoltzmannMachine
from certus.neural.learning import three_layers
from certus.neural.learning.binary_layers import BinaryLayers
from certus.neural.learning.three_layers import ThreeLayers

RNG = np.random.default_rng(0)


def states(count: int) -> np.ndarray:
    return np.array(list(itertools.product((0.0, 1.0), repeat=count)))


def layers(p: int, k: int, m: int, scale: float = 1.0) -> ThreeLayers:
    shapes = (k, p), (m, k), (p,), (k,), (m,)
    return ThreeLayers(*(scale * RNG.normal(size=shape) for shape in shapes))


def exponents(net: ThreeLayers) -> np.ndarray:
    """Of every state (v, h, g)."""
    v, h, g = (states(len(part)) for part in (net.visible, net.hidden, net.deep))
    pairs = (v @ net.lower.T @ h.T)[:, :, None] + (h @ net.upper.T @ g.T)[None]
    return pairs + (v @ net.visible)[:, None, None] + (h @ net.hidden)[None, :, None] + (g @ net.deep)[None, None]


def test_sums_over_states_are_those_of_an_enumeration(monkeypatch) -> None:
    monkeypatch.setattr(three_layers, "BLOCK", 4)
    for p, k, m in ((3, 4, 2), (2, 1, 3)):
        net = layers(p, k, m)
        of_rows, of_all = net.log_sums(states(p))
        assert of_all == pytest.approx(logsumexp(exponents(net)), rel=1e-12)
        assert of_rows == pytest.approx(logsumexp(exponents(net), axis=(1, 2)), rel=1e-10)


def test_conditional_means_are_those_of_an_enumeration() -> None:
    net = layers(3, 2, 2)
    joint = np.exp(exponents(net))
    v, h, g = states(3), states(2), states(2)
    for i, j in np.ndindex(len(v), len(g)):
        expected = joint[i, :, j] @ h / joint[i, :, j].sum()
        assert net.mean_hidden(v[i : i + 1], g[j : j + 1])[0] == pytest.approx(expected)
    over_h = joint.sum(axis=2)
    assert net.mean_visible(h) == pytest.approx((over_h.T @ v) / over_h.sum(axis=0)[:, None])
    over_g = joint.sum(axis=0)
    assert net.mean_deep(h) == pytest.approx((over_g @ g) / over_g.sum(axis=1)[:, None])


def test_mean_fields_bound_the_likelihood_and_better_ones_more_tightly() -> None:
    v = states(4)
    for scale in (0.3, 1.0, 2.0):
        net = layers(4, 3, 3, scale)
        exact = net.log_sums(v)[0]
        few, many = (net.lower_bound(v, *net.mean_field(v, steps)) for steps in (1, 50))
        assert (many <= exact + 1e-12).all()
        assert many.sum() >= few.sum() - 1e-9
        anything = RNG.random((len(v), 3)), RNG.random((len(v), 3))
        assert (net.lower_bound(v, *anything) <= exact + 1e-12).all()
    independent = layers(4, 3, 2)
    independent.upper[:] = 0.0  # then the fields are exact
    assert independent.lower_bound(v, *independent.mean_field(v, 2)) == pytest.approx(independent.log_sums(v)[0])


def test_without_a_deep_layer_it_is_a_restricted_machine() -> None:
    net = layers(4, 3, 2)
    net.upper[:] = 0.0
    flat = BinaryLayers(net.lower, net.hidden, net.visible)
    of_rows, of_all = net.log_sums(states(4))
    assert of_rows - of_all == pytest.approx(-flat.free_energy(states(4)) - flat.log_partition())


def test_a_step_estimates_the_gradient_of_the_likelihood() -> None:
    """Where mean fields are exact and the chains many, it is the derivative of the mean log-likelihood."""
    X = (RNG.random((50, 4)) < [0.9, 0.2, 0.5, 0.7]).astype(float)
    net, rng = layers(4, 2, 2, 0.7), np.random.default_rng(0)
    net.upper[:] = 0.0
    exact = np.zeros(net.lower.shape)
    for place in np.ndindex(exact.shape):
        ends = []
        for sign in (1.0, -1.0):
            net.lower[place] += sign * 1e-5
            of_rows, of_all = net.log_sums(X)
            ends.append(of_rows.mean() - of_all)
            net.lower[place] -= sign * 1e-5
        exact[place] = (ends[0] - ends[1]) / 2e-5
    model, moves = DeepBoltzmannMachine(2, 2), []
    chains = rng.random((4000, 4)) < 0.5, rng.random((4000, 2)) < 0.5
    for step in range(60):
        before = net.lower.copy()
        chains = model._step(net, X, chains, 1e-12, rng)
        if step >= 10:
            moves.append((net.lower - before) / 1e-12)
    assert np.mean(moves, axis=0) == pytest.approx(exact, abs=0.02)


def test_learning_raises_the_exact_likelihood() -> None:
    patterns = np.array([[1, 1, 0, 0, 1], [0, 0, 1, 1, 0], [1, 0, 1, 0, 1]], dtype=float)
    X = patterns[RNG.integers(0, 3, 300)]
    start = DeepBoltzmannMachine(6, 3, n_iter=0, random_state=0).fit(X)
    model = DeepBoltzmannMachine(6, 3, n_iter=100, random_state=0).fit(X)
    assert start.log_likelihood(X).mean() < -3.4
    assert model.log_likelihood(X).mean() > -2.0  # the best possible is -log 3 = -1.10
    assert np.exp(model.log_likelihood(states(5))).sum() == pytest.approx(1.0, rel=1e-12)
    assert (model.lower_bound(X) <= model.log_likelihood(X) + 1e-12).all()
    assert model.transform(X).shape == (300, 3)
    wide = DeepBoltzmannMachine(21, 2, n_iter=0).fit(X)
    with pytest.raises(ValueError, match=r"at most 20 units[\s\S]*Hint:"):
        wide.log_likelihood(X)
