"""Principal components of tables with missing cells: the likelihood of what is there is at its maximum."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from certus.base.em import climb
from certus.components import PCA
from certus.components.learning.missing_cells import LatentModel, LatentSteps


def holed(seed: int, rows: int = 60, width: int = 5, share: float = 0.2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2)) @ rng.normal(size=(2, width)) * 3 + rng.normal(size=(rows, width)) + 10
    X[rng.uniform(size=X.shape) < share] = np.nan
    X[0] = 10.0
    return X


def observed_likelihood(rows: np.ndarray, weights: np.ndarray, model: LatentModel) -> float:
    covariance = model.loadings @ model.loadings.T + model.noise * np.eye(len(model.mean))
    found = 0.0
    for row, weight in zip(rows, weights, strict=True):
        there = ~np.isnan(row)
        if there.any():
            part = covariance[np.ix_(there, there)]
            found += weight * stats.multivariate_normal.logpdf(row[there], model.mean[there], part)
    return found / weights.sum()


def test_the_likelihood_is_that_of_the_observed_cells_and_never_falls() -> None:
    for seed in range(30):
        X = holed(seed, share=0.3)
        X[1] = np.nan
        weights = np.random.default_rng(seed).uniform(0.2, 2.0, len(X))
        steps = LatentSteps(X - 10.0, weights)
        run = climb(steps, steps.start(2), tol=0.0, max_iter=15, keep_trace=seed == 0)
        assert_allclose(run.history[-1], observed_likelihood(X - 10.0, weights, run.parameters), rtol=1e-10)
        assert (np.diff(run.history) > -1e-12).all()
        assert all(step["q_after"] >= step["q_before"] - 1e-9 for step in run.trace)


def test_nothing_near_is_more_likely() -> None:
    X = holed(1)
    steps = LatentSteps(X - 10.0, np.ones(len(X)))
    best = climb(steps, steps.start(2), tol=1e-13, max_iter=20_000)
    rng = np.random.default_rng(0)
    for size in (1e-2, 1e-3):
        for _ in range(30):
            mean, loadings = rng.normal(size=5) * size, rng.normal(size=(5, 2)) * size
            near = LatentModel(best.parameters.mean + mean, best.parameters.loadings + loadings, best.parameters.noise)
            assert steps.log_likelihood(near) <= best.history[-1]


def test_few_missing_cells_change_little_and_none_nothing() -> None:
    X = holed(2, rows=300, share=0.0)
    whole = PCA(2).fit(X)
    X[3, 1] = np.nan
    model = PCA(2).fit(X)
    assert model.solver_ == "em"
    assert_allclose(model.explained_variance_, whole.explained_variance_, rtol=0.02)
    assert_allclose(model.noise_variance_, whole.noise_variance_, rtol=0.02)
    assert_allclose(np.abs((model.components_ * whole.components_).sum(axis=1)), 1.0, atol=1e-4)
    assert_allclose(model.components_ @ model.components_.T, np.eye(2), atol=1e-12)


def test_tables_without_noise_and_constant_tables() -> None:
    line = np.column_stack([np.arange(10.0), 2.0 * np.arange(10.0)])
    line[0, 1] = np.nan
    assert_allclose(PCA(1).fit(line).impute([[3.5, np.nan]]), [[3.5, 7.0]], atol=1e-4)
    flat = np.ones((9, 3))
    flat[0, 0] = np.nan
    model = PCA(1).fit(flat)
    assert_allclose(model.impute(flat), 1.0)
    assert model.explained_variance_[0] < 1e-6


def test_imputed_cells_are_conditional_means() -> None:
    X = holed(3)
    model = PCA(2).fit(X)
    filled = model.impute(X)
    covariance, mean = model.get_covariance(), model.mean_
    for row, full in zip(X, filled, strict=True):
        there = ~np.isnan(row)
        part = covariance[np.ix_(~there, there)] @ np.linalg.solve(
            covariance[np.ix_(there, there)], (row - mean)[there]
        )
        assert_allclose(full[~there], mean[~there] + part, rtol=1e-8)
        assert_allclose(full[there], row[there])
    assert_allclose(model.transform(X), model.transform(filled), atol=1e-9)


@pytest.mark.parametrize("scale", [1e-140, 1.0, 1e140])
def test_scales_weights_and_single_precision(scale: float) -> None:
    X = holed(4)
    model = PCA(2).fit(X)
    assert_allclose(PCA(2).fit(X * scale).explained_variance_ratio_, model.explained_variance_ratio_, rtol=1e-6)
    weights = np.random.default_rng(4).integers(0, 3, len(X))
    weighted = PCA(2).fit(X, sample_weight=weights)
    repeated = PCA(2).fit(np.repeat(X, weights, axis=0))
    assert_allclose(weighted.explained_variance_, repeated.explained_variance_, rtol=1e-5)
    assert PCA(2).fit(X.astype(np.float32)).components_.dtype == np.float32


@pytest.mark.parametrize(
    ("learner", "words"),
    [(PCA(0.9), "whole number"), (PCA("mle"), "whole number"), (PCA(5), "from 1 to"), (PCA(2), "column 1 with none")],
)
def test_refusals(learner: PCA, words: str) -> None:
    X = holed(5)
    if "column" in words:
        X[:, 1] = np.nan
    with pytest.raises(ValueError, match=words):
        learner.fit(X)
