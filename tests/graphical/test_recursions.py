"""Likelihood, filtering, smoothing and decoding are what the sum over all paths gives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from threadpoolctl import threadpool_limits

from certus.graphical import CategoricalHMM, GaussianHMM, _native_calls
from tests.graphical.enumeration import (
    Enumerated,
    gaussian_densities,
    gaussian_model,
    random_chain,
    symbol_densities,
    symbol_model,
)


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_symbols_against_all_paths(seed, zeros):
    rng = np.random.default_rng(seed)
    model = symbol_model(rng, zeros=zeros)
    X = rng.integers(0, 4, 6).astype(float)
    X[2] = np.nan
    truth = Enumerated(model.startprob_, model.transmat_, symbol_densities(model, X))
    assert_allclose(model.score(X), np.log(truth.likelihood), rtol=1e-12)
    assert_allclose(model.predict_proba(X), truth.posterior, atol=1e-13)
    value, path = model.decode(X)
    assert_array_equal(path, truth.best[0])
    assert_allclose(value, truth.best[1], rtol=1e-12)
    for t in range(1, 7):
        before = Enumerated(model.startprob_, model.transmat_, symbol_densities(model, X[:t]))
        assert_allclose(model.filter(X)[t - 1], before.posterior[-1], atol=1e-13)


@pytest.mark.parametrize("kind", ["spherical", "diag", "full", "tied"])
def test_gaussians_with_missing_cells_against_all_paths(kind):
    rng = np.random.default_rng(1)
    model = gaussian_model(rng, kind)
    X = rng.normal(size=(6, 2))
    X[1] = np.nan
    X[3, 0] = np.nan
    X[4, 1] = np.nan
    truth = Enumerated(model.startprob_, model.transmat_, gaussian_densities(model, X))
    assert_allclose(model.score(X), np.log(truth.likelihood), rtol=1e-12)
    assert_allclose(model.predict_proba(X), truth.posterior, atol=1e-13)
    assert_array_equal(model.predict(X), truth.best[0])


def test_the_state_of_each_row_is_another_answer_than_the_best_path():
    model = symbol_model(np.random.default_rng(3))
    X = np.array([0, 1, 2, 3, 0, 1])
    value, states = model.decode(X, algorithm="map")
    assert_array_equal(states, model.predict_proba(X).argmax(axis=1))
    truth = Enumerated(model.startprob_, model.transmat_, symbol_densities(model, X))
    place = np.flatnonzero((truth.paths == states).all(axis=1))[0]
    assert_allclose(value, np.log(truth.joint[place]))
    assert value <= model.decode(X)[0]


def plain_recursions(start, transitions, densities):
    """Log-likelihood and posteriors in logarithms."""
    with np.errstate(divide="ignore"):
        start, steps = np.log(start), np.log(transitions)
    forward, backward = [start + densities[0]], [np.zeros(len(start))]
    for row in densities[1:]:
        forward.append(logsumexp(forward[-1][:, None] + steps, axis=0) + row)
    for row in densities[:0:-1]:
        backward.append(logsumexp(steps + row + backward[-1], axis=1))
    joint = np.array(forward) + np.array(backward)[::-1]
    total = logsumexp(forward[-1])
    return total, np.exp(joint - total)


@pytest.mark.parametrize("states", [1, 2, 4, 5, 8, 9, 16, 17, 24, 25, 40])
def test_every_width_of_the_loops(states):
    rng = np.random.default_rng(states)
    start, transitions = random_chain(rng, states)
    densities = rng.normal(size=(150, states)) * 3.0
    total, posterior = plain_recursions(start, transitions, densities)
    begins = np.array([0, 150])
    found = _native_calls.expect_states(start, transitions, begins, densities, np.empty(0))
    assert_allclose(found.likelihood, total, rtol=1e-12)
    assert_allclose(found.posterior, posterior, atol=1e-12)
    assert_allclose(found.pairs.sum(), 149.0)
    assert_allclose(found.pairs.sum(axis=0) + found.posterior[0], posterior.sum(axis=0), rtol=1e-10)
    filtered, likelihood = _native_calls.filter_states(start, transitions, begins, densities)
    assert_allclose(likelihood, total, rtol=1e-12)
    assert_allclose(filtered[-1], posterior[-1], atol=1e-12)
    best, value = _native_calls.best_paths(start, transitions, begins, densities.copy())
    again = _native_calls.best_values(start, transitions, begins, densities)
    assert_allclose(value, again, rtol=1e-12)
    taken = densities[np.arange(150), best].sum() + np.log(start[best[0]])
    assert_allclose(taken + np.log(transitions[best[:-1], best[1:]]).sum(), value, rtol=1e-12)


@pytest.mark.parametrize("size", [30.0, 3_000.0, 3e5])
def test_densities_beyond_the_range_of_doubles(size):
    rng = np.random.default_rng(0)
    start, transitions = random_chain(rng, 4, zeros=True)
    densities = size * rng.normal(size=(90, 4))
    begins = np.array([0, 40, 90])
    found = _native_calls.expect_states(start, transitions, begins, densities, np.empty(0))
    filtered, likelihood = _native_calls.filter_states(start, transitions, begins, densities)
    alone = _native_calls.likelihoods(start, transitions, begins, densities)
    for place, (begin, end) in enumerate([(0, 40), (40, 90)]):
        total, posterior = plain_recursions(start, transitions, densities[begin:end])
        assert_allclose([found.likelihood[place], likelihood[place], alone[place]], total, rtol=1e-12)
        assert_allclose(found.posterior[begin:end], posterior, atol=1e-9)
        assert_allclose(filtered[end - 1], posterior[-1], atol=1e-9)
    assert_allclose(found.pairs.sum(), 88.0)


def test_no_loss_where_one_state_is_unlikely_for_long_and_then_the_only_one():
    # State 0 cannot be left for state 1 and back; for 500 rows state 1 is 1e-400 times as probable, then certain.
    start, transitions = np.array([0.5, 0.5]), np.eye(2)
    densities = np.zeros((600, 2))
    densities[:300, 1] = -5.0
    densities[300:, 0] = -50.0
    total, posterior = plain_recursions(start, transitions, densities)
    found = _native_calls.expect_states(start, transitions, np.array([0, 600]), densities, np.empty(0))
    assert_allclose(found.likelihood, total, rtol=1e-12)
    assert_allclose(found.posterior, posterior, atol=1e-12)
    filtered, likelihood = _native_calls.filter_states(start, transitions, np.array([0, 600]), densities)
    assert_allclose(likelihood, total, rtol=1e-12)
    assert_allclose(_native_calls.likelihoods(start, transitions, np.array([0, 600]), densities), total, rtol=1e-12)
    assert filtered[299, 0] > 0.999
    assert filtered[-1, 1] > 0.999


def test_impossible_sequences_have_likelihood_zero_and_no_states():
    model = symbol_model(np.random.default_rng(0), states=2, symbols=2)
    model.emissionprob_ = [[1.0, 0.0], [1.0, 0.0]]
    assert model.score([0, 1, 0]) == -np.inf
    assert model.score([0, 1, 0, 0, 0], lengths=[3, 2]) == -np.inf
    for ask in (model.predict, model.predict_proba, model.filter, model.fisher_scores):
        with pytest.raises(ValueError, match="Sequence 0 has the probability 0"):
            ask([0, 1, 0, 0, 0], lengths=[3, 2])
    tracker = model.tracker()
    tracker.observe(0)
    with pytest.raises(ValueError, match="Row 1 cannot be emitted"):
        tracker.observe(1)


def test_many_sequences_are_what_each_is_alone():
    rng = np.random.default_rng(2)
    model = symbol_model(rng)
    lengths = rng.integers(1, 9, 40)
    X = rng.integers(0, 4, lengths.sum())
    parts = np.split(X, np.cumsum(lengths)[:-1])
    assert_allclose(model.score(X, lengths=lengths), sum(model.score(part) for part in parts))
    assert_allclose(model.predict_proba(X, lengths), np.vstack([model.predict_proba(part) for part in parts]))
    assert_array_equal(model.predict(X, lengths), np.concatenate([model.predict(part) for part in parts]))
    assert_array_equal(model.predict(parts), model.predict(X, lengths))
    assert_array_equal(model.filter(iter(parts)), model.filter(X, lengths))


@pytest.mark.parametrize("lengths", [[30_000], [100] * 300])
def test_thread_count_does_not_change_a_bit(lengths, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(3000, 3)), 10, axis=0) + 0.3 * rng.normal(size=(30_000, 3))
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        with threadpool_limits(int(threads)):
            model = GaussianHMM(4, "full", n_iter=3, tol=0, random_state=0).fit(X, lengths=lengths)
            found.append(
                [model.means_, model.covars_, model.transmat_, model.history_, model.predict_proba(X, lengths)]
            )
    for other in found[1:]:
        for ours, theirs in zip(found[0], other, strict=True):
            assert_array_equal(ours, theirs)


def test_a_tracker_gives_what_the_filter_gives():
    rng = np.random.default_rng(4)
    model = gaussian_model(rng)
    X = rng.normal(size=(20, 2))
    X[5] = np.nan
    tracker = model.tracker()
    assert_allclose(tracker.probabilities, model.startprob_)
    assert_allclose(tracker.forecast(), model.startprob_)
    assert_allclose([tracker.observe(row) for row in X], model.filter(X), atol=1e-13)
    assert_allclose(tracker.log_likelihood, model.score(X))
    assert tracker.n_rows == 20
    assert_allclose(tracker.forecast(3), tracker.probabilities @ np.linalg.matrix_power(model.transmat_, 3))


def test_the_fair_and_the_loaded_die():
    model = CategoricalHMM(2)
    model.startprob_, model.transmat_ = [1.0, 0.0], [[0.95, 0.05], [0.10, 0.90]]
    model.emissionprob_ = [[1 / 6] * 6, [0.1] * 5 + [0.5]]
    X, states = model.sample(4000, random_state=0)
    assert_allclose(model.get_stationary_distribution(), [2 / 3, 1 / 3])
    assert np.mean(model.predict(X) == states) > 0.75
    assert abs(np.mean(states) - 1 / 3) < 0.08
    assert abs(np.mean(X[states == 1] == 5) - 0.5) < 0.06
    assert model.sample(3, random_state=0, currstate=1)[1][0] == 1
