"""Slopes of matrix operations, and expectations of estimators by simulation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from certus.distributions import Gaussian
from certus.theory import estimator_bias, matrix_costs


def test_slopes_are_near_the_exponents_of_the_theory():
    costs = matrix_costs((100, 300, 900), repeats=2)
    slopes = costs.slopes
    for name, exponent in costs.exponents.items():
        assert exponent - 1.2 < slopes[name] < exponent + 0.9, str(costs)
    assert slopes["all eigenvectors"] > slopes["one power iteration"] + 0.2
    assert costs.seconds["all eigenvectors"][-1] > 20 * costs.seconds["one power iteration"][-1]
    assert "theory" in str(costs)


def test_biases_of_known_estimators():
    law = Gaussian(2.0, 9.0)
    assert estimator_bias(np.mean, law, 4, truth=2.0).unbiased
    assert estimator_bias(lambda rows: np.var(rows, ddof=1), law, 4, truth=9.0).unbiased
    likely = estimator_bias(np.var, law, 4, truth=9.0)
    assert not likely.unbiased
    assert_allclose(likely.bias, -9.0 / 4.0, atol=4 * likely.standard_error)
    largest = estimator_bias(np.max, lambda rng, rows: rng.uniform(size=rows), 9, truth=1.0)
    assert_allclose(largest.bias, -0.1, atol=4 * largest.standard_error)
    both = estimator_bias(lambda rows: [rows.mean(), np.var(rows)], law, 5)
    assert_allclose(both.bias, [0.0, -9.0 / 5.0 + 9.0 / 320.0], atol=0.3)
    assert "biased" in str(likely)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: matrix_costs((5, 5)), "two different"),
        (lambda: matrix_costs((0, 5)), "sizes"),
        (lambda: estimator_bias(np.mean, Gaussian(0.0, 1.0), 0), "rows"),
        (lambda: estimator_bias(lambda rows: np.nan, Gaussian(0.0, 1.0), 3), "finite"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()
