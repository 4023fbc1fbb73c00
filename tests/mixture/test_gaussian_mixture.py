"""Mixtures of Gaussians: a plain twin, likelihoods that never fall, weights, missing cells, parts, hard tables."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Namesake

from certus.guarantees import CertificateError
from certus.mixture import GaussianMixture, KnownVarianceMixture
from certus.mixture.evidence.plain_step import gaussian_step
from certus.mixture.learning.gaussian_steps import GaussianSteps
from certus.mixture.learning.gaussians import KINDS, Gaussians, SingularCovarianceError, covariance_shape, spread_out
from certus.mixture.learning.observed_cells import ObservedCells

pytestmark = pytest.mark.filterwarnings("ignore:Best performing initialization did not converge")


def clouds(seed: int, rows: int = 90, columns: int = 3, apart: float = 4.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    turn = rng.normal(size=(columns, columns)) + np.eye(columns)
    return rng.normal(size=(rows, columns)) @ turn + apart * rng.integers(0, 3, (rows, 1))


def some_gaussians(rng: np.random.Generator, kind: str, count: int, columns: int) -> Gaussians:
    shape = covariance_shape(kind, count, columns)
    if len(shape) > 1 and shape[-1] == shape[-2] and kind != "diag":
        half = rng.normal(size=(*shape[:-1], 2 * columns))
        covariances = half @ np.swapaxes(half, -1, -2) / columns
    else:
        covariances = rng.uniform(0.3, 2.0, shape)
    weights = rng.dirichlet(np.ones(count))
    return Gaussians(kind, weights, rng.normal(size=(count, columns)), covariances)


def fitted_or_collapsed(model: GaussianMixture, X: np.ndarray, weights: np.ndarray) -> bool:
    """Whether a fit ended; the only error that is allowed is that a component collapsed."""
    try:
        model.fit(X, sample_weight=weights)
    except SingularCovarianceError:
        return False
    return True


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "spherical_tied"])
def test_steps_are_those_of_the_namesake(kind: str) -> None:
    X, rng = clouds(0), np.random.default_rng(0)
    first = some_gaussians(rng, kind, 3, 3)
    inverse = np.linalg.inv(first.covariances) if kind in ("full", "tied") else 1.0 / first.covariances
    settings: dict[str, Any] = {
        "covariance_type": kind,
        "weights_init": first.weights,
        "means_init": first.means,
        "precisions_init": inverse,
        "max_iter": 15,
        "tol": 0.0,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = Namesake(3, **settings).fit(X)
    ours = GaussianMixture(3, **settings).fit(X)
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "lower_bounds_"):
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-10, err_msg=name)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    assert ours.bic(X) == pytest.approx(theirs.bic(X))
    assert ours.aic(X) == pytest.approx(theirs.aic(X))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", [None, "conjugate"])
def test_likelihood_never_falls_and_the_plain_twin_agrees(kind: str, prior: str | None) -> None:
    falls = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, weights = clouds(seed, apart=3.0), rng.integers(0, 4, 90).astype(float)
        X[rng.random(X.shape) < 0.2 * (seed % 3)] = np.nan
        model = GaussianMixture(
            3, covariance_type=kind, reg_covar=0.0, prior=prior, tol=1e-7, max_iter=150, random_state=seed
        )
        if not fitted_or_collapsed(model, X, weights):
            assert prior is None
            continue
        falls += int((np.diff(model.history_) < -1e-11).any())
        for certificate in model.report_:
            assert certificate.check((X, weights))
            with pytest.raises(CertificateError):
                certificate.check((X * 1.01, weights))
    assert falls == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_likelihood_never_falls_on_thousands_of_tables(kind: str) -> None:
    collapsed = 0
    for seed in range(1000):
        rng = np.random.default_rng([seed, 7])
        rows, columns = int(rng.integers(12, 60)), int(rng.integers(1, 5))
        X = clouds(seed, rows, columns, apart=float(rng.uniform(0, 6)))
        X[rng.random(X.shape) < rng.choice([0.0, 0.2])] = np.nan
        X[0] = np.nan_to_num(X[0])
        prior = "conjugate" if seed % 2 else None
        model = GaussianMixture(
            int(rng.integers(1, 4)), covariance_type=kind, reg_covar=0.0, prior=prior, tol=1e-6, random_state=seed
        )
        if not fitted_or_collapsed(model, X, rng.uniform(0.1, 3.0, rows)):
            assert prior is None
            collapsed += 1
            continue
        assert (np.diff(model.history_) >= -1e-10 * (1.0 + np.abs(model.history_[:-1]))).all()
    assert collapsed < 250


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lost", [0.0, 0.25])
def test_kernel_moments_are_those_of_plain_sums(kind: str, lost: float) -> None:
    rng = np.random.default_rng(3)
    for columns in (1, 2, 5, 9):
        X, weights = clouds(5, 300, columns), rng.uniform(0.0, 2.0, 300)
        X[rng.random(X.shape) < lost] = np.nan
        model = some_gaussians(rng, kind, 4, columns)
        steps = GaussianSteps(ObservedCells(X, weights), 0.1, None)
        reached, moments = steps.expect(model)
        after = steps.log_likelihood(steps.updated(moments, model))
        around = steps.cells.moments(model, model.means + 1.0)[1]
        assert_allclose(steps.updated(around, model).covariances, steps.updated(moments, model).covariances, rtol=1e-9)
        plain = {
            "covariance_type": kind,
            "weights": model.weights,
            "means": model.means,
            "covariances": model.covariances,
            "reg_covar": 0.1,
            "prior": None,
        }
        assert_allclose([reached, after], gaussian_step(plain, X, weights), rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_an_m_step_maximizes_q(kind: str) -> None:
    rng = np.random.default_rng(4)
    X = clouds(1, 40, 2)
    X[rng.random(X.shape) < 0.2] = np.nan
    steps, old = GaussianSteps(ObservedCells(X), 0.0, None), some_gaussians(rng, kind, 2, 2)
    best = steps.maximize(steps.expect(old)[1], old)
    reached = steps.expected_log_likelihood(best, old)
    assert reached >= steps.expected_log_likelihood(old, old)
    for _ in range(60):
        step = 1e-3 * rng.normal()
        weights = np.abs(best.weights + step * rng.normal(size=2))
        noise = rng.normal(size=best.covariances.shape)
        near = Gaussians(
            kind,
            weights / weights.sum(),
            best.means + step * rng.normal(size=best.means.shape),
            best.covariances + step * (noise + np.swapaxes(noise, -1, -2) if kind in ("full", "tied") else noise),
        )
        assert steps.expected_log_likelihood(near, old) <= reached + 1e-9


def test_the_maximum_of_one_component_is_found_by_a_general_optimizer_too() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(25, 2)) @ [[1.0, 0.6], [0.0, 0.8]]
    X[rng.random(X.shape) < 0.3] = np.nan
    model = GaussianMixture(1, reg_covar=0.0, tol=1e-13, max_iter=5000).fit(X)

    def loss(p: np.ndarray) -> float:
        lower = np.array([[np.exp(p[2]), 0.0], [p[3], np.exp(p[4])]])
        covariance, total = lower @ lower.T, 0.0
        for row in X:
            there = ~np.isnan(row)
            if there.any():
                part = covariance[np.ix_(there, there)]
                total -= multivariate_normal(p[:2][there], part).logpdf(row[there])
        return total / len(X)

    best = minimize(loss, np.zeros(5), options={"gtol": 1e-8})
    assert model.score(X) == pytest.approx(-best.fun, abs=1e-8)
    assert_allclose(model.means_[0], best.x[:2], atol=1e-4)


@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random", "random_from_data"])
@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_repetitions_and_order_does_not_matter(init: str, kind: str) -> None:
    rng = np.random.default_rng(6)
    X, times = clouds(2), rng.integers(0, 3, 90)
    X[rng.random(X.shape) < 0.1] = np.nan
    settings: dict[str, Any] = {"covariance_type": kind, "init_params": init, "random_state": 1, "max_iter": 20}
    weighted = GaussianMixture(3, **settings).fit(X, sample_weight=times)
    repeated = GaussianMixture(3, **settings).fit(rng.permutation(np.repeat(X, times, axis=0)))
    assert_allclose(weighted.means_, repeated.means_, rtol=1e-6, atol=1e-7)
    assert weighted.bic(X, sample_weight=times) == pytest.approx(repeated.bic(np.repeat(X, times, axis=0)), rel=1e-7)


def test_missing_cells_marginals_and_conditions_are_integrals() -> None:
    rng = np.random.default_rng(7)
    for kind in KINDS:
        made = some_gaussians(rng, kind, 3, 3)
        model = GaussianMixture.from_parameters(made.weights, made.means, made.covariances, kind)
        row, grid = np.array([0.3, -0.2]), np.linspace(-40.0, 40.0, 8001)
        whole = np.column_stack([np.full(len(grid), row[0]), grid, np.full(len(grid), row[1])])
        density = np.exp(model.score_samples(whole))
        mass = float(density.sum() * (grid[1] - grid[0]))
        cells = np.array([[row[0], np.nan, row[1]]])
        assert model.score_samples(cells)[0] == pytest.approx(np.log(mass), abs=1e-7)
        assert model.marginal([0, 2]).score_samples(row[None])[0] == pytest.approx(np.log(mass), abs=1e-7)
        given = model.condition([0, 2], row)
        assert_allclose(np.exp(given.score_samples(grid[:, None])), density / mass, atol=1e-8)
        assert model.impute(cells)[0, 1] == pytest.approx(float(grid @ density / density.sum()), abs=1e-6)
        assert model.score_samples(np.full((1, 3), np.nan))[0] == pytest.approx(0.0, abs=1e-12)
        drawn, labels = model.sample(60_000)
        for component in range(3):
            rows, spread = drawn[labels == component], made.spread[component]
            there = np.diag(spread) if spread.ndim == 1 else spread
            allowed = 6.0 * np.abs(there).max() * np.sqrt(2.0 / len(rows))
            assert np.abs(np.cov(rows.T) - there).max() < allowed
            assert np.abs(rows.mean(axis=0) - made.means[component]).max() < allowed + 6.0 / np.sqrt(len(rows))


def test_far_from_the_origin_and_in_single_precision() -> None:
    X = clouds(3, 400, 2)
    near = GaussianMixture(3, random_state=0, reg_covar=0.0, tol=1e-9, max_iter=500).fit(X)
    far = GaussianMixture(3, random_state=0, reg_covar=0.0, tol=1e-9, max_iter=500).fit(X + 2.0**30)
    assert_allclose(far.covariances_, near.covariances_, rtol=1e-4)
    single = GaussianMixture(1, reg_covar=0.0).fit((X + 4096.0).astype(np.float32))
    assert single.means_.dtype == np.float32
    assert_allclose(single.covariances_[0], np.cov(X.T, bias=True), rtol=1e-3)


@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1.0, 1e20, 1e150])
def test_scales(scale: float) -> None:
    X = clouds(4, 60, 2) / 40.0
    model = GaussianMixture(2, reg_covar=0.0, random_state=0, max_iter=300).fit(X)
    other = GaussianMixture(2, reg_covar=0.0, random_state=0, max_iter=300).fit(X * scale)
    assert_allclose(other.means_ / scale, model.means_, rtol=1e-6)
    assert_array_equal(other.predict(X * scale), model.predict(X))


def test_a_component_that_moves_far_keeps_its_digits() -> None:
    rng = np.random.default_rng(8)
    X = np.concatenate([1e4 + 1e-3 * rng.normal(size=50), rng.normal(size=50)])[:, None]
    model = GaussianMixture(
        2, reg_covar=0.0, means_init=[[9e3], [0.0]], precisions_init=[[[1e-6]], [[1.0]]], weights_init=[0.5, 0.5]
    ).fit(X)
    assert model.covariances_[0, 0, 0] == pytest.approx(float(X[:50].var()), rel=1e-6)


def test_collapse_is_named_or_prevented() -> None:
    X = np.vstack([np.full((20, 2), 50.0), clouds(5, 30, 2)])
    for kind in ("full", "diag", "spherical"):
        with pytest.raises(ValueError, match=r"variance of component [01]"):
            GaussianMixture(2, covariance_type=kind, reg_covar=0.0, random_state=0).fit(X)
    model = GaussianMixture(2, prior="conjugate", random_state=0, max_iter=500).fit(X)
    assert np.linalg.eigvalsh(model.covariances_).min() > 1e-3
    constant = np.column_stack([clouds(6, 30, 1), np.full(30, 7.0)])
    for kind in ("full", "tied", "diag"):
        with pytest.raises(ValueError, match="column 1"):
            GaussianMixture(1, covariance_type=kind, reg_covar=0.0).fit(constant)
    with pytest.raises(ValueError, match="column 1 with none"):
        GaussianMixture(1).fit(np.column_stack([np.arange(5.0), np.full(5, np.nan)]))
    holes = clouds(7, 30, 2)
    holes[3] = np.nan
    assert np.isfinite(GaussianMixture(2, random_state=0).fit(holes).history_).all()
    wide = np.random.default_rng(9).normal(size=(8, 20))
    assert np.isfinite(GaussianMixture(2, random_state=0).fit(wide).score(wide))


def test_starts_in_threads_and_continued_fits() -> None:
    X = clouds(8, 200, 2)
    alone = GaussianMixture(4, n_init=6, init_params="random_from_data", random_state=3).fit(X)
    together = GaussianMixture(4, n_init=6, init_params="random_from_data", random_state=3, n_jobs=3).fit(X)
    assert_array_equal(alone.means_, together.means_)
    once = GaussianMixture(2, max_iter=6, tol=0.0, random_state=0).fit(X)
    twice = GaussianMixture(2, max_iter=3, tol=0.0, random_state=0, warm_start=True).fit(X).fit(X)
    assert_allclose(once.means_, twice.means_, rtol=1e-9)


def test_shared_width_is_the_mixture_of_the_notes() -> None:
    X = clouds(10, 100, 2)
    model = GaussianMixture(3, covariance_type="spherical_tied", reg_covar=0.0, random_state=0).fit(X)
    assert model.covariances_.shape == (1,)
    shares = np.full(3, 1.0 / 3.0)
    ours = GaussianMixture.from_parameters(shares, X[:3], [2.25], "spherical_tied")
    with pytest.warns(ConvergenceWarning):
        notes = KnownVarianceMixture(3, sigma=1.5, means_init=X[:3], max_iter=1).fit(X)
    notes.means_ = X[:3]
    assert_allclose(ours.score_samples(X), notes.score_samples(X), rtol=1e-12)


def test_k_means_fails_where_a_mixture_does_not() -> None:
    rng = np.random.default_rng(11)
    wide = rng.normal(size=(200, 2)) * [8.0, 0.5]
    X, labels = np.vstack([wide, wide + np.array([0.0, 4.0])]), np.repeat([0, 1], 200)
    found = (
        GaussianMixture(
            2,
            covariance_type="tied",
            n_init=20,
            init_params="random_from_data",
            random_state=0,
            reg_covar=0.0,
            tol=1e-6,
            max_iter=500,
        )
        .fit(X)
        .predict(X)
    )
    assert max(np.mean(found == labels), np.mean(found != labels)) > 0.95


def test_share_of_improbable_rows_is_bounded() -> None:
    model = GaussianMixture(2, random_state=0).fit(clouds(12))
    level = float(np.quantile(model.score_samples(clouds(12)), 0.05))
    bound = model.certify(clouds(13, 400), level=level)["share of rows below the density level"]
    assert bound.check()


def test_bad_input() -> None:
    for arguments, message in [
        (([0.5, 0.6], [[0.0], [1.0]], [1.0, 1.0], "spherical"), "normalized"),
        (([0.5, 0.5], [[0.0], [1.0]], [1.0, -1.0], "spherical"), "positive"),
        (([1.0], [[0.0, 1.0]], [[[1.0, 2.0], [2.0, 1.0]]], "full"), "positive-definite"),
        (([1.0], [[0.0]], [1.0], "round"), "covariance_type must be"),
    ]:
        with pytest.raises(ValueError, match=message):
            GaussianMixture.from_parameters(*arguments)
    model = GaussianMixture(1).fit(clouds(1))
    for columns in ([3], [0, 0], [], "name"):
        with pytest.raises(ValueError, match="columns must be different"):
            model.marginal(columns)
    with pytest.raises(ValueError, match="leave at least one"):
        model.condition([0, 1, 2], [0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="one finite number"):
        model.condition([0], [np.nan])
    with pytest.raises(ValueError, match="prior"):
        GaussianMixture(prior="normal").fit(clouds(1))
    with pytest.raises(ValueError, match="infinity"):
        model.score_samples([[np.inf, 0.0, 0.0]])


def test_spread_of_tied_kinds() -> None:
    assert_array_equal(spread_out("spherical_tied", np.array([2.0]), 2, 3), np.full((2, 3), 2.0))
    assert spread_out("tied", np.eye(2), 3, 2).shape == (3, 2, 2)
