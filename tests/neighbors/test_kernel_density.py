"""Kernel densities: sums against their definition, errors at most as asked, bandwidths, draws, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.integrate import quad
from scipy.special import gammaln, logsumexp

from certus.neighbors import KernelDensity
from certus.neighbors.learning.density_bandwidths import log_kernel_constant

KERNELS = {
    "gaussian": lambda d: -0.5 * d**2,
    "exponential": lambda d: -d,
    "tophat": lambda d: np.where(d < 1, 0.0, -np.inf),
    "epanechnikov": lambda d: _log(1 - d**2, d),
    "linear": lambda d: _log(1 - d, d),
    "cosine": lambda d: _log(np.cos(0.5 * np.pi * d), d),
}
every_kernel = pytest.mark.parametrize("kernel", KERNELS)


def _log(value: np.ndarray, d: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(np.where(d < 1, value, 0.0))


def twin(X, queries, kernel, bandwidth, weights=None):
    """The definition, term by term."""
    weights = np.ones(len(X)) if weights is None else weights
    width = np.broadcast_to(bandwidth, X.shape[1])
    d = np.sqrt((((queries[:, None] - X) / width) ** 2).sum(axis=2))
    constant = log_kernel_constant(kernel, X.shape[1]) - np.log(width).sum() - np.log(weights.sum())
    with np.errstate(divide="ignore"):
        return logsumexp(KERNELS[kernel](d), b=weights, axis=1) + constant


@every_kernel
@pytest.mark.parametrize("width", [1, 2, 3, 6])
def test_kernels_integrate_to_one(kernel, width):
    log_sphere = np.log(width) + 0.5 * width * np.log(np.pi) - gammaln(0.5 * width + 1)

    def shell(r):
        return np.exp(KERNELS[kernel](np.array(r)) + log_sphere) * r ** (width - 1)

    end = 60.0 if kernel in ("gaussian", "exponential") else 1.0
    assert_allclose(np.exp(log_kernel_constant(kernel, width)) * quad(shell, 0, end, limit=200)[0], 1.0, rtol=1e-9)


@every_kernel
@pytest.mark.parametrize("bandwidth", [0.01, 0.4, 3.0, [0.5, 0.1, 4.0]])
def test_densities_are_the_mean_of_the_kernels(kernel, bandwidth):
    rng = np.random.default_rng(0)
    X, queries, weights = rng.normal(size=(700, 3)), 3 * rng.normal(size=(90, 3)), rng.integers(0, 4, 700).astype(float)
    found = KernelDensity(kernel=kernel, bandwidth=bandwidth).fit(X, sample_weight=weights).score_samples(queries)
    kept = weights > 0
    expected = twin(X[kept], queries, kernel, np.array(bandwidth), weights[kept])
    assert_array_equal(np.isfinite(found), np.isfinite(expected))
    finite = np.isfinite(expected)
    assert_allclose(found[finite], expected[finite], rtol=1e-11, atol=1e-9)


@every_kernel
@given(seed=st.integers(0, 10**6), rtol=st.sampled_from([0.0, 1e-8, 1e-3, 0.3]), atol=st.sampled_from([0.0, 1e-4, 0.1]))
@settings(max_examples=25, deadline=None)
def test_the_error_is_never_more_than_asked_for(kernel, seed, rtol, atol):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(1, 900), rng.integers(1, 4))) * rng.choice([0.1, 1.0, 30.0])
    queries, bandwidth = rng.normal(size=(30, X.shape[1])), float(rng.choice([0.05, 0.5, 5.0]))
    exact = np.exp(twin(X, queries, kernel, bandwidth))
    found = np.exp(
        KernelDensity(kernel=kernel, bandwidth=bandwidth, rtol=rtol, atol=atol).fit(X).score_samples(queries)
    )
    assert (np.abs(found - exact) <= atol + rtol * exact + 1e-10 * exact).all()


def test_allowed_errors_save_work_that_is_otherwise_done():
    X = np.random.default_rng(0).normal(size=(4000, 2))
    exact, rough = (KernelDensity(bandwidth=0.3, rtol=rtol).fit(X).score_samples(X) for rtol in (0.0, 0.1))
    assert 1e-6 < np.abs(rough - exact).max() < 0.11


def test_far_from_all_rows_a_density_is_tiny_and_not_zero():
    model = KernelDensity(bandwidth=1.0).fit([[0.0], [2.0]])
    assert_allclose(model.score_samples([[1e4]]), stats.norm.logpdf(9998.0) - np.log(2), rtol=1e-14)
    assert KernelDensity(kernel="tophat").fit([[0.0]]).score_samples([[5.0]])[0] == -np.inf


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_normal_bandwidths_are_those_of_scipy(offset):
    X = np.random.default_rng(1).normal(size=(300, 3)) @ [[1, 0.5, 0], [0, 2, 0], [0.3, 0, 1e-3]] + offset
    found = KernelDensity(bandwidth="normal").fit(X).score_samples(X[:40])
    expected = stats.gaussian_kde((X - offset).T).logpdf((X[:40] - offset).T)
    assert_allclose(found, expected, rtol=1e-9 if offset == 0 else 1e-5)


@pytest.mark.parametrize("rule", ["likelihood", "least-squares"])
def test_chosen_bandwidths_minimize_their_criterion(rule):
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(-3, 0.5, size=(60, 2)), rng.normal(2, 1, size=(60, 2))])
    X = np.concatenate([X, X[:20]])  # equal rows are left out together
    best = KernelDensity(bandwidth=rule).fit(X).bandwidth_
    places, counts = np.unique(X, axis=0, return_counts=True)

    def score(h):
        others = [
            twin(np.delete(places, i, 0), places[i : i + 1], "gaussian", h, np.delete(counts, i))[0]
            for i in range(len(places))
        ]
        if rule == "likelihood":
            return -(counts @ np.array(others)) / counts.sum()
        wide = np.exp(twin(places, places, "gaussian", np.sqrt(2) * h, counts))
        return (counts @ (wide - 2 * np.exp(others))) / counts.sum()

    assert score(best) <= min(score(best * factor) for factor in (0.3, 0.9, 0.999, 1.001, 1.1, 3.0)) + 1e-12
    assert_allclose(KernelDensity(bandwidth=rule).fit(places, sample_weight=counts).bandwidth_, best, rtol=1e-4)


def test_other_metrics():
    rng = np.random.default_rng(3)
    X, queries = rng.normal(size=(50, 2)), rng.normal(size=(20, 2))
    found = KernelDensity(metric="manhattan", bandwidth=0.7).fit(X).score_samples(queries)
    d = np.abs(queries[:, None] - X).sum(axis=2) / 0.7
    expected = logsumexp(-0.5 * d**2, axis=1) - np.log(50) - 2 * np.log(0.7) - np.log(2 * np.pi)
    assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("bandwidth", ["normal", 0.4, [0.4, 1.0]])
def test_draws_have_the_moments_of_the_density(bandwidth):
    X = np.random.default_rng(4).normal(size=(30, 2)) @ [[1.0, 0.8], [0.0, 1.0]]
    model = KernelDensity(bandwidth=bandwidth).fit(X)
    drawn = model.sample(200_000, random_state=0)
    h = np.asarray(model.bandwidth_) * (np.eye(2) if np.ndim(model.bandwidth_) < 2 else 1)
    assert_allclose(drawn.mean(axis=0), X.mean(axis=0), atol=0.02)
    assert_allclose(np.cov(drawn.T), np.cov(X.T, bias=True) + h @ h.T, atol=0.03)


def test_held_out_rows_bound_the_share_below_a_level():
    rng = np.random.default_rng(5)
    model = KernelDensity(bandwidth="normal").fit(rng.normal(size=(200, 1)))
    certificate = model.certify(rng.normal(size=(300, 1)), level=-3.0)["share of rows below the density level"]
    assert certificate.check()
    truth = 1 - stats.norm.cdf(2.08) + stats.norm.cdf(-2.08)
    assert certificate.value > 0.5 * truth
    with pytest.raises(ValueError, match="level"):
        model.certify(rng.normal(size=(30, 1)))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"bandwidth": 0.0}, "bandwidth"),
        ({"bandwidth": np.inf}, "bandwidth must be finite"),
        ({"bandwidth": [1.0]}, "one finite number above 0 per column"),
        ({"bandwidth": [1.0, -1.0]}, "one finite number above 0 per column"),
        ({"bandwidth": [1.0, 2.0], "metric": "manhattan"}, "must be a number for metric='manhattan'"),
        ({"bandwidth": "normal", "metric": "manhattan"}, "needs metric='euclidean'"),
        ({"bandwidth": "least-squares", "kernel": "linear"}, "needs kernel='gaussian'"),
        ({"metric": "precomputed"}, "metric"),
    ],
)
def test_refusals(parameters, words):
    with pytest.raises(ValueError, match=words):
        KernelDensity(**parameters).fit([[0.0, 1.0], [1.0, 5.0], [2.0, 2.0]])


def test_singular_tables_are_refused_where_their_covariance_is_needed():
    with pytest.raises(ValueError, match="covariance is regular"):
        KernelDensity(bandwidth="normal").fit([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    with pytest.raises(ValueError, match="3 different rows"):
        KernelDensity(bandwidth="likelihood").fit([[0.0], [1.0], [1.0]])
