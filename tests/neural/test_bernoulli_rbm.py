"""Restricted Boltzmann machines: sums over all states, the gradient that a step estimates, and what is learned."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp
from sklearn.neural_network import BernoulliRBM as PeerRBM

from certus.base.callbacks import History
from certus.neural import BernoulliRBM
from certus.neural.learning import binary_layers
from certus.neural.learning.binary_layers import BinaryLayers

RNG = np.random.default_rng(0)


def states(count: int) -> np.ndarray:
    return np.array(list(itertools.product((0.0, 1.0), repeat=count)))


def layers(hidden: int, visible: int) -> BinaryLayers:
    return BinaryLayers(RNG.normal(size=(hidden, visible)), RNG.normal(size=hidden), RNG.normal(size=visible))


@pytest.mark.parametrize(("hidden", "visible"), [(2, 4), (5, 3), (1, 1)])
def test_sums_over_states_are_those_of_an_enumeration(hidden: int, visible: int, monkeypatch) -> None:
    monkeypatch.setattr(binary_layers, "BLOCK", 4)
    both = layers(hidden, visible)
    h, v = states(hidden), states(visible)
    exponents = h @ both.weights @ v.T + (h @ both.hidden)[:, None] + v @ both.visible
    assert both.log_partition() == pytest.approx(logsumexp(exponents), rel=1e-12)
    assert both.free_energy(v) == pytest.approx(-logsumexp(exponents, axis=0), rel=1e-10)
    joint = np.exp(exponents - logsumexp(exponents))
    assert both.mean_hidden(v) == pytest.approx((joint.T @ h) / joint.sum(axis=0)[:, None])
    assert both.mean_visible(h) == pytest.approx((joint @ v) / joint.sum(axis=1)[:, None])


def test_likelihoods_of_all_rows_add_up_to_one() -> None:
    X = (RNG.random((40, 4)) < 0.3).astype(float)
    model = BernoulliRBM(3, n_iter=20, random_state=0).fit(X)
    assert np.exp(model.log_likelihood(states(4))).sum() == pytest.approx(1.0, rel=1e-12)
    assert np.allclose(model.log_likelihood(sparse.csr_array(X)), model.log_likelihood(X))
    wide = BernoulliRBM(25, n_iter=1, random_state=0).fit(RNG.random((30, 22)))
    with pytest.raises(ValueError, match=r"at most 20 units[\s\S]*Hint:"):
        wide.log_likelihood(RNG.random((3, 22)))


def test_a_step_estimates_the_gradient_of_the_likelihood() -> None:
    """With many chains that have forgotten their start, it is the derivative of the mean log-likelihood."""
    X = (RNG.random((50, 4)) < [0.9, 0.2, 0.5, 0.7]).astype(float)
    model = BernoulliRBM(2, batch_size=50, n_iter=5, random_state=0).fit(X)
    model.components_ = np.array([[0.8, -0.5, 0.3, 0.0], [-0.4, 0.6, 0.2, 0.5]])
    both = model._layers()
    exact = np.zeros(both.weights.shape)
    for place in np.ndindex(exact.shape):
        ends = []
        for sign in (1.0, -1.0):
            moved = BinaryLayers(both.weights.copy(), both.hidden, both.visible)
            moved.weights[place] += sign * 1e-5
            ends.append((-moved.free_energy(X)).mean() - moved.log_partition())
        exact[place] = (ends[0] - ends[1]) / 2e-5
    model.learning_rate, model._random = 1e-12, np.random.RandomState(0)
    chains, moves = np.zeros((4000, 2)), []
    for step in range(60):
        before = both.weights.copy()
        chains = model._step(both, X, chains)
        if step >= 10:
            moves.append((both.weights - before) / 1e-12)
    assert np.mean(moves, axis=0) == pytest.approx(exact, abs=0.01)


def test_learning_raises_the_exact_likelihood() -> None:
    patterns = np.array([[1, 1, 0, 0, 1], [0, 0, 1, 1, 0], [1, 0, 1, 0, 1]], dtype=float)
    X = patterns[RNG.integers(0, 3, 300)]
    history = History()
    start = BernoulliRBM(6, n_iter=0, random_state=0).fit(X)
    model = BernoulliRBM(6, learning_rate=0.02, n_iter=150, random_state=0).set_callbacks(history).fit(X)
    assert start.log_likelihood(X).mean() < -3.4
    assert model.log_likelihood(X).mean() > -1.6  # the best possible is -log 3 = -1.10
    told = [row["pseudo_likelihood"] for row in history.rows]
    assert len(told) == 150
    assert np.mean(told[-20:]) > np.mean(told[:5])


def test_equal_batches_give_scikit_learns_numbers() -> None:
    X = (RNG.random((60, 7)) < 0.4).astype(float)
    for table in (X, sparse.csr_matrix(X), sparse.csr_array(X)):
        ours, peer = (kind(4, n_iter=5, random_state=3).fit(table) for kind in (BernoulliRBM, PeerRBM))
        for name in ("components_", "intercept_hidden_", "intercept_visible_", "h_samples_"):
            assert getattr(ours, name) == pytest.approx(getattr(peer, name), abs=1e-12)
        assert ours.transform(table) == pytest.approx(peer.transform(table), abs=1e-12)
        assert ours.score_samples(table) == pytest.approx(peer.score_samples(table), rel=1e-9)


def test_a_smaller_last_batch_counts_by_its_rows() -> None:
    """The mean of the rows stands against the mean of the chains, however many there are of each."""
    model = BernoulliRBM(3, batch_size=10, n_iter=1, random_state=0).fit(np.full((7, 2), 0.5))
    assert np.abs(model.intercept_visible_).max() <= 0.1 * 0.5  # sums over 7 rows and 10 chains would be 10/7 of that


def test_partial_fit_goes_on_where_it_stopped() -> None:
    X = (RNG.random((20, 4)) < 0.4).astype(float)
    model = BernoulliRBM(3, random_state=0)
    for _ in range(30):
        model.partial_fit(X)
    assert model.log_likelihood(X).mean() > BernoulliRBM(3, n_iter=0, random_state=0).fit(X).log_likelihood(X).mean()
    drawn = [model.gibbs(X) for _ in range(2)]
    assert drawn[0].dtype == bool
    assert (drawn[0] != drawn[1]).any()
