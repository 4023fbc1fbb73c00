"""Learning: rounds are exact, rise, keep zeros, and take sequences in every form."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from certus.base.callbacks import History
from certus.graphical import CategoricalHMM, ConvergenceMonitor, GaussianHMM
from tests.graphical.enumeration import (
    Enumerated,
    gaussian_densities,
    gaussian_model,
    symbol_densities,
    symbol_model,
)


def sequences(rng, count=12, width=2):
    """Sequences that stay in one of two states for some rows."""
    found = []
    for _ in range(count):
        states = np.repeat(rng.integers(0, 2, 4), 5)
        found.append(rng.normal(3.0 * states[:, None], 1.0, (20, width)))
    return found


def test_one_round_is_the_expectation_over_all_paths_for_symbols():
    rng = np.random.default_rng(0)
    model = symbol_model(rng, n_iter=1, tol=0, init_params="")
    X = rng.integers(0, 4, 12).astype(float)
    X[4] = np.nan
    parts = [Enumerated(model.startprob_, model.transmat_, symbol_densities(model, x)) for x in (X[:5], X[5:])]
    model.fit(X, lengths=[5, 7])
    first, pairs = sum(part.posterior[0] for part in parts), sum(part.pairs for part in parts)
    posterior = np.vstack([part.posterior for part in parts])
    counts = np.array([posterior[symbol == X].sum(axis=0) for symbol in range(4)]).T
    assert_allclose(model.startprob_, first / first.sum())
    assert_allclose(model.transmat_, pairs / pairs.sum(axis=1, keepdims=True))
    assert_allclose(model.emissionprob_, counts / counts.sum(axis=1, keepdims=True))
    assert_allclose(model.history_[0], np.log([part.likelihood for part in parts]).sum())


@pytest.mark.parametrize("kind", ["spherical", "diag", "full", "tied"])
def test_one_round_is_the_expectation_over_all_paths_for_gaussians(kind):
    rng = np.random.default_rng(1)
    model = gaussian_model(rng, kind, n_iter=1, tol=0, init_params="", covars_prior=0.0)
    X = rng.normal(size=(7, 2))
    g = Enumerated(model.startprob_, model.transmat_, gaussian_densities(model, X)).posterior
    model.fit(X)
    means = g.T @ X / g.sum(axis=0)[:, None]
    assert_allclose(model.means_, means)
    around = np.array([(g[:, k] * (X - means[k]).T) @ (X - means[k]) for k in range(3)])
    matrices = around / g.sum(axis=0)[:, None, None]
    expected = {
        "full": matrices,
        "tied": np.repeat(around.sum(axis=0)[None] / 7, 3, axis=0),
        "diag": np.array([np.diag(np.diag(matrix)) for matrix in matrices]),
        "spherical": np.array([np.eye(2) * np.trace(matrix) / 2 for matrix in matrices]),
    }[kind]
    assert_allclose(model.covars_, expected)


@pytest.mark.parametrize("kind", ["spherical", "diag", "full", "tied"])
@pytest.mark.parametrize("missing", [False, True])
def test_the_objective_never_falls_with_priors_and_missing_cells(kind, missing):
    rng = np.random.default_rng(2)
    X = np.vstack(sequences(rng))
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
        X[30:33] = np.nan
    model = GaussianHMM(
        3,
        kind,
        n_iter=25,
        tol=0,
        random_state=0,
        means_prior=1.0,
        means_weight=2.0,
        covars_prior=0.3,
        covars_weight=5.0,
        startprob_prior=1.5,
        transmat_prior=2.0,
    ).fit(X, lengths=[20] * 12)
    assert np.diff(model.history_).min() > -1e-9
    assert model.report_["largest fall of the likelihood in a round"].value < 1e-6
    assert np.isfinite(model.score(X, lengths=[20] * 12))


def test_missing_cells_hardly_hurt():
    rng = np.random.default_rng(3)
    parts = sequences(rng, 60)
    X = np.vstack(parts)
    broken = X.copy()
    broken[rng.random(X.shape) < 0.3] = np.nan
    for kind in ("diag", "full"):
        model = GaussianHMM(2, kind, n_iter=60, random_state=0).fit(broken, lengths=[20] * 60)
        assert_allclose(np.sort(model.means_, axis=0), [[0, 0], [3, 3]], atol=0.25)


def test_known_states_are_counted():
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 3, 40), rng.integers(0, 2, 40)
    model = CategoricalHMM(2, n_features=3, n_iter=5, random_state=0).fit(X, y, lengths=[15, 25])
    inside = np.delete(np.arange(40), [0, 15])
    pairs = np.zeros((2, 2))
    np.add.at(pairs, (y[inside - 1], y[inside]), 1)
    counts = np.zeros((2, 3))
    np.add.at(counts, (y, X), 1)
    assert model.converged_
    assert_allclose(model.transmat_, pairs / pairs.sum(axis=1, keepdims=True))
    assert_allclose(model.emissionprob_, counts / counts.sum(axis=1, keepdims=True))
    assert_allclose(model.startprob_, np.bincount(y[[0, 15]], minlength=2) / 2)


def test_some_known_states_name_the_states():
    rng = np.random.default_rng(5)
    states = np.repeat(rng.integers(0, 2, 40), 5)
    X = rng.normal(-3.0 * states[:, None], 1.0, (200, 1))
    y = np.full(200, -1)
    y[::20] = states[::20]
    model = GaussianHMM(2, n_iter=50, random_state=0).fit(X, y)
    assert np.mean(model.predict(X) == states) > 0.95
    # The same as a table of what is possible, with the rows of state 0 only known not to be in state 1.
    allowed = np.ones((200, 2), dtype=bool)
    allowed[np.arange(200)[y >= 0], 1 - y[y >= 0]] = False
    again = GaussianHMM(2, n_iter=50, random_state=0).fit(X, allowed)
    assert_array_equal(model.means_, again.means_)
    assert "that agrees with the known states" in str(model.report_)


def test_zero_transitions_stay_zero():
    rng = np.random.default_rng(6)
    model = GaussianHMM(3, n_iter=30, tol=0, init_params="mc", random_state=0, transmat_prior=2.0)
    model.startprob_ = [1.0, 0.0, 0.0]
    model.transmat_ = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]
    X = np.vstack([rng.normal(4 * state, 1.0, (15, 1)) for _ in range(5) for state in range(3)])
    model.fit(X, lengths=[45] * 5)
    assert_array_equal(model.transmat_[np.tril_indices(3, -1)], 0.0)
    assert model.transmat_[0, 2] == 0.0
    assert_array_equal(model.startprob_, [1.0, 0.0, 0.0])
    assert (np.diff(model.predict(X[:45])) >= 0).all()


def test_weights_repeat_and_remove_sequences():
    rng = np.random.default_rng(7)
    parts = sequences(rng, 6)
    weights = np.array([2, 0, 1, 3, 0, 1])
    start = gaussian_model(rng, "full", states=2, n_iter=5, tol=0, init_params="")

    def fitted(*args, **kwargs):
        model = clone(start)
        for name in ("startprob_", "transmat_", "means_"):
            setattr(model, name, getattr(start, name))
        model.covars_ = start.covars_
        return model.fit(*args, **kwargs)

    weighted = fitted(parts, sample_weight=weights)
    repeated = fitted([part for part, weight in zip(parts, weights, strict=True) for _ in range(weight)])
    assert_allclose(weighted.means_, repeated.means_, rtol=1e-10)
    assert_allclose(weighted.transmat_, repeated.transmat_, rtol=1e-10)
    assert_allclose(weighted.history_, repeated.history_, rtol=1e-12)


class Stream:
    """Sequences that are made anew at every pass."""

    def __init__(self, parts):
        self.parts, self.passes = parts, 0

    def __iter__(self):
        self.passes += 1
        yield from self.parts


def test_sequences_as_table_list_stream_and_function(monkeypatch):
    monkeypatch.setattr("certus.graphical.sequences.sequence_input.BATCH", 50)
    rng = np.random.default_rng(8)
    parts = sequences(rng, 10)
    weights = rng.integers(1, 3, 10)
    settings = {"n_components": 2, "n_iter": 4, "tol": 0, "random_state": 0, "init_params": "st"}

    def fitted(X, **kwargs):
        model = GaussianHMM(**settings)
        model.means_, model.covars_ = [[0.0, 0.0], [3.0, 3.0]], np.ones((2, 2))
        return model.fit(X, sample_weight=weights, **kwargs)

    stream = Stream(parts)
    models = [
        fitted(np.vstack(parts), lengths=[20] * 10),
        fitted(parts),
        fitted(stream),
        fitted(lambda: iter(parts)),
    ]
    assert stream.passes >= 5
    for model in models[1:]:
        assert_allclose(model.means_, models[0].means_, rtol=1e-12)
        assert_allclose(model.history_, models[0].history_, rtol=1e-12)
    assert_allclose(models[0].score(parts), models[0].score(iter(parts)))
    states = [np.repeat([-1, 1], 10)] * 10
    known = fitted(parts, y=states)
    assert_allclose(fitted(Stream(parts), y=Stream(states)).means_, known.means_, rtol=1e-12)
    with pytest.raises(ValueError, match=r"X must be something that can be read more than once, got generator"):
        fitted(part for part in parts)


def test_more_starts_are_at_least_as_good_and_the_best_is_kept():
    rng = np.random.default_rng(9)
    X = np.vstack(sequences(rng, 5))
    one = CategoricalHMM(4, n_iter=20, tol=0, random_state=3).fit(np.rint(np.abs(X[:, :1])))
    many = CategoricalHMM(4, n_iter=20, tol=0, random_state=3, n_init=6).fit(np.rint(np.abs(X[:, :1])))
    assert many.history_[-1] > one.history_[-1]
    assert_allclose(many.history_[-1], many.score(np.rint(np.abs(X[:, :1]))))


def test_running_out_of_rounds_is_told():
    rng = np.random.default_rng(10)
    X = np.vstack(sequences(rng, 5))
    with pytest.warns(ConvergenceWarning, match=r"stopped after n_iter=2 rounds; the last one gained"):
        model = GaussianHMM(3, n_iter=2, random_state=0).fit(X)
    assert not model.converged_
    assert not model.monitor_.converged
    assert model.n_iter_ == 2
    assert len(model.monitor_.history) == 2
    assert len(model.history_) == 3
    quiet = GaussianHMM(3, n_iter=2, tol=0, random_state=0).fit(X)  # exactly two rounds are asked for
    assert not quiet.converged_


def test_own_rule_of_stopping_and_callbacks():
    class Three(ConvergenceMonitor):
        @property
        def converged(self):
            return self.iter == 3

    rng = np.random.default_rng(11)
    X = np.vstack(sequences(rng, 5))
    model = GaussianHMM(2, n_iter=50, random_state=0)
    model.monitor_ = Three(1e-2, 50)
    seen = History()
    model.set_callbacks(seen).fit(X)
    assert model.n_iter_ == 3
    assert_allclose([-row["objective"] for row in seen.rows], model.history_[:-1])


@pytest.mark.parametrize("kind", ["spherical", "diag", "full", "tied"])
def test_no_model_has_nan_however_poor_the_rows(kind):
    rng = np.random.default_rng(12)
    tables = [
        np.zeros((30, 2)),  # equal rows
        np.repeat([[0.0, 1.0], [5.0, 1.0]], 15, axis=0),  # two points, a constant column
        rng.normal(size=(3, 2)),  # fewer rows than states
        1e6 + 1e-3 * rng.normal(size=(40, 2)),  # far from zero
        np.vstack([rng.normal(size=(40, 2)), [[1e8, -1e8]]]),  # one row far out
    ]
    for table in tables:
        for prior in (1e-2, 0.0):
            model = GaussianHMM(4, kind, n_iter=15, tol=0, random_state=0, covars_prior=prior).fit(table)
            for name in ("startprob_", "transmat_", "means_", "covars_", "history_"):
                assert np.isfinite(getattr(model, name)).all(), name
            assert_allclose(model.transmat_.sum(axis=1), 1.0)
            assert np.isfinite(model.predict_proba(table)).all()


def test_columns_far_from_zero_lose_no_digits():
    rng = np.random.default_rng(13)
    X = np.vstack(sequences(rng, 8))
    for kind in ("diag", "full"):
        near = GaussianHMM(2, kind, n_iter=10, tol=0, random_state=0).fit(X)
        far = GaussianHMM(2, kind, n_iter=10, tol=0, random_state=0).fit(X + 1e6)
        assert_allclose(near.covars_, far.covars_, rtol=1e-6)


@pytest.mark.parametrize("kind", ["spherical", "diag", "full", "tied"])
def test_fisher_scores_are_derivatives_by_means(kind):
    rng = np.random.default_rng(14)
    model = gaussian_model(rng, kind)
    X = rng.normal(size=(9, 2))
    X[2, 0] = np.nan
    scores = model.fisher_scores(X, [4, 5])
    assert scores.shape[0] == 2
    means = model.means_.copy()
    for place in range(means.size):
        moved = []
        for step in (-1e-5, 1e-5):
            changed = means.copy()
            changed.flat[place] += step
            model.means_ = changed
            moved.append([model.score(X[:4]), model.score(X[4:])])
        numeric = (np.array(moved[1]) - moved[0]) / 2e-5
        assert_allclose(scores[:, 3 + 9 + place], numeric, atol=1e-6)


def test_fisher_scores_of_variances_and_probabilities_are_derivatives():
    rng = np.random.default_rng(15)
    model = gaussian_model(rng, "diag")
    X = rng.normal(size=(8, 2))
    scores = model.fisher_scores(X)[0]
    variances = np.diagonal(model.covars_, axis1=1, axis2=2).copy()
    transitions = np.array(model.transmat_)
    for place in range(variances.size):
        changed = [variances.copy(), variances.copy()]
        changed[0].flat[place] -= 1e-6
        changed[1].flat[place] += 1e-6
        moved = []
        for value in changed:
            model.covars_ = value
            moved.append(model.score(X))
        assert_allclose(scores[3 + 9 + 6 + place], (moved[1] - moved[0]) / 2e-6, atol=1e-5)
    model.covars_ = variances
    for i, j in np.ndindex(3, 3):
        moved = []
        for step in (-1e-6, 1e-6):  # p_ij moves, and its row is normalized again
            changed_row = transitions.copy()
            changed_row[i, j] += step
            model.transmat_ = changed_row / changed_row.sum(axis=1, keepdims=True)
            moved.append(model.score(X))
        assert_allclose(scores[3 + 3 * i + j], (moved[1] - moved[0]) / 2e-6, atol=1e-5)
