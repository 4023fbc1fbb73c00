"""Posteriors, predictives and evidence in closed form against quadrature; updates, merges and estimates."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from certus.distributions import (
    Bernoulli,
    BernoulliModel,
    BinomialModel,
    Categorical,
    CategoricalModel,
    ExponentialModel,
    GaussianMeanModel,
    GaussianModel,
    MultinomialModel,
    MultivariateGaussianModel,
    MultivariateMeanModel,
    PoissonModel,
    cross_entropy,
)

COIN = [1, 1, 0, 0, 0, 1, 1]
WEATHER = list("RCCSSSRC")
# A model, rows, the likelihood of the rows as a function of the parameter, the parameter's prior, its range, next rows.
ONE_PARAMETER = {
    "bernoulli": (BernoulliModel(2, 3), COIN, lambda x, p: stats.bernoulli.pmf(x, p), stats.beta(2, 3), (0, 1), [0, 1]),
    "binomial": (
        BinomialModel(5, 2, 3),
        [2, 3, 5],
        lambda x, p: stats.binom.pmf(x, 5, p),
        stats.beta(2, 3),
        (0, 1),
        [0, 3, 5],
    ),
    "poisson": (
        PoissonModel(2, 1.5),
        [0, 3, 1],
        lambda x, r: stats.poisson.pmf(x, r),
        stats.gamma(2, scale=1 / 1.5),
        (0, 40),
        [0, 2, 7],
    ),
    "exponential": (
        ExponentialModel(2, 1.5),
        [0.2, 3.0, 1.0],
        lambda x, r: r * np.exp(-r * np.asarray(x)),
        stats.gamma(2, scale=1 / 1.5),
        (0, 40),
        [0.1, 2.0],
    ),
    "gaussian mean": (
        GaussianMeanModel(1.0, 2.0, 0.5),
        [0.2, 3.0, 1.0],
        lambda x, m: stats.norm.pdf(x, m, np.sqrt(0.5)),
        stats.norm(1, np.sqrt(2)),
        (-15, 15),
        [0.1, 2.0],
    ),
}
one_parameter = pytest.mark.parametrize("name", ONE_PARAMETER)


@one_parameter
def test_one_parameter_models_agree_with_quadrature(name: str) -> None:
    prior_model, rows, likelihood, prior, (low, high), following = ONE_PARAMETER[name]
    model = prior_model.update(rows)

    def joint(theta: float) -> float:
        return float(np.prod(likelihood(rows, theta)) * prior.pdf(theta))

    evidence = integrate.quad(joint, low, high, limit=200, points=[(low + high) / 2])[0]
    assert model.log_evidence == pytest.approx(np.log(evidence), rel=1e-7)
    for theta in (0.3, 0.8):
        assert model.posterior.density(theta) == pytest.approx(joint(theta) / evidence, rel=1e-7)
    for x in following:
        predictive = integrate.quad(lambda t: likelihood(x, t) * joint(t), low, high, limit=200)[0] / evidence
        assert model.predictive.density(x) == pytest.approx(predictive, rel=1e-6)
    mean = integrate.quad(lambda t: t * joint(t), low, high, limit=200)[0] / evidence
    parameter = next(key for key in ("p", "rate", "mean") if key in model.posterior_mean.parameters)
    assert model.posterior_mean.parameters[parameter] == pytest.approx(mean, rel=1e-6)
    best = model.map.parameters[parameter]
    assert joint(best) >= max(joint(best * 1.01), joint(best * 0.99))
    likely = model.ml.parameters[parameter]
    assert np.prod(likelihood(rows, likely)) >= max(np.prod(likelihood(rows, likely * c)) for c in (0.99, 1.01))


def test_coin() -> None:
    coin = BernoulliModel().update(COIN)
    assert coin.ml.p == pytest.approx(4 / 7)
    assert coin.map.p == pytest.approx(4 / 7)  # a flat prior: the same as maximum likelihood
    assert coin.predictive.p == pytest.approx(5 / 9)
    assert coin.posterior_mean.p == pytest.approx(5 / 9)
    assert (coin.posterior.a, coin.posterior.b) == (5, 4)


def test_weather() -> None:
    weather = CategoricalModel([1, 1, 1], labels=list("RCS")).update(WEATHER)
    np.testing.assert_allclose(weather.ml.p, [1 / 4, 3 / 8, 3 / 8])
    np.testing.assert_allclose(weather.predictive.p, [3 / 11, 4 / 11, 4 / 11])
    assert weather.predictive.labels == ("R", "C", "S")
    # Dirichlet(2): the mode has the imaginary counts alpha - 1, the mean alpha.
    other = CategoricalModel([2, 2, 2], labels=list("RCS")).update(WEATHER)
    np.testing.assert_allclose(other.map.p, [3 / 11, 4 / 11, 4 / 11])
    np.testing.assert_allclose(other.posterior_mean.p, [4 / 14, 5 / 14, 5 / 14])


def test_evidence_of_labels_is_that_of_the_rows_in_their_order() -> None:
    model = CategoricalModel([0.5, 1.5, 2.0], labels="RCS")
    step_by_step = 0.0
    for label in WEATHER:
        step_by_step += float(model.predictive.log_density(label))
        model = model.update([label])
    assert model.log_evidence == pytest.approx(step_by_step)


def test_unseen_labels_have_infinite_risk_by_likelihood_and_finite_by_map() -> None:
    truth = Categorical([0.5, 0.3, 0.2])
    model = CategoricalModel([2, 2, 2]).update([0, 0, 1])  # label 2 never came
    np.testing.assert_allclose(model.map.p, [3 / 6, 2 / 6, 1 / 6])  # (n_j + a_j - 1) / (n + sum a - k)
    assert truth.kl(model.ml) == np.inf
    assert cross_entropy(truth.p, model.ml.p) == np.inf
    assert truth.kl(model.map) < 0.1


def test_normal_mean_with_known_variance() -> None:
    model = GaussianMeanModel(0.0, 1.0, 1.0).update([2.0, 2.0, 2.0, 2.0])
    assert model.posterior.mean == pytest.approx(1.6)
    assert model.posterior.variance == pytest.approx(0.2)
    assert model.predictive.variance == pytest.approx(1.2)
    spreads = [GaussianMeanModel(0.0, 1.0, 1.0).update(np.full(n, 2.0)).posterior for n in (1, 5, 50, 5000)]
    assert all(a.variance > b.variance for a, b in pairwise(spreads))
    assert all(0 < each.mean < 2 for each in spreads)
    assert spreads[-1].mean == pytest.approx(2, abs=1e-3)


def test_normal_with_unknown_variance_agrees_with_quadrature() -> None:
    prior = GaussianModel(0.5, 2.0, 3.0, 1.5)
    rows = np.array([0.2, 1.7, 1.0])
    model = prior.update(rows)

    def joint(mu: float, s2: float, extra: tuple[float, ...] = ()) -> float:
        values = np.array([*rows, *extra])
        return float(np.prod(stats.norm.pdf(values, mu, np.sqrt(s2))) * prior.posterior.density([mu, s2]))

    def area(extra: tuple[float, ...] = ()) -> float:
        return integrate.dblquad(lambda mu, s2: joint(mu, s2, extra), 1e-3, 15, -6, 7, epsabs=1e-11)[0]

    evidence = area()
    assert model.log_evidence == pytest.approx(np.log(evidence), rel=1e-4)
    assert model.posterior.density([0.7, 0.9]) == pytest.approx(joint(0.7, 0.9) / evidence, rel=1e-3)
    assert model.predictive.density(1.3) == pytest.approx(area((1.3,)) / evidence, rel=1e-3)
    assert model.ml.parameters == pytest.approx({"mean": rows.mean(), "variance": rows.var()})
    best = (model.map.mean, model.map.variance)
    assert joint(*best) >= max(joint(best[0] + d, best[1] * c) for d in (-0.01, 0.01) for c in (0.99, 1, 1.01))


def test_vectors_in_one_dimension_agree_with_numbers() -> None:
    rows = np.array([0.2, 1.7, 1.0, 0.4])
    table = rows[:, np.newaxis]
    one, many = (
        GaussianMeanModel(1.0, 2.0, 0.5).update(rows),
        MultivariateMeanModel([1.0], [[2.0]], [[0.5]]).update(table),
    )
    assert many.log_evidence == pytest.approx(one.log_evidence)
    np.testing.assert_allclose(many.predictive.covariance, [[one.predictive.variance]])
    # InverseWishart(2 shape, 2 scale) is InverseGamma(shape, scale).
    single = GaussianModel(0.5, 2.0, 3.0, 1.5).update(rows)
    vector = MultivariateGaussianModel([0.5], 2.0, 6.0, [[3.0]]).update(table)
    assert vector.log_evidence == pytest.approx(single.log_evidence)
    np.testing.assert_allclose(vector.predictive.log_density([[0.9]]), single.predictive.log_density(0.9))
    np.testing.assert_allclose(vector.posterior_mean.covariance, [[single.posterior_mean.variance]])
    np.testing.assert_allclose(vector.map.covariance, [[single.map.variance]])


def test_vector_means_follow_the_formula_with_inverses() -> None:
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(6, 2)) + 1
    prior, noise = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[1.0, -0.3], [-0.3, 0.7]])
    model = MultivariateMeanModel([0.0, 1.0], prior, noise).update(rows)
    spread = np.linalg.inv(np.linalg.inv(prior) + 6 * np.linalg.inv(noise))
    mean = spread @ (np.linalg.inv(prior) @ [0.0, 1.0] + 6 * np.linalg.inv(noise) @ rows.mean(axis=0))
    np.testing.assert_allclose(model.posterior.covariance, spread)
    np.testing.assert_allclose(model.posterior.mean, mean)
    np.testing.assert_allclose(model.predictive.covariance, noise + spread)


CHAINED = [
    (MultivariateMeanModel([0.0, 1.0], np.eye(2), 2 * np.eye(2)), np.random.default_rng(1).normal(size=(5, 2))),
    (MultivariateGaussianModel([0.0, 1.0], 1.5, 4.0, np.eye(2)), np.random.default_rng(2).normal(size=(5, 2))),
    (GaussianModel(0.5, 2.0, 3.0, 1.5), np.random.default_rng(3).normal(size=5)),
    (MultinomialModel(4, [0.5, 1.0, 2.0]), np.array([[1, 1, 2], [4, 0, 0], [2, 2, 0]])),
    *[(case[0], np.array(case[1])) for case in ONE_PARAMETER.values()],
]


@pytest.mark.parametrize(("prior", "rows"), CHAINED, ids=lambda each: type(each).__name__)
def test_evidence_is_the_product_of_predictives(prior: Any, rows: np.ndarray) -> None:
    total, model = 0.0, prior
    for row in rows:
        total += float(np.squeeze(model.predictive.log_density(row)))
        model = model.update(row[np.newaxis])
    assert model.log_evidence == pytest.approx(total)
    assert prior.update(rows).log_evidence == pytest.approx(total)


@pytest.mark.parametrize(("prior", "rows"), CHAINED, ids=lambda each: type(each).__name__)
def test_merge_is_the_model_of_all_rows_and_weights_are_repetitions(prior: Any, rows: np.ndarray) -> None:
    whole = prior.update(rows)
    for cut in range(len(rows) + 1):
        merged = prior.update(rows[:cut]).merge(prior.update(rows[cut:]))
        assert merged.log_evidence == pytest.approx(whole.log_evidence)
        assert merged.weight == len(rows)
    assert prior.merge(prior).weight == 0
    assert whole.merge(prior).log_evidence == whole.log_evidence
    weights = np.arange(len(rows))
    repeated = prior.update(np.repeat(rows, weights, axis=0))
    assert prior.update(rows, weights).log_evidence == pytest.approx(repeated.log_evidence)


def test_models_without_rows() -> None:
    for model, _ in CHAINED:
        assert model.log_evidence == 0
        with pytest.raises(ValueError, match="at least one row"):
            _ = model.ml


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="same prior"):
        BernoulliModel(1, 1).merge(BernoulliModel(2, 1))
    with pytest.raises(ValueError, match=r"labels among \['a', 'b'\], got 'c'"):
        CategoricalModel([1, 1], labels="ab").update(["a", "c"])
    with pytest.raises(ValueError, match="single maximum"):
        _ = BernoulliModel().map
    with pytest.raises(ValueError, match="a must be a finite number above 0"):
        BernoulliModel(0, 1)
    with pytest.raises(ValueError, match="must have 2 columns"):
        MultivariateGaussianModel([0, 0], 1, 3, np.eye(2)).update(np.zeros((3, 1)))
    with pytest.raises(ValueError, match="covariance must be positive definite"):
        MultivariateMeanModel([0, 0], -np.eye(2), np.eye(2))
    assert Bernoulli.fit(COIN) == BernoulliModel(7, 2).update(COIN).ml
