"""Counts, counts of symbols and Gaussian mixtures: exact rounds, ascent, missing rows, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import certus
from certus.graphical import GMMHMM, GaussianHMM, MultinomialHMM, PoissonHMM, choose_states
from tests.graphical.enumeration import Enumerated, random_chain

KINDS = ("spherical", "diag", "full", "tied")


def poisson_model(rng, **parameters):
    model = PoissonHMM(3, **parameters)
    model.startprob_, model.transmat_ = random_chain(rng, 3)
    model.lambdas_ = rng.gamma(2.0, 2.0, (3, 2))
    return model


def multinomial_model(rng, **parameters):
    model = MultinomialHMM(3, **parameters)
    model.startprob_, model.transmat_ = random_chain(rng, 3)
    model.emissionprob_ = rng.dirichlet(np.ones(4), 3)
    return model


def mixture_model(rng, kind, **parameters):
    model = GMMHMM(2, 2, covariance_type=kind, **parameters)
    model.startprob_, model.transmat_ = random_chain(rng, 2)
    model.weights_ = rng.dirichlet(np.ones(2), 2)
    model.means_ = 2.0 * rng.normal(size=(2, 2, 2))
    roots = rng.normal(size=(2, 2, 2, 2))
    matrices = roots @ np.swapaxes(roots, -1, -2) + 0.3 * np.eye(2)
    model.covars_ = {
        "spherical": matrices[:, :, 0, 0],
        "diag": np.diagonal(matrices, axis1=2, axis2=3),
        "full": matrices,
        "tied": matrices[:, 0],
    }[kind]
    return model


def mixture_parts(model, X):
    """Weighted densities of shape (rows, states, mixtures), by SciPy."""
    kind, found = model.covariance_type, np.empty((len(X), 2, 2))
    for k, m in np.ndindex(2, 2):
        matrix = {
            "spherical": lambda k=k, m=m: model.covars_[k, m] * np.eye(2),
            "diag": lambda k=k, m=m: np.diag(model.covars_[k, m]),
            "full": lambda k=k, m=m: model.covars_[k, m],
            "tied": lambda k=k: model.covars_[k],
        }[kind]()
        found[:, k, m] = model.weights_[k, m] * stats.multivariate_normal.pdf(X, model.means_[k, m], matrix)
    return found


def test_counts_against_all_paths_and_one_round():
    rng = np.random.default_rng(0)
    model = poisson_model(rng, n_iter=1, tol=0, init_params="")
    X = rng.poisson(4.0, (6, 2))
    densities = np.array([[stats.poisson.pmf(row, rates).prod() for rates in model.lambdas_] for row in X])
    truth = Enumerated(model.startprob_, model.transmat_, densities)
    assert_allclose(model.score(X), np.log(truth.likelihood))
    assert_allclose(model.predict_proba(X), truth.posterior)
    model.fit(X)
    assert_allclose(model.lambdas_, truth.posterior.T @ X / truth.posterior.sum(axis=0)[:, None])
    assert_allclose(model.transmat_, truth.pairs / truth.pairs.sum(axis=1, keepdims=True))


def test_counts_of_symbols_against_all_paths_and_one_round():
    rng = np.random.default_rng(1)
    model = multinomial_model(rng, n_iter=1, tol=0, init_params="")
    X = rng.multinomial(7, np.full(4, 0.25), 6)
    densities = np.array([[stats.multinomial.pmf(row, 7, p) for p in model.emissionprob_] for row in X])
    truth = Enumerated(model.startprob_, model.transmat_, densities)
    assert_allclose(model.score(X), np.log(truth.likelihood))
    model.fit(X)
    counts = truth.posterior.T @ X
    assert_allclose(model.emissionprob_, counts / counts.sum(axis=1, keepdims=True))
    assert model.n_trials_ == 7
    assert_array_equal(model.sample(5, random_state=0)[0].sum(axis=1), 7)


@pytest.mark.parametrize("kind", KINDS)
def test_mixtures_against_all_paths_and_one_round(kind):
    rng = np.random.default_rng(2)
    model = mixture_model(rng, kind, n_iter=1, tol=0, init_params="")
    X = 2.0 * rng.normal(size=(9, 2))
    parts = mixture_parts(model, X)
    truth = Enumerated(model.startprob_, model.transmat_, parts.sum(axis=2))
    assert_allclose(model.score(X), np.log(truth.likelihood))
    shares = truth.posterior[:, :, None] * parts / parts.sum(axis=2, keepdims=True)
    model.fit(X)
    weight = shares.sum(axis=0)
    means = np.einsum("tkm,tj->kmj", shares, X) / weight[:, :, None]
    assert_allclose(model.weights_, weight / weight.sum(axis=1, keepdims=True))
    assert_allclose(model.means_, means)
    apart = X[:, None, None] - means
    around = np.einsum("tkm,tkmi,tkmj->kmij", shares, apart, apart)
    expected = {
        "full": around / weight[:, :, None, None],
        "diag": np.diagonal(around, axis1=2, axis2=3) / weight[:, :, None],
        "spherical": np.trace(around, axis1=2, axis2=3) / (2.0 * weight),
        "tied": around.sum(axis=1) / weight.sum(axis=1)[:, None, None],
    }[kind]
    assert_allclose(model.covars_, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_mixtures_never_fall_with_priors_and_missing_cells(kind):
    rng = np.random.default_rng(3)
    X = np.repeat(3.0 * rng.normal(size=(12, 2)), 10, axis=0) + rng.normal(size=(120, 2))
    X[rng.random(X.shape) < 0.15] = np.nan
    X[40:42] = np.nan
    first, second = (1.5, 4.0) if kind in ("full", "tied") else (2.0, 3.0)
    priors = {"means_prior": 0.5, "means_weight": 2.0, "covars_prior": first, "covars_weight": second}
    model = GMMHMM(2, 2, covariance_type=kind, n_iter=20, tol=0, random_state=0, weights_prior=1.5, **priors)
    model.fit(X, lengths=[50, 70])
    assert np.diff(model.history_).min() > -1e-9
    for certificate in model.report_:
        assert certificate.check((X, [50, 70]))


@pytest.mark.parametrize("kind", KINDS)
def test_fisher_scores_of_mixtures_are_derivatives(kind):
    rng = np.random.default_rng(4)
    model = mixture_model(rng, kind)
    X = rng.normal(size=(8, 2))
    scores = model.fisher_scores(X)[0]
    size = 2 + 4 + 8 + model.covars_.size
    assert scores.shape == (size + 4,)
    for name, offset in (("means_", 6), ("weights_", size)):
        before = getattr(model, name).copy()
        for place in range(before.size):
            moved = []
            for step in (-1e-6, 1e-6):
                changed = before.copy()
                changed.flat[place] += step
                if name == "weights_":
                    changed /= changed.sum(axis=1, keepdims=True)
                setattr(model, name, changed)
                moved.append(model.score(X))
            assert_allclose(scores[offset + place], (moved[1] - moved[0]) / 2e-6, atol=1e-5)
        setattr(model, name, before)


def test_missing_counts_and_states_that_emit_zeros_only():
    rng = np.random.default_rng(5)
    states = np.repeat(rng.integers(0, 2, 20), 10)
    X = rng.poisson(6.0 * states[:, None], (200, 2)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = PoissonHMM(2, n_iter=30, random_state=0).fit(X)
    assert np.diff(model.history_).min() > -1e-9
    assert model.lambdas_.min() < 1e-9
    model.lambdas_ = np.where(model.lambdas_ < 1e-9, 0.0, model.lambdas_)  # never a count, and no logarithm of 0
    assert np.isfinite(model.score(X))
    found = model.predict(X)
    assert max(np.mean(found == states), np.mean(found != states)) > 0.95
    prior = PoissonHMM(2, n_iter=30, tol=0, random_state=0, lambdas_prior=1.0, lambdas_weight=0.5).fit(X)
    assert prior.lambdas_.min() > 0.0
    assert np.diff(prior.history_).min() > -1e-9
    assert all(certificate.check(X) for certificate in prior.report_)


def test_rows_of_counts_may_be_missing_as_a_whole():
    rng = np.random.default_rng(6)
    X = np.vstack([rng.multinomial(12, p, 20) for p in ([0.7, 0.2, 0.1], [0.1, 0.2, 0.7])] * 3).astype(float)
    X[5:9] = np.nan
    model = MultinomialHMM(2, n_iter=40, random_state=0).fit(X)
    assert np.diff(model.history_).min() > -1e-9
    assert all(certificate.check(X) for certificate in model.report_)
    assert len(set(model.predict(X)[:20])) == 1


@pytest.mark.parametrize("model", [PoissonHMM(2), MultinomialHMM(2)])
@pytest.mark.parametrize("value", [-1.0, 0.5])
def test_what_is_no_count_is_named(model, value):
    X = np.ones((6, 3))
    X[4, 1] = value
    with pytest.raises(ValueError, match=rf"whole numbers from 0, got {value:g} in row 4, column 1"):
        model.fit(X)


def test_bad_input_of_counts_and_mixtures():
    X = np.ones((6, 3))
    with pytest.raises(ValueError, match=r"rows with the sum n_trials, got the sum 3 in row 0"):
        MultinomialHMM(2, n_trials=4).fit(X)
    with pytest.raises(ValueError, match=r"n_trials must be one number or one per row \(6\)"):
        MultinomialHMM(2, n_trials=[3, 3]).fit(X)
    X[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"all counts of a row or none, got some and NaN in row 2"):
        MultinomialHMM(2).fit(X)
    uneven = MultinomialHMM(2, n_iter=1, tol=0).fit([[1, 2], [3, 4], [1, 1]])
    with pytest.raises(ValueError, match=r"n_trials must be one number to draw rows"):
        uneven.sample(2)
    rng = np.random.default_rng(7)
    for name, value, message in (
        ("weights_", [[0.5, 0.6], [0.5, 0.5]], r"weights_ must sum to 1 in every row, got a sum of 1.1 in row 0"),
        ("means_", np.zeros((2, 3, 2)), r"means_ must be finite and have the shape \(2, 2, 2\)"),
        ("covars_", -np.ones((2, 2, 2)), r"covars_ must hold positive variances"),
    ):
        mixture = mixture_model(rng, "diag")
        setattr(mixture, name, value)
        with pytest.raises(ValueError, match=message):
            mixture.score(np.zeros((3, 2)))
    rates = poisson_model(rng)
    rates.lambdas_ = [[1.0, -1.0]] * 3
    with pytest.raises(ValueError, match=r"lambdas_ must hold finite numbers that are not negative, got -1"):
        rates.score([[1, 2]])


@pytest.mark.parametrize(
    "model", [PoissonHMM(2), MultinomialHMM(2), GMMHMM(2, 2), GMMHMM(2, 2, covariance_type="tied")]
)
def test_save_and_load_and_sample(model, tmp_path):
    X = np.random.default_rng(8).poisson(5.0, (40, 2)).astype(float)
    if isinstance(model, MultinomialHMM):
        X[:, 1] = 20.0 - X[:, 0]
    model.set_params(n_iter=3, tol=0, random_state=0).fit(X)
    certus.save(model, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    assert again.report_ == model.report_
    assert_array_equal(model.sample(4)[0], again.sample(4)[0])
    assert model.sample(4)[0].shape == (4, 2)
    assert model.bic(X) > model.aic(X) - 2.0 * model._free_parameters()


def test_one_gaussian_per_state_is_the_plain_model():
    rng = np.random.default_rng(9)
    X = np.repeat(3.0 * rng.normal(size=(12, 2)), 10, axis=0) + rng.normal(size=(120, 2))
    plain = GaussianHMM(2, "full", n_iter=5, tol=0, init_params="", covars_prior=0.0)
    mixed = GMMHMM(2, 1, covariance_type="full", n_iter=5, tol=0, init_params="")
    for model in (plain, mixed):
        model.startprob_, model.transmat_ = [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]]
    plain.means_, plain.covars_ = X[[0, 60]], np.tile(np.eye(2), (2, 1, 1))
    mixed.means_, mixed.covars_ = X[[0, 60]][:, None], np.tile(np.eye(2), (2, 1, 1, 1))
    mixed.weights_ = [[1.0], [1.0]]
    assert_allclose(mixed.fit(X).history_, plain.fit(X).history_)


def test_the_number_of_states_is_found():
    rng = np.random.default_rng(10)
    X = rng.normal(np.repeat([0.0, 5.0, 10.0, 5.0] * 4, 15), 1.0)[:, None]
    choice = choose_states(GaussianHMM(n_iter=100, n_init=3, random_state=0), X, range(1, 6))
    assert choice.n_components == 3
    assert min(choice.scores, key=choice.scores.get) == 3
    assert choice.model.n_components == 3
    assert "     3" in str(choice)
    with pytest.raises(ValueError, match="criterion"):
        choose_states(GaussianHMM(), X, criterion="r2")
    with pytest.raises(ValueError, match=r"states must be positive whole numbers, got \[0\]"):
        choose_states(GaussianHMM(), X, [0])
