"""Regression on principal components: least squares in the end, and leave-one-out without the row that is left out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

from certus.components import PCA, PrincipalComponentRegression


def table(seed: int, rows: int = 30, width: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width)) * np.arange(width, 0, -1) + 4.0
    return X, X[:, :2] @ [[1.0, 0.5], [2.0, -1.0]] + rng.normal(size=(rows, 2))


@pytest.mark.parametrize("count", [1, 3, 5])
def test_it_is_least_squares_on_the_coordinates(count: int) -> None:
    X, Y = table(0)
    scores = PCA(count).fit_transform(X)
    for target in (Y, Y[:, 0]):
        model = PrincipalComponentRegression(count).fit(X, target)
        assert_allclose(model.predict(X), LinearRegression().fit(scores, target).predict(scores), rtol=1e-9)
    assert_allclose(np.abs(model.components_), np.abs(PCA(count).fit(X).components_), atol=1e-9)


@pytest.mark.parametrize(("rows", "width"), [(30, 5), (8, 12)])
def test_leave_one_out_is_that_of_refitting(rows: int, width: int) -> None:
    X, Y = table(1, rows, width)
    model = PrincipalComponentRegression().fit(X, Y)
    for count in range(1, min(rows - 2, width) + 1):
        errors = []
        for row in range(rows):
            others = np.arange(rows) != row
            refitted = PrincipalComponentRegression(count).fit(X[others], Y[others])
            errors.append((refitted.predict(X[row : row + 1]) - Y[row]) ** 2)
        assert_allclose(model.leave_one_out_errors_[count], np.mean(errors), rtol=1e-7)
    assert model.n_components_ == model.leave_one_out_errors_.argmin()


def test_weights_are_repetitions_of_which_one_is_left_out() -> None:
    X, Y = table(2)
    weights = np.random.default_rng(2).integers(0, 4, len(X))
    weighted = PrincipalComponentRegression().fit(X, Y, sample_weight=weights)
    repeated = PrincipalComponentRegression().fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights, axis=0))
    assert_allclose(weighted.leave_one_out_errors_, repeated.leave_one_out_errors_, rtol=1e-9)
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)


def test_the_number_of_latent_directions_is_found_and_noise_needs_none() -> None:
    rng = np.random.default_rng(3)
    latent = rng.normal(size=(80, 3))
    X = latent @ rng.normal(size=(3, 40)) * 3 + 0.1 * rng.normal(size=(80, 40))
    errors = PrincipalComponentRegression().fit(X, latent.sum(axis=1) + 0.1 * rng.normal(size=80)).leave_one_out_errors_
    assert errors[2] > 5 * errors[3]
    assert errors[3] < 1.2 * errors.min()
    noise = PrincipalComponentRegression().fit(X, rng.normal(size=80)).leave_one_out_errors_
    assert noise[0] < 1.3 * noise.min()
    flat = PrincipalComponentRegression().fit(np.ones((5, 2)), np.arange(5.0))
    assert_allclose(flat.predict(np.ones((1, 2))), 2.0)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="n_components must be at most"):
        PrincipalComponentRegression(6).fit(*table(4))
