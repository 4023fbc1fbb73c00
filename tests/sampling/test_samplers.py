"""Samplers against exact moments, each comparison at six standard errors (a false alarm in 2e-9 of all seeds)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from certus.distributions import GaussianMeanModel
from certus.sampling import (
    HMC,
    MALA,
    NUTS,
    SGLD,
    ULA,
    Draws,
    Gibbs,
    Metropolis,
    Target,
    ess,
    mcse,
    rhat,
    sample,
    sgld_gradient_variance,
    sgld_variance,
    ula_variance,
)

COVARIANCE = np.array([[2.0, 0.9], [0.9, 1.0]])
PRECISION = np.linalg.inv(COVARIANCE)
CENTER = np.array([1.0, -2.0])


def normal() -> Target:
    return Target(
        lambda t: -0.5 * float((t - CENTER) @ PRECISION @ (t - CENTER)),
        lambda t: -PRECISION @ (t - CENTER),
        dim=2,
        strong_convexity=float(np.linalg.eigvalsh(PRECISION)[0]),
        smoothness=float(np.linalg.eigvalsh(PRECISION)[-1]),
    )


def assert_moments(found: Draws, mean: Any, variance: Any) -> None:
    """Means and second moments within six estimated standard errors."""
    np.testing.assert_array_less(np.abs(found.mean() - mean), 6 * found.mcse + 1e-12)
    squares = (found.values - mean) ** 2
    np.testing.assert_array_less(np.abs(squares.mean(axis=(0, 1)) - variance), 6 * np.asarray(mcse(squares)))


@pytest.mark.parametrize(
    "sampler", [NUTS(), NUTS(dense=True), HMC(), MALA(), Metropolis()], ids=["nuts", "dense", "hmc", "mala", "walk"]
)
def test_corrected_samplers_have_the_target_as_their_law(sampler: Any) -> None:
    long = isinstance(sampler, MALA | Metropolis)
    found = sample(normal(), sampler, draws=4000 if long else 800, tune=800, chains=4, random_state=1, n_jobs=1)
    assert_moments(found, CENTER, np.diag(COVARIANCE))
    assert (found.rhat < 1.05).all()
    product = (found.values[:, :, 0] - CENTER[0]) * (found.values[:, :, 1] - CENTER[1])
    assert abs(product.mean() - 0.9) <= 6 * mcse(product)
    assert not found.divergent.any()


def test_nuts_on_scales_far_apart() -> None:
    scale = np.array([0.05, 1.0, 20.0])
    target = Target(lambda t: -0.5 * float(((t / scale) ** 2).sum()), lambda t: -t / scale**2, dim=3)
    found = sample(target, draws=600, tune=800, chains=2, start=np.zeros(3), random_state=0, n_jobs=1)
    assert_moments(found, np.zeros(3), scale**2)


@pytest.mark.parametrize("eta", [0.3, 1.0])
def test_unadjusted_langevin_has_exactly_the_inflated_variance(eta: float) -> None:
    assert ula_variance(2.0, 0.3) == pytest.approx(2.1622, abs=5e-5)
    target = Target(lambda t: -(float(t[0]) ** 2) / 4, lambda t: -t / 2, dim=1)
    found = sample(target, ULA(eta), draws=12_000, tune=200, chains=4, random_state=0, n_jobs=1)
    assert_moments(found, np.zeros(1), np.array([ula_variance(2.0, eta)]))
    if eta == 1.0:  # a mutant: the target's own variance is refused by the same test
        with pytest.raises(AssertionError):
            assert_moments(found, np.zeros(1), np.array([2.0]))


def mean_model() -> tuple[np.ndarray, Target, float]:
    """The posterior of the mean of 100 normal rows with variance .984 and a flat prior: precision a = 100."""
    y = np.random.default_rng(0).normal(size=100)
    y = (y - y.mean()) / y.std() * np.sqrt(0.984) + 0.5
    target = Target(
        lambda t: -0.5 * float(((y - t[0]) ** 2).sum()),
        lambda t: np.array([(y - t[0]).sum()]),
        dim=1,
        row_gradient=lambda t, rows: np.array([(y[rows] - t[0]).sum()]),
        n_rows=100,
    )
    return y, target, 100.0


@pytest.mark.parametrize(("replace", "expected"), [(True, 0.02204), (False, 0.02105)])
def test_stochastic_gradients_have_exactly_the_variance_of_the_formula(replace: bool, expected: float) -> None:
    y, target, a = mean_model()
    variance = sgld_variance(a, 0.2 / a, sgld_gradient_variance(100, 10, 0.984, replace=replace))
    assert variance == pytest.approx(expected, abs=5e-6)
    found = sample(
        target, SGLD(0.2 / a, 10, replace), draws=6000, tune=100, chains=4, start=[0.5], random_state=0, n_jobs=1
    )
    assert_moments(found, np.array([y.mean()]), np.array([variance]))


def test_batches_are_unbiased_by_enumeration() -> None:
    from itertools import combinations, product

    rows = np.array([1.0, -2.0, 0.5, 4.0])
    target = Target(
        lambda t: 0.0,
        dim=1,
        row_gradient=lambda t, places: np.array([(rows[places] - t[0]).sum()]),
        prior_gradient=lambda t: -t,
        n_rows=4,
    )
    theta = np.array([0.3])
    exact = (rows - 0.3).sum() - 0.3
    for batches in (list(combinations(range(4), 2)), list(product(range(4), repeat=2))):
        estimates = [SGLD(0.1, 2).estimate(target, theta, np.array(batch))[0] for batch in batches]
        assert np.mean(estimates) == pytest.approx(exact)
        likelihood = sgld_gradient_variance(4, 2, rows.var(), replace=len(batches) == 16)
        assert np.var(estimates) == pytest.approx(likelihood)


def test_gibbs_on_a_correlated_normal() -> None:
    rho = 0.8

    def conditional(j: int) -> Any:
        def draw(theta: np.ndarray, generator: np.random.Generator) -> np.ndarray:
            theta[j] = rho * theta[1 - j] + np.sqrt(1 - rho**2) * generator.standard_normal()
            return theta

        return draw

    target = Target(lambda t: 0.0, dim=2)
    found = sample(
        target, Gibbs([conditional(0), conditional(1)]), draws=4000, tune=50, chains=4, random_state=0, n_jobs=1
    )
    assert_moments(found, np.zeros(2), np.ones(2))
    product = found.values[:, :, 0] * found.values[:, :, 1]
    assert abs(product.mean() - rho) <= 6 * mcse(product)


def test_posterior_of_a_conjugate_model() -> None:
    y = np.random.default_rng(3).normal(2, 1, size=20)
    exact = GaussianMeanModel(0.0, 1.0, 1.0).update(y).posterior
    target = Target(
        lambda t: -0.5 * float(((y - t[0]) ** 2).sum() + t[0] ** 2),
        lambda t: np.array([(y - t[0]).sum() - t[0]]),
        dim=1,
    )
    found = sample(target, draws=1500, tune=500, chains=4, random_state=0, n_jobs=1)
    assert_moments(found, np.array([exact.mean]), np.array([exact.variance]))
    mean, error = found.expectation(lambda t: float(t[0] ** 2))
    assert abs(mean - exact.variance - exact.mean**2) <= 6 * error


def test_equal_draws_for_any_number_of_jobs_and_seeds_that_matter() -> None:
    one = sample(normal(), draws=50, tune=50, chains=3, random_state=7, n_jobs=1)
    two = sample(normal(), draws=50, tune=50, chains=3, random_state=7, n_jobs=2)
    np.testing.assert_array_equal(one.values, two.values)
    assert not np.array_equal(
        one.values, sample(normal(), draws=50, tune=50, chains=3, random_state=8, n_jobs=1).values
    )
    assert not np.array_equal(one.values[0], one.values[1])


def test_thin_and_resume() -> None:
    whole = sample(normal(), HMC(0.3, 5), draws=40, tune=10, chains=2, random_state=1, n_jobs=1)
    thinned = sample(normal(), HMC(0.3, 5), draws=20, tune=10, chains=2, random_state=1, n_jobs=1, thin=2)
    np.testing.assert_array_equal(thinned.values, whole.values[:, 1::2])
    more = sample(normal(), HMC(0.3, 5), draws=30, chains=2, random_state=2, n_jobs=1, resume=whole)
    assert more.values.shape == (2, 30, 2)
    assert np.abs(more.values[:, 0] - whole.values[:, -1]).max() < 5


def test_interrupt_keeps_what_was_drawn() -> None:
    calls = [0]

    def log_density(theta: np.ndarray) -> float:
        calls[0] += 1
        if calls[0] == 200:
            raise KeyboardInterrupt
        return -0.5 * float(theta @ theta)

    found = sample(Target(log_density, dim=1), Metropolis(1.0), draws=1000, tune=10, chains=1, random_state=0, n_jobs=1)
    assert 100 < found.values.shape[1] < 200


def test_automatic_step_has_the_bias_that_was_asked_for() -> None:
    found = sample(normal(), ULA("auto", bias=0.1), draws=10, tune=10, chains=1, random_state=0, n_jobs=1)
    largest = np.linalg.eigvalsh(PRECISION)[-1]
    assert 1 / (1 - found.sampler.step_size * largest / 2) - 1 == pytest.approx(0.1, rel=1e-4)


def test_finite_differences_warn_and_are_refused_in_many_dimensions() -> None:
    plain = Target(lambda t: -0.5 * float(t @ t), dim=2)
    with pytest.warns(UserWarning, match="finite differences"):
        np.testing.assert_allclose(plain.gradient(np.array([1.0, -2.0])), [-1.0, 2.0], atol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sample(plain, Metropolis(1.0), draws=10, tune=0, chains=1, n_jobs=1)  # needs none
    with pytest.raises(ValueError, match="more than 20 dimensions"):
        Target(lambda t: 0.0, dim=21).gradient(np.zeros(21))


def test_diagnostics() -> None:
    generator = np.random.default_rng(0)
    independent = generator.standard_normal((4, 1000))
    assert rhat(independent) == pytest.approx(1, abs=0.01)
    for kind in ("bulk", "tail", "mean"):
        assert ess(independent, kind=kind) == pytest.approx(4000, rel=0.25)
    apart = independent + np.array([[0.0], [0.0], [0.0], [3.0]])
    assert rhat(apart) > 1.4
    wide = independent * np.array([[1.0], [1.0], [1.0], [10.0]])
    assert rhat(wide) > 1.1  # equal means, found by folding
    # An autoregression with coefficient rho is worth n (1 - rho) / (1 + rho) independent draws.
    rho, chain = 0.7, np.empty((4, 20_000))
    chain[:, 0] = generator.standard_normal(4)
    noise = generator.standard_normal(chain.shape) * np.sqrt(1 - rho**2)
    for t in range(1, chain.shape[1]):
        chain[:, t] = rho * chain[:, t - 1] + noise[:, t]
    assert ess(chain, kind="mean") == pytest.approx(80_000 * (1 - rho) / (1 + rho), rel=0.1)
    assert mcse(chain) == pytest.approx(1 / np.sqrt(80_000 * (1 - rho) / (1 + rho)), rel=0.1)


def test_monte_carlo_error_falls_with_the_root_of_the_number_of_draws() -> None:
    generator = np.random.default_rng(0)
    errors = [np.abs(generator.standard_normal((400, k)).mean(axis=1)).mean() for k in (100, 10_000)]
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.2)


def test_summary_and_export() -> None:
    found = sample(normal(), draws=50, tune=50, chains=2, random_state=0, n_jobs=1)
    assert "estimates" in found.summary()
    assert found.to_dict()["posterior"]["theta[0]"].shape == (2, 50)
    assert not found.report_


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sample(normal(), "walk"), "sampler must be one of"),
        (lambda: sample(normal(), draws=0), "draws must be"),
        (lambda: sample(normal(), start=[0.0]), "start must have shape"),
        (lambda: sample(Target(lambda t: np.nan, dim=1), Metropolis()), "finite at the start"),
        (lambda: sample(Target(lambda t: 0.0, lambda t: np.zeros(3), dim=2)), "gradient must give a vector of shape"),
        (lambda: sample(normal(), ULA(10.0)), r"step_size must be below 2 / smoothness = 0.94"),
        (lambda: ULA(-1.0), "step_size must be"),
        (lambda: sample(normal(), SGLD(0.1, 5)), "row_gradient and n_rows"),
        (lambda: SGLD(0.1, 0), "batch_size"),
        (lambda: sample(normal(), Gibbs()), "conditionals must be"),
        (lambda: NUTS(target_accept=1.5), "target_accept"),
        (lambda: NUTS(max_depth=0), "max_depth must be"),
        (lambda: NUTS(step_size=0.0), "step_size must be"),
        (lambda: HMC(n_steps=0), "n_steps must be"),
        (lambda: HMC(np.nan), "step_size must be"),
        (lambda: MALA(-0.1), "step_size must be"),
        (lambda: Metropolis(0.0), "scale must be"),
        (lambda: ULA("large"), "step_size must be 'auto'"),  # type: ignore[arg-type]
        (lambda: ULA("auto", bias=0.0), "bias must be"),
        (lambda: SGLD(0.1, 1.5), "batch_size must be"),  # type: ignore[arg-type]
        (lambda: sample(normal(), NUTS), "such as NUTS()"),  # type: ignore[arg-type]
        (lambda: sample(normal(), tune=np.nan), "tune must be"),  # type: ignore[arg-type]
        (lambda: sample(normal(), Gibbs([3])), "conditionals must be functions"),  # type: ignore[list-item]
        (lambda: sample(normal(), Gibbs([lambda t, _: t * np.nan])), "conditionals must give finite"),
        (lambda: sample(Target(lambda t: 0.0, lambda t: t * np.nan, dim=2)), "gradient must be finite at the start"),
        (lambda: sample(Target(lambda t: t, lambda t: t, dim=2)), "log_density must give one number"),  # type: ignore
        (lambda: sample(Target(lambda t: float(t @ t), lambda t: 2 * t, dim=2), ULA("auto")), "strictly concave"),
        (
            lambda: sample(
                Target(lambda t: 0.0, dim=1, row_gradient=lambda t, r: t, prior_gradient=lambda t: [1, 2], n_rows=5),
                SGLD(0.1, 2),
            ),
            "prior_gradient must give a vector",
        ),
        (lambda: Target(lambda t: 0.0, dim=1, smoothness=-1.0), "smoothness must be"),
        (lambda: Target(lambda t: 0.0, dim=1, n_rows=0), "n_rows must be"),
        (lambda: Target(lambda t: 0.0, dim=0), "dim must be"),
        (lambda: Target(lambda t: 0.0, dim=2, names=["a"]), "names must have 2"),
        (lambda: Target(lambda t: 0.0, dim=1, strong_convexity=2.0, smoothness=1.0), "strong_convexity must be"),
        (lambda: rhat(np.zeros(5)), "values must have shape"),
        (lambda: ess(np.zeros((2, 9)), kind="x"), "kind must be"),  # type: ignore[arg-type]
        (lambda: ula_variance(2.0, 5.0), "step_size must be below"),
        (lambda: sgld_variance(1.0, 3.0, 0.0), "step_size must be below"),
        (lambda: sgld_gradient_variance(10, 11, 1.0), "batch_size must be"),
        (lambda: sgld_gradient_variance(10, 5, -1.0), "row_variance must be"),
        (lambda: sgld_variance(1.0, 0.5, -1.0), "gradient_variance must be"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("sampler", ["nuts", "hmc", "mala", "metropolis"])
@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_scales_are_found_while_tuning(sampler: str, scale: float) -> None:
    target = Target(lambda t: -0.5 * float((t / scale) @ (t / scale)), lambda t: -t / scale / scale, dim=2)
    found = sample(target, sampler, draws=400, tune=500, start=[0.0, 0.0], random_state=0)
    assert 0.8 < found.values.std() / scale < 1.25


@pytest.mark.parametrize("sampler", ["mala", "metropolis"])
def test_a_chain_that_cannot_move_stays(sampler: str) -> None:
    target = Target(lambda t: 0.0 if t[0] == 1.0 else -np.inf, lambda t: np.zeros(1), dim=1)
    found = sample(target, sampler, draws=10, tune=3000, chains=1, start=[1.0], random_state=0)
    assert (found.values == 1.0).all()


def test_a_callback_sees_every_draw_and_can_stop() -> None:
    seen: list[tuple[int, int]] = []

    def callback(chain: int, draw: int, state: Any, info: Any) -> bool:
        seen.append((chain, draw))
        return chain == 1 and draw == 9

    found = sample(normal(), draws=30, tune=20, chains=2, random_state=0, n_jobs=1, callback=callback)
    assert found.values.shape == (2, 10, 2)
    assert seen == [(0, draw) for draw in range(30)] + [(1, draw) for draw in range(10)]
    with pytest.raises(ValueError, match="cannot be called from there"):
        sample(normal(), draws=5, callback=callback, parallel="processes")
    with pytest.raises(ValueError, match="before any of them had draws"):
        sample(normal(), draws=30, tune=20, chains=1, random_state=0, callback=lambda *_: True)


def test_processes_draw_the_same() -> None:
    one = sample(normal(), draws=20, tune=20, chains=2, random_state=7, n_jobs=1)
    two = sample(normal(), draws=20, tune=20, chains=2, random_state=7, n_jobs=2, parallel="processes")
    np.testing.assert_array_equal(one.values, two.values)


def test_value_and_gradient_at_once_changes_nothing() -> None:
    plain = normal()
    both = Target(
        plain.log_density, plain.gradient, dim=2, value_and_gradient=lambda t: (plain.log_density(t), plain.gradient(t))
    )
    one = sample(plain, draws=20, tune=20, chains=1, random_state=7)
    np.testing.assert_array_equal(one.values, sample(both, draws=20, tune=20, chains=1, random_state=7).values)
    wrong = Target(plain.log_density, plain.gradient, dim=2, value_and_gradient=lambda t: (0.0, np.zeros(3)))
    with pytest.raises(ValueError, match=r"gradient must give a vector of shape \(2,\)"):
        sample(wrong, draws=20, chains=1)


def test_a_target_written_in_torch() -> None:
    pytest.importorskip("torch")
    plain = normal()
    precision = PRECISION.tolist()

    def log_density(theta: Any) -> Any:
        away = theta - theta.new_tensor(CENTER.tolist())
        return -0.5 * away @ theta.new_tensor(precision) @ away

    found = Target.from_torch(log_density, dim=2)
    value, gradient = found.value_and_gradient(np.array([0.3, 0.4]))
    assert value == pytest.approx(plain.log_density(np.array([0.3, 0.4])))
    np.testing.assert_allclose(gradient, plain.gradient(np.array([0.3, 0.4])))
