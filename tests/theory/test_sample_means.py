"""Means of draws: bounds, simulations and exact answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from certus.distributions import Bernoulli, Exponential, Gaussian, Laplace, Poisson
from certus.theory import (
    central_limit,
    chebyshev_bound,
    chebyshev_rows,
    law_of_large_numbers,
    parameter_counts,
)


def test_chebyshev_holds_for_every_distribution_and_is_reached_by_one() -> None:
    for law in (Bernoulli(0.2), Exponential(1.0), Gaussian(0, 1), Laplace(0, 1)):
        for k in (1.0, 1.5, 2.0, 3.0):
            distance = k * law.std
            inside = law.interval_probability(law.mean - distance - 1e-9, law.mean + distance)
            assert 1 - inside <= chebyshev_bound(law.variance, distance) + 1e-9
            assert chebyshev_bound(law.variance, distance) == pytest.approx(min(1, 1 / k**2))
    # X = -a, 0, a with probabilities 1/(2 k^2), 1 - 1/k^2, 1/(2 k^2) has variance 1 for a = k.
    k = 2.0
    assert chebyshev_bound(1.0, k) == pytest.approx(1 / k**2)


def test_rows_are_the_fewest_that_chebyshev_allows() -> None:
    for variance, distance, failure in ((0.25, 0.05, 0.05), (3.0, 0.7, 0.01), (1.0, 1.0, 0.5)):
        n = chebyshev_rows(variance, distance, failure)
        assert variance / (n * distance**2) <= failure * (1 + 1e-9)
        assert n == 1 or variance / ((n - 1) * distance**2) > failure


@pytest.mark.parametrize("law", [Bernoulli(0.3), Poisson(2.0), Exponential(1.5), Gaussian(1.0, 4.0)])
def test_law_of_large_numbers(law: object) -> None:
    found = law_of_large_numbers(law, (5, 20, 80), 0.3, repeats=4000)
    # 6 standard errors of the simulated share.
    slack = 6 * np.sqrt(found.exact * (1 - found.exact) / 4000) + 1e-3
    assert (np.abs(found.simulated - found.exact) <= slack).all()
    assert (found.exact <= found.bound + 1e-12).all()
    assert (np.diff(found.exact) < 0).all()
    np.testing.assert_allclose(found.variances, law.variance / np.array([5, 20, 80]), rtol=0.25)
    assert "Chebyshev" in str(found)


def test_exact_share_of_a_coin_is_binomial() -> None:
    found = law_of_large_numbers(Bernoulli(0.5), (10,), 0.2, repeats=10)
    # |heads - 5| > 2: fewer than 3 or more than 7.
    assert found.exact[0] == pytest.approx(2 * stats.binom.cdf(2, 10, 0.5))


@pytest.mark.parametrize("law", [Bernoulli(0.3), Exponential(1.5), Gaussian(1.0, 4.0), Laplace(0.0, 1.0)])
def test_central_limit(law: object) -> None:
    found = central_limit(law, (1, 10, 100), repeats=4000)
    if not np.isnan(found.exact).any():
        assert (np.abs(found.simulated - found.exact) <= found.noise).all()
        assert found.exact[2] <= 0.1 * found.exact[0] * 1.3 + 1e-12 or isinstance(law, Gaussian)
    assert found.simulated[2] <= 0.1
    assert "N(0, 1)" in str(found)


def test_parameters_explode_without_independence() -> None:
    for n in (1, 5, 20):
        counts = parameter_counts([2] * n)
        assert (counts.configurations, counts.joint, counts.naive) == (2**n, 2**n - 1, n)
    assert parameter_counts([3, 4]).naive == 5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: chebyshev_bound(1.0, 0.0), "distance must be"),
        (lambda: chebyshev_bound(-1.0, 1.0), "variance must be"),
        (lambda: chebyshev_rows(1.0, 1.0, 0.0), "failure must be"),
    ],
)
def test_bad_input(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
