"""Densities, moments, entropies, divergences, scores, draws and fits of every distribution."""

from __future__ import annotations

import copy
import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import integrate

from certus.distributions import (
    Bernoulli,
    Beta,
    BetaBinomial,
    Binomial,
    Categorical,
    Dirichlet,
    DirichletMultinomial,
    Distribution,
    Exponential,
    Gamma,
    Gaussian,
    InverseGamma,
    InverseWishart,
    Laplace,
    Lomax,
    Moments,
    Multinomial,
    MultivariateGaussian,
    MultivariateT,
    NegativeBinomial,
    NormalInverseGamma,
    Poisson,
    StudentT,
    Sums,
)

COUNTS = [Bernoulli(0.3), Binomial(7, 0.4), Poisson(3.3), BetaBinomial(6, 2.0, 3.0), NegativeBinomial(2.5, 0.7)]
NUMBERS = [
    Exponential(1.7),
    Gaussian(1.0, 4.0),
    Laplace(-1.0, 2.0),
    Beta(2.5, 4.0),
    Gamma(2.5, 0.8),
    InverseGamma(5.5, 2.0),
    StudentT(7.0, 1.0, 2.0),
    Lomax(5.5, 3.0),
]
ALL = COUNTS + NUMBERS
OTHER = {
    Bernoulli: Bernoulli(0.45),
    Binomial: Binomial(7, 0.6),
    Poisson: Poisson(2.0),
    BetaBinomial: BetaBinomial(6, 1.0, 1.0),
    NegativeBinomial: NegativeBinomial(4.0, 1.0),
    Exponential: Exponential(0.6),
    Gaussian: Gaussian(0.0, 2.0),
    Laplace: Laplace(0.5, 1.0),
    Beta: Beta(1.5, 2.0),
    Gamma: Gamma(1.2, 1.5),
    InverseGamma: InverseGamma(3.0, 1.0),
    StudentT: StudentT(9.0, 0.0, 1.5),
    Lomax: Lomax(4.0, 2.0),
}
names = pytest.mark.parametrize("law", ALL, ids=lambda law: type(law).__name__)


def expected(law: Any, function: Any) -> float:
    """The expectation by summation or quadrature."""
    if law in COUNTS:
        x = np.arange(0, 400.0)
        density = law.density(x)
        return float(density[density > 0] @ np.asarray([function(each) for each in x[density > 0]]))
    edges = law.quantile([1e-15, 1e-6, 0.001, 0.1, 0.5, 0.9, 0.999, 1 - 1e-6, 1 - 1e-12])
    pairs = pairwise(edges)
    return sum(integrate.quad(lambda x: law.density(x) * function(x), a, b, limit=200)[0] for a, b in pairs)


@names
def test_density_moments_and_entropy_agree_with_integration(law: Any) -> None:
    assert expected(law, lambda x: 1.0) == pytest.approx(1, rel=1e-8)
    assert law.mean == pytest.approx(expected(law, lambda x: x), rel=1e-5)
    assert law.variance == pytest.approx(expected(law, lambda x: (x - law.mean) ** 2), rel=1e-3)
    assert law.std == pytest.approx(np.sqrt(law.variance))
    assert law.entropy() == pytest.approx(expected(law, lambda x: -law.log_density(x)), rel=1e-6)


@names
def test_divergence_is_an_expectation_and_positive(law: Any) -> None:
    other = OTHER[type(law)]
    assert law.kl(other) == pytest.approx(expected(law, lambda x: law.log_density(x) - other.log_density(x)), rel=1e-5)
    assert law.kl(other) > 0
    assert law.kl(law) == pytest.approx(0, abs=1e-9)


@names
def test_cdf_quantiles_and_intervals(law: Any) -> None:
    low, high = law.quantile(0.2), law.quantile(0.9)
    assert law.cdf(low) <= law.cdf(high)
    assert law.interval_probability(low, high) == pytest.approx(law.cdf(high) - law.cdf(low))
    assert law.cdf(law.quantile(0.5)) >= 0.5
    if law in NUMBERS:
        step = 1e-5
        slope = (law.cdf(high + step) - law.cdf(high - step)) / (2 * step)
        assert slope == pytest.approx(law.density(high), rel=1e-6)  # p = F'


def test_intervals_far_in_the_tail_keep_their_digits() -> None:
    assert Gaussian(0, 1).interval_probability(10, 11) == pytest.approx(7.6198530241605e-24, rel=1e-9)


@names
def test_score_is_the_derivative_of_the_log_density(law: Any) -> None:
    x = np.array([1.0, 0.0]) if law in COUNTS[:1] else np.array([0.3, 0.8]) if law in NUMBERS else np.array([1.0, 4.0])
    for name, value in law.score(x).items():
        step = 1e-6
        ends = [
            type(law)(**{**law.parameters, name: law.parameters[name] + sign * step}).log_density(x) for sign in (1, -1)
        ]
        np.testing.assert_allclose(value, (ends[0] - ends[1]) / (2 * step), rtol=1e-5, atol=1e-7)


@names
def test_draws_have_the_mean_and_the_quantiles(law: Any) -> None:
    drawn = law.sample(20_000, random_state=3)
    assert drawn.shape == (20_000,)
    # 6 standard errors each: a false alarm in 4e-9 of all seeds.
    assert abs(drawn.mean() - law.mean) <= 6 * law.std / np.sqrt(20_000)
    for q in (0.2, 0.7):
        share = law.cdf(law.quantile(q))
        assert abs((drawn <= law.quantile(q)).mean() - share) <= 6 * np.sqrt(share * (1 - share) / 20_000) + 1e-12
    np.testing.assert_array_equal(drawn, law.sample(20_000, random_state=3))


@names
def test_mode_has_the_largest_density(law: Any) -> None:
    try:
        mode = law.mode
    except NotImplementedError:
        return
    grid = np.arange(0, 30) if law in COUNTS else law.quantile(np.linspace(0.001, 0.999, 999))
    assert law.density(mode) >= law.density(grid).max() * (1 - 1e-12)


FITTED = [law for law in ALL if not isinstance(law, BetaBinomial | Lomax)]


@pytest.mark.parametrize("law", FITTED, ids=lambda law: type(law).__name__)
def test_fit_is_a_maximum_of_the_weighted_likelihood(law: Any) -> None:
    options = {"trials": law.trials} if isinstance(law, Binomial) else {}
    rows = law.sample(400, random_state=1)
    weights = np.random.default_rng(2).integers(0, 3, 400)
    found = type(law).fit(rows, weights, **options)
    # A weight is a repetition.
    again = type(law).fit(np.repeat(rows, weights), **options)
    for name, value in found.parameters.items():
        assert value == pytest.approx(again.parameters[name], rel=1e-6)

    def likelihood(parameters: dict[str, float]) -> float:
        return float(weights @ type(law)(**parameters).log_density(rows))

    best = likelihood(found.parameters)
    for name in found.parameters.keys() - {"trials"}:
        for change in (0.99, 1.01):
            assert likelihood({**found.parameters, name: found.parameters[name] * change}) <= best + 1e-9


@pytest.mark.parametrize("law", [Gaussian(1.0, 4.0), Exponential(1.7), Poisson(3.3), Gamma(2.5, 0.8), Bernoulli(0.3)])
def test_estimates_approach_the_truth(law: Any) -> None:
    """Means over 200 samples of 200 rows are within 6 standard errors plus the bias of order 1/n."""
    fits = [list(type(law).fit(law.sample(200, random_state=seed)).parameters.values()) for seed in range(200)]
    truth = np.array(list(law.parameters.values()))
    error = np.abs(np.mean(fits, axis=0) - truth)
    assert (error <= 6 * np.std(fits, axis=0) / np.sqrt(200) + 10 * truth / 200).all()


def test_sample_mean_is_unbiased_and_its_variance_is_that_of_a_row_over_n() -> None:
    law = Gaussian(1.0, 4.0)
    means = law.sample(25 * 4000, random_state=5).reshape(4000, 25).mean(axis=1)
    assert abs(means.mean() - 1) <= 6 * np.sqrt(4 / 25 / 4000)
    assert means.var() == pytest.approx(4 / 25, rel=6 * np.sqrt(2 / 4000))
    assert law.total(25).mean / 25 == pytest.approx(1)
    assert law.total(25).variance / 25**2 == pytest.approx(4 / 25)


def test_bernoulli_and_binomial_moments() -> None:
    assert Bernoulli(0.3).mean == pytest.approx(0.3)
    assert Bernoulli(0.3).variance == pytest.approx(0.21)
    assert Binomial(10, 0.3).mean == pytest.approx(3)
    assert Binomial(10, 0.3).variance == pytest.approx(2.1)
    assert Binomial(1, 0.3).density(1) == pytest.approx(Bernoulli(0.3).density(1))
    assert Bernoulli(0.3).kl(Bernoulli(0.45)) == pytest.approx(0.0471739, abs=5e-8)


def test_fair_die() -> None:
    die = Categorical([1 / 6] * 6)
    np.testing.assert_allclose(die.mean, 1 / 6)
    np.testing.assert_allclose(die.variance, 5 / 36)
    covariance = die.covariance
    assert covariance[0, 1] == pytest.approx(-1 / 36)
    assert die.entropy() == pytest.approx(np.log(6))
    drawn = np.eye(6)[die.sample(60_000, random_state=0)]
    np.testing.assert_allclose(np.cov(drawn.T, bias=True), covariance, atol=6 * 0.4 / np.sqrt(60_000))


def test_multinomial_moments() -> None:
    law = Multinomial(12, [0.2, 0.3, 0.5])
    x = np.array([(a, b, 12 - a - b) for a in range(13) for b in range(13 - a)])
    density = law.density(x)
    assert density.sum() == pytest.approx(1)
    np.testing.assert_allclose(density @ x, law.mean)
    np.testing.assert_allclose((x * density[:, None]).T @ x - np.outer(law.mean, law.mean), law.covariance, atol=1e-10)
    np.testing.assert_allclose(law.variance, 12 * law.p * (1 - law.p))
    assert law.entropy() == pytest.approx(-density @ np.log(density))
    other = Multinomial(12, [1 / 3] * 3)
    assert law.kl(other) == pytest.approx(density @ (law.log_density(x) - other.log_density(x)))
    np.testing.assert_allclose(Multinomial.fit([[2, 2, 0], [1, 1, 2]]).p, [3 / 8, 3 / 8, 2 / 8])


def test_dirichlet_multinomial_sums_to_one_and_has_its_moments() -> None:
    law = DirichletMultinomial(5, [1.5, 2.0, 0.5])
    x = np.array([(a, b, 5 - a - b) for a in range(6) for b in range(6 - a)])
    density = law.density(x)
    assert density.sum() == pytest.approx(1)
    np.testing.assert_allclose(density @ x, law.mean)
    np.testing.assert_allclose((x * density[:, None]).T @ x - np.outer(law.mean, law.mean), law.covariance, atol=1e-10)
    assert law.entropy() == pytest.approx(-density @ np.log(density))


def test_beta_and_the_recursion_of_the_gamma_function() -> None:
    law = Beta(2.5, 4.0)
    assert law.mean == pytest.approx(2.5 / 6.5)
    assert law.variance == pytest.approx(2.5 * 4 / (6.5**2 * 7.5))
    # x^a: E X = a / (a + b) is Gamma(x + 1) = x Gamma(x) for the normalizing constants.
    ratio = Beta(3.5, 4.0).density(0.3) / (law.density(0.3) * 0.3)
    assert ratio == pytest.approx(6.5 / 2.5)
    assert Beta(1, 1).density(0.7) == pytest.approx(1)
    assert np.isnan(Beta(1, 1).mode)
    assert Beta(1, 3).mode == 0


def test_dirichlet_moments_and_fit() -> None:
    law = Dirichlet([2.0, 3.0, 0.8])
    drawn = law.sample(40_000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), law.mean, atol=6 * 0.25 / 200)
    np.testing.assert_allclose(np.cov(drawn.T, bias=True), law.covariance, atol=6 * 0.06 / 200)
    total = law.alpha.sum()
    assert law.covariance[0, 1] == pytest.approx(-2 * 3 / (total**2 * (total + 1)))
    np.testing.assert_allclose(law.variance, np.diag(law.covariance))
    assert Dirichlet([2.5, 4.0]).log_density([0.3, 0.7]) == pytest.approx(Beta(2.5, 4.0).log_density(0.3))
    assert Dirichlet([2.5, 4.0]).kl(Dirichlet([1.5, 2.0])) == pytest.approx(Beta(2.5, 4.0).kl(Beta(1.5, 2.0)))
    assert Dirichlet([2.5, 4.0]).entropy() == pytest.approx(Beta(2.5, 4.0).entropy())
    rows = drawn[(drawn > 1e-300).all(axis=1)][:500]
    found = Dirichlet.fit(rows)
    # The score of a maximum is zero.
    np.testing.assert_allclose(found.score(rows)["alpha"].mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(found.alpha, law.alpha, rtol=0.3)
    assert law.log_density([0.5, 0.6, -0.1]) == -np.inf


def test_multivariate_normal_density_and_mahalanobis_distance() -> None:
    mean, covariance = np.array([1.0, -2.0]), np.array([[2.0, 0.6], [0.6, 1.0]])
    law = MultivariateGaussian(mean, covariance)
    x = np.array([[0.0, 0.0], [1.0, -2.0], [3.0, 1.0]])
    squared = np.array([(row - mean) @ np.linalg.inv(covariance) @ (row - mean) for row in x])
    np.testing.assert_allclose(law.mahalanobis(x) ** 2, squared, atol=1e-12)
    constant = (2 * np.pi) ** -1 * np.linalg.det(covariance) ** -0.5
    np.testing.assert_allclose(law.density(x), constant * np.exp(-squared / 2))
    assert law.log_density(x[0]) == pytest.approx(np.log(law.density(x)[0]))
    np.testing.assert_allclose(
        MultivariateGaussian([1.0], [[4.0]]).log_density([[2.0]]), Gaussian(1, 4).log_density(2.0)
    )
    other = MultivariateGaussian([0.0, 0.0], np.eye(2))
    drawn = law.sample(40_000, random_state=0)
    difference = law.log_density(drawn) - other.log_density(drawn)
    assert abs(difference.mean() - law.kl(other)) <= 6 * difference.std() / 200
    assert -law.log_density(drawn).mean() == pytest.approx(law.entropy(), abs=6 / 200)


def test_multivariate_normal_fit_has_score_zero() -> None:
    rows = np.random.default_rng(0).normal(size=(60, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.2], [0, 0, 2]])
    found = MultivariateGaussian.fit(rows)
    np.testing.assert_allclose(found.mean, rows.mean(axis=0))
    np.testing.assert_allclose(found.covariance, np.cov(rows.T, bias=True))
    score = found.score(rows)
    np.testing.assert_allclose(score["mean"].sum(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(score["covariance"].sum(axis=0), 0, atol=1e-9)


def test_student_vectors() -> None:
    law = MultivariateT(6.0, [1.0, 2.0], [[2.0, 0.3], [0.3, 1.0]])
    drawn = law.sample(40_000, random_state=0)
    np.testing.assert_allclose(np.cov(drawn.T), law.covariance, atol=0.25)
    one = MultivariateT(6.0, [1.0], [[4.0]])
    np.testing.assert_allclose(one.log_density([[2.0]]), StudentT(6.0, 1.0, 2.0).log_density(2.0))
    found = MultivariateT.fit(drawn[:800], df=6.0)
    best = found.log_density(drawn[:800]).sum()
    for change in (0.98, 1.02):
        assert MultivariateT(6.0, found.mean * change, found.scale).log_density(drawn[:800]).sum() < best
        assert MultivariateT(6.0, found.mean, found.scale * change).log_density(drawn[:800]).sum() < best


def test_inverse_wishart_in_one_dimension_is_inverse_gamma() -> None:
    law, same = InverseWishart(9.0, [[3.0]]), InverseGamma(4.5, 1.5)
    assert law.log_density([[0.7]]) == pytest.approx(same.log_density(0.7))
    assert law.mean[0, 0] == pytest.approx(same.mean)
    assert law.variance[0, 0] == pytest.approx(same.variance)
    assert law.mode[0, 0] == pytest.approx(same.mode)
    assert law.entropy() == pytest.approx(same.entropy())
    assert law.kl(InverseWishart(6.0, [[2.0]])) == pytest.approx(same.kl(InverseGamma(3.0, 1.0)))
    matrices = InverseWishart(9.0, np.eye(2)).sample(3, random_state=0)
    assert InverseWishart(9.0, np.eye(2)).log_density(matrices).shape == (3,)


def test_normal_inverse_gamma_has_its_marginals() -> None:
    law = NormalInverseGamma(1.0, 2.0, 5.0, 3.0)
    variance = np.linspace(0.01, 30, 20_001)
    for mu in (0.2, 1.5):
        density = law.density(np.column_stack([np.full_like(variance, mu), variance]))
        assert integrate.simpson(density, x=variance) == pytest.approx(law.of_mean.density(mu), rel=1e-4)
    drawn = law.sample(40_000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), law.mean, atol=0.03)
    assert law.entropy() == pytest.approx(-law.log_density(drawn).mean(), abs=0.05)
    assert law.log_density(law.mode) >= law.log_density(drawn).max()


def test_statistics_of_parts_add_up_to_those_of_the_whole() -> None:
    rows = np.random.default_rng(0).integers(0, 5, 100)
    for cut in (0, 1, 37, 100):
        both = Poisson.statistics(rows[:cut]) + Poisson.statistics(rows[cut:])
        assert (both.weight, both.sums) == (100.0, float(rows.sum()))  # whole numbers: exactly
        table = np.random.default_rng(1).normal(1e6, 1, size=(100, 2))
        whole, parts = Moments.of(table), Moments.of(table[:cut]) + Moments.of(table[cut:])
        np.testing.assert_allclose(parts.mean, whole.mean, rtol=1e-14)
        np.testing.assert_allclose(parts.scatter, whole.scatter, rtol=1e-7, atol=1e-7)
    assert Poisson.from_statistics(Poisson.statistics(rows)) == Poisson.fit(rows)
    assert repr(Sums(1.0, [2.0]) + Sums(2.0, [3.0])) == "Sums(weight=3.0, sums=array([5.]))"


@names
def test_distributions_do_not_change_and_can_be_copied(law: Distribution) -> None:
    with pytest.raises(AttributeError):
        setattr(law, next(iter(law.parameters)), 1.0)
    assert pickle.loads(pickle.dumps(law)) == law == copy.deepcopy(law)
    assert hash(law) == hash(copy.copy(law))
    assert law != OTHER[type(law)]


def test_labels_stay_what_they_are() -> None:
    mixed = Categorical([0.25, 0.75], ["a", 1])
    assert set(mixed.sample(50, random_state=0).tolist()) == {"a", 1}
    np.testing.assert_allclose(mixed.density(["a", 1, "1"]), [0.25, 0.75, 0.0])
    pairs = Categorical.fit([(0, 1), (1, 2), (0, 1)])
    assert pairs.labels == ((0, 1), (1, 2))
    assert pairs.sample(3, random_state=0).shape == (3,)


def test_matrices_that_are_no_covariance_have_density_zero() -> None:
    law = InverseWishart(5, np.eye(2))
    found = law.log_density(np.array([[[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.5], [0.1, 1.0]], np.eye(2)]))
    np.testing.assert_array_equal(found[:2], [-np.inf, -np.inf])
    assert found[2] == law.log_density(np.eye(2)) > -np.inf


def test_scales_beyond_squares() -> None:
    found = Gaussian(0.0, 1e-300).kl(Gaussian(0.0, 1e300))
    assert found == pytest.approx(0.5 * (np.log(1e300) - np.log(1e-300) - 1))
    assert Gaussian(0, 1).interval_probability(2.0, 1.0) == 0.0
    # Of a Poisson number with a large rate, by the sum over all numbers within 40 deviations.
    for rate in (999.0, 1000.0, 1e4, 1e6):
        x = np.arange(max(0.0, rate - 40 * np.sqrt(rate)), rate + 40 * np.sqrt(rate))
        logs = Poisson(rate).log_density(x)
        assert Poisson(rate).entropy() == pytest.approx(-(np.exp(logs) @ logs), rel=1e-8)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Bernoulli(1.2), "p must be a finite number"),
        (lambda: Gaussian(0, -1), "variance must be a finite number above 0, got -1"),
        (lambda: Gaussian(np.nan, 1), "mean must be a finite number"),
        (lambda: Categorical([0.5, 0.6]), "p must sum to 1"),
        (lambda: Categorical([0.5, 0.5], "aa"), "distinct labels"),
        (lambda: MultivariateGaussian([0, 0], [[1, 2], [2, 1]]), "covariance must be positive definite"),
        (lambda: MultivariateGaussian([0, 0], [[1, 0.5], [0.1, 1]]), "symmetric"),
        (lambda: MultivariateGaussian([0, 0], np.eye(3)), r"of shape \(2, 2\)"),
        (lambda: Poisson.fit([1, -1]), "data must be whole numbers that are not negative, got -1"),
        (lambda: Poisson.fit([1.5]), "data must be whole numbers"),
        (lambda: Bernoulli.fit([0, 2]), "whole numbers from 0 to 1"),
        (lambda: Gaussian.fit([]), "at least one row"),
        (lambda: Gaussian.fit([1.0, np.inf]), "data must be finite"),
        (lambda: Gaussian.fit([1.0, 2.0], [1.0]), "one number per row"),
        (lambda: Gaussian.fit([1.0, 2.0], [1.0, -1.0]), "not negative"),
        (lambda: Gamma.fit([2.0, 2.0]), "at least two different numbers"),
        (lambda: Dirichlet([1.0, 0.0]), "positive numbers"),
        (lambda: Binomial(0, 0.5), "trials must be a finite number at least 1"),
        (lambda: Binomial.fit([1]), "trials must be given"),
        (lambda: Gaussian(0, 1).kl(Laplace(0, 1)), "must be of class Gaussian"),
        (lambda: Gaussian(0, 1).sample(-1), "n must be a whole number"),
        (lambda: NegativeBinomial.fit([2, 2, 2]), "vary more than a Poisson"),
        (lambda: InverseWishart(1.0, np.eye(3)), "df must be a finite number above 2"),
        (lambda: Gaussian(0, 1).sample(np.nan), "n must be a whole number"),  # type: ignore[arg-type]
        (lambda: Poisson.fit(["many"]), "data must hold numbers"),
        (lambda: Categorical.fit(["a", 1, None]), "labels that can be sorted"),
        (lambda: MultivariateGaussian([0, 0], np.eye(2)).log_density([[1.0]]), "x must have 2 components"),
        (lambda: MultivariateGaussian([0, 0], np.eye(2)).log_density(1.0), "x must have 2 components"),
        (lambda: MultivariateGaussian([0, 0], np.eye(2)).kl(MultivariateGaussian([0], [[1]])), "same dimension"),
        (lambda: MultivariateT(3, [0, 0], np.eye(2)).log_density([1.0, 2.0, 3.0]), "x must have 2 components"),
        (lambda: Dirichlet([1, 1]).log_density([0.3, 0.3, 0.4]), "x must have 2 components"),
        (lambda: Multinomial(2, [0.5, 0.5]).log_density([[1, 1, 0]]), "x must have 2 components"),
        (lambda: InverseWishart(4, np.eye(2)).log_density(np.eye(3)), "matrices of shape"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
