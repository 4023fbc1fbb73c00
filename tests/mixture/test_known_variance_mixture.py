"""Round Gaussians of known width: the numbers of the notes, k-means in the limit, M steps that maximize Q."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize

from certus.base.em import LikelihoodFellError, best_climb, climb
from certus.cluster import KMeans
from certus.guarantees import CertificateError
from certus.mixture import KnownVarianceMixture
from certus.mixture.known_variance_mixture import KnownVarianceModel

FOUR = np.array([[-2.0], [-1.0], [1.0], [2.0]])


def test_numbers_by_hand() -> None:
    model = KnownVarianceMixture(means_init=[-0.5, 0.5], max_iter=3, tol=0.0)
    with pytest.warns(UserWarning, match="did not converge"):
        model.fit(FOUR)
    first = KnownVarianceModel(FOUR, np.ones(4), 1.0).shares(np.array([[-0.5], [0.5]]))
    np.testing.assert_allclose(first[:, 0], [0.8808, 0.7311, 0.2689, 0.1192], atol=5e-5)
    for step, mean in zip(model.trace_, (0.9927, 1.3422, 1.4268), strict=True):
        np.testing.assert_allclose(step["means"].ravel(), [-mean, mean], atol=5e-5)


def test_steps_maximize_q_and_raise_the_likelihood() -> None:
    rng = np.random.default_rng(0)
    for case in range(40):
        X = rng.normal(size=(20, 2)) * rng.choice([0.3, 1.0, 4.0])
        model = KnownVarianceMixture(3, sigma=float(rng.uniform(0.2, 2.0)), max_iter=500).fit(X)
        assert all(step["q_after"] >= step["q_before"] - 1e-9 for step in model.trace_)
        assert (np.diff(model.history_) >= -1e-12).all()
        if case < 3:
            old, new = model.trace_[0]["means"], model.trace_[1]["means"]
            best = minimize(
                lambda m, q=model, o=old, r=X: -q.expected_log_likelihood(m.reshape(3, 2), o, r), old.ravel()
            )
            np.testing.assert_allclose(best.x.reshape(3, 2), new, atol=1e-4)


def test_small_width_is_k_means() -> None:
    X = np.random.default_rng(1).normal(size=(60, 2))
    start = X[:3]
    ours = KnownVarianceMixture(3, sigma=1e-3, means_init=start, max_iter=300).fit(X)
    theirs = KMeans(3, init=start, tol=0.0, max_iter=300).fit(X)
    np.testing.assert_allclose(ours.means_, theirs.cluster_centers_, atol=1e-8)


def test_weights_are_repetitions() -> None:
    rng = np.random.default_rng(2)
    X, times = rng.normal(size=(40, 2)), rng.integers(0, 4, 40)
    weighted = KnownVarianceMixture(3, max_iter=1000).fit(X, sample_weight=times)
    repeated = KnownVarianceMixture(3, max_iter=1000).fit(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(weighted.means_, repeated.means_, atol=1e-9)
    assert weighted.score(X, sample_weight=times) == pytest.approx(repeated.score(np.repeat(X, times, axis=0)))


def test_report_is_checked_on_the_rows() -> None:
    X = np.random.default_rng(3).normal(size=(30, 2))
    model = KnownVarianceMixture(2, max_iter=1000).fit(X)
    found = model.report_["gain of one more EM step"]
    assert 0.0 < float(found.value) < 1e-6  # type: ignore[arg-type]
    found.check(X)
    with pytest.raises(CertificateError):
        found.check(X + 1.0)


def test_share_of_improbable_rows() -> None:
    rng = np.random.default_rng(4)
    model = KnownVarianceMixture(2, max_iter=1000).fit(rng.normal(size=(50, 1)))
    report = model.certify(rng.normal(size=(200, 1)), level=-3.0)
    bound = report["share of rows below the density level"]
    assert float(bound.value) < 0.2  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs level"):
        model.certify(FOUR)


def test_a_fall_is_refused() -> None:
    class Wrong(KnownVarianceModel):
        def maximize(self, statistics: np.ndarray, parameters: np.ndarray) -> np.ndarray:
            return parameters + 1.0

    with pytest.raises(LikelihoodFellError, match="must not lower"):
        climb(Wrong(FOUR, np.ones(4), 1.0), np.array([[-1.5], [1.5]]), tol=0.0, max_iter=5)


def test_bad_input() -> None:
    for means, sigma in itertools.product(([[0.0, 1.0]], [[np.nan], [0.0]]), (1.0,)):
        with pytest.raises(ValueError, match="means_init"):
            KnownVarianceMixture(means_init=means, sigma=sigma).fit(FOUR)
    with pytest.raises(ValueError, match="n_samples >= n_components"):
        KnownVarianceMixture(5).fit(FOUR)
    with pytest.raises(ValueError, match="sigma"):
        KnownVarianceMixture(sigma=0.0).fit(FOUR)


def test_the_best_of_several_starts_whatever_the_threads() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2)) + 4.0 * rng.integers(0, 3, (60, 1))
    model = KnownVarianceModel(X, np.ones(60), 0.1)
    starts = [partial(np.copy, X[rng.choice(60, 6, replace=False)]) for _ in range(6)]
    alone = [climb(model, start(), tol=1e-9, max_iter=200) for start in starts]
    for threads in (1, 3):
        best = best_climb(model, starts, threads=threads, tol=1e-9, max_iter=200)
        assert best.history[-1] == max(run.history[-1] for run in alone)
    assert len({round(run.history[-1], 6) for run in alone}) > 1
