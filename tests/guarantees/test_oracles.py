"""Numbers from the literature, the course notes and independent programs."""

import math

import numpy as np
import pytest

from certus.guarantees import error_bound, f_bound, mcnemar, mcnemar_power, mean_bound, sample_size
from certus.guarantees.holdout import classical_tests, clopper_pearson, concentration
from certus.guarantees.holdout.binomial_tail import log_lower_tail
from certus.verbs.planning import plan
from tests.guarantees import bounds, gate

FOLDS_A = [0.81, 0.82, 0.84, 0.78, 0.85, 0.86, 0.82, 0.83, 0.82, 0.81]
FOLDS_B = [0.80, 0.77, 0.70, 0.83, 0.80, 0.78, 0.75, 0.80, 0.78, 0.77]


@pytest.mark.parametrize(
    ("errors", "rows", "exact", "kl", "hoeffding"),
    [
        (0, 100, 0.02951, 0.02951, 0.1224),
        (3, 100, 0.07571, 0.09133, 0.1524),
        (15, 500, 0.04582, 0.05253, 0.0847),
        (30, 1000, 0.04047, 0.04512, 0.0687),
        (300, 10000, 0.03296, 0.03436, 0.0422),
    ],
)
def test_upper_limits_of_an_error_rate(errors, rows, exact, kl, hoeffding):
    for method, value, digits in (
        ("clopper-pearson", exact, 5e-6),
        ("kl", kl, 5e-6),
        ("hoeffding", hoeffding, 6e-5),
    ):
        assert error_bound(errors, rows, method=method).value == pytest.approx(value, abs=digits)


def test_price_of_looking_at_several_candidates():
    found = [error_bound(15, 500, uses=r).value for r in (1, 10, 100, 1000)]
    assert found == pytest.approx([0.0458, 0.0556, 0.0639, 0.0713], abs=6e-5)


def test_validation_bound_and_its_price_for_ten_candidates():
    losses = np.full(1000, 0.5)
    low, high = mean_bound(losses, side="both", method="hoeffding").value
    assert (high - low) / 2 == pytest.approx(0.04295, abs=5e-6)
    low, high = mean_bound(losses, side="both", method="hoeffding", uses=10).value
    assert (high - low) / 2 == pytest.approx(0.05473, abs=5e-6)


@pytest.mark.parametrize(
    ("hypotheses", "error", "confidence", "sizes"),
    [
        (1000, 0.05, 0.99, (231, 2442, 9765)),
        (10**6, 0.1, 0.95, (169, 876, 3501)),
        (1000, 0.1, 0.95, (100, 530, 2120)),
    ],
)
def test_sample_sizes_of_finite_classes(hypotheses, error, confidence, sizes):
    settings = ("realisable", "uniform", "agnostic")
    assert tuple(sample_size(hypotheses, error, confidence, setting) for setting in settings) == sizes


def test_rows_needed():
    found = plan(error=0.03, confidence=0.95)
    assert found.rows[:6] == [99, 157, 208, 257, 303, 348]
    assert [found.rows_for(0.8, 0.01), found.rows_for(0.9, 0.01), found.rows_for(0.8, 0.02)] == [303, 436, 1542]
    # 2140 rows reach a chance of 90% at a true error of 2%, but 2103 already do.
    assert found.chance(2140, 0.02) >= 0.9
    assert found.rows_for(0.9, 0.02) == 2103
    assert max(found.chance(rows, 0.02) for rows in range(1900, 2103)) < 0.9


def test_mcnemar_and_its_power():
    assert mcnemar(30, 15).pvalue == pytest.approx(0.0356978, abs=5e-8)
    assert mcnemar_power(2000, 0.06, 0.04) == pytest.approx(0.79, abs=0.005)
    assert mcnemar_power(500, 0.06, 0.04) == pytest.approx(0.25, abs=0.005)


def test_paired_ten_fold_example():
    plain = classical_tests.paired_t(FOLDS_A, FOLDS_B)
    corrected = classical_tests.corrected_t(FOLDS_A, FOLDS_B, test_share=1 / 9)
    assert (plain.statistic, plain.pvalue) == pytest.approx((2.980346, 0.0154409), abs=1e-6)
    assert plain.details["standard_error"] == pytest.approx(0.01543445, abs=1e-8)
    assert classical_tests.paired_t(FOLDS_A, FOLDS_B, alternative="greater").pvalue == pytest.approx(
        0.0077205, abs=1e-7
    )
    assert (corrected.statistic, corrected.pvalue) == pytest.approx((2.0512, 0.0705), abs=5e-5)
    assert plain.kind == corrected.kind == "estimate"


T_TABLE = {  # degrees: upper tails 0.10, 0.05, 0.025, 0.01, 0.005
    1: (3.078, 6.314, 12.706, 31.821, 63.657),
    2: (1.886, 2.920, 4.303, 6.965, 9.925),
    3: (1.638, 2.353, 3.182, 4.541, 5.841),
    5: (1.476, 2.015, 2.571, 3.365, 4.032),
    9: (1.383, 1.833, 2.262, 2.821, 3.250),
    10: (1.372, 1.812, 2.228, 2.764, 3.169),
    20: (1.325, 1.725, 2.086, 2.528, 2.845),
    30: (1.310, 1.697, 2.042, 2.457, 2.750),
    38: (1.304, 1.686, 2.024, 2.429, 2.712),
    math.inf: (1.282, 1.645, 1.960, 2.326, 2.576),
}


def test_t_table():
    found = classical_tests.t_table(list(T_TABLE), (0.10, 0.05, 0.025, 0.01, 0.005))
    np.testing.assert_allclose(found, list(T_TABLE.values()), atol=6e-4)


def test_known_mean_example():
    """N(theta, 1): reject theta = 1 at 5% iff |1 - mean| > 1.96/sqrt(n)."""
    for shift, rejected in ((1.95, False), (1.97, True)):
        values = np.full(25, 1.0 + shift / 5.0)
        assert (classical_tests.z_test(values, 1.0, mean=1.0).pvalue < 0.05) is rejected


def test_tails_of_hoeffding_and_bernstein():
    """A mean of 1000 losses is off by 0.05 with these probabilities at most (both sides)."""
    assert concentration.hoeffding_upper(0.0, 1000, math.log(2 / 0.0135)) == pytest.approx(0.05, rel=1e-3)
    for variance, tail in ((0.25, 0.018), (0.05, 1.4e-8), (0.01, 8.8e-21)):
        found = concentration.bernstein_upper(0.0, 1000, math.log(2 / tail), variance)
        assert found == pytest.approx(0.05, rel=0.005)


def test_unequal_ranges_follow_the_formula():
    high = np.array([1.0, 2.0, 3.0, 4.0])
    bound = mean_bound(np.zeros(4), low=0.0, high=high, method="hoeffding", confidence=0.9)
    assert bound.value == pytest.approx(math.sqrt(math.log(10) * 30 / 2) / 4)


def test_f1_is_exact_in_the_share_of_hits():
    q = error_bound(15, 105, side="upper").value
    assert f_bound(90, 5, 10).value == pytest.approx(2 * (1 - q) / (2 - q), rel=1e-9)


def test_small_tails_that_underflow_elsewhere():
    assert log_lower_tail(5, 5000, 0.5) == pytest.approx(-3427.9, abs=0.05)


def test_beta_quantile_through_the_complement():
    assert clopper_pearson.upper(3, 100, 1e-17) == pytest.approx(0.3927, abs=5e-5)
    assert error_bound(3, 100, confidence=0.9999999999999999).value == pytest.approx(0.37739, abs=5e-6)


@pytest.mark.parametrize(
    ("losses", "rows", "ceilings"),
    [
        (0, 100, {"hoeffding": 0.123, "kl": 0.089, "hoeffding-bentkus": 0.083, "betting": 0.083, "star": 0.077}),
        (
            0,
            1000,
            {"hoeffding": 0.0395, "kl": 0.0252, "hoeffding-bentkus": 0.0222, "betting": 0.0215, "star": 0.0185},
        ),
        (2, 100, {"kl": 0.089, "empirical-bernstein": 0.112, "betting": 0.039, "star": 0.034}),
        (2, 1000, {"kl": 0.0255, "empirical-bernstein": 0.0167, "betting": 0.0062, "star": 0.0057}),
    ],
)
def test_tightness_ceilings(losses, rows, ceilings):
    """Valid but useless fails too: mean excess over the true mean at confidence 95%, as measured elsewhere."""
    for name, ceiling in ceilings.items():
        replicates = 400 if name == "star" else 2000
        found = gate.simulate(name, bounds.UPPER[name], gate.DISTRIBUTIONS[losses], rows, 0.05, replicates)
        assert found.excess <= ceiling, found


def test_tightness_on_a_narrow_beta_and_on_mostly_zeros():
    narrow = gate.Losses("Beta(10,90)", lambda rng, shape: rng.beta(10, 90, shape), 0.1, 0.0009)
    zeros = gate.Losses("0 or uniform", lambda rng, shape: (rng.random(shape) < 0.1) * rng.random(shape), 0.05, 0.03)
    for losses, name, ceiling in (
        (narrow, "betting", 0.0041),
        (narrow, "star", 0.0037),
        (zeros, "betting", 0.0135),
        (zeros, "star", 0.0117),
    ):
        assert gate.simulate(name, bounds.UPPER[name], losses, 1000, 0.05, 400).excess <= ceiling


def test_paired_difference_example():
    """30 against 15 of 500: lower bounds on the difference, averaged over 30 orders of the rows."""
    values = np.concatenate([np.ones(30), -np.ones(15), np.zeros(455)])

    def average(method):
        settings = {"low": -1.0, "high": 1.0, "side": "lower", "method": method}
        return np.mean([mean_bound(values, seed=seed, **settings).value for seed in range(30)])

    assert average("betting") == pytest.approx(0.0004, abs=0.002)
    assert average("star") == pytest.approx(0.0055, abs=0.003)
    assert average("hoeffding") == pytest.approx(-0.080, abs=0.001)


@pytest.mark.parametrize("name", ["hoeffding", "kl", "hoeffding-bentkus", "empirical-bernstein", "betting", "star"])
def test_public_function_gives_what_the_gate_measures(name):
    sample = gate.samples(gate.DISTRIBUTIONS[2], 50, 1)
    gated = bounds.UPPER[name](sample, 0.05)[0]
    if name in ("betting", "star"):  # the public function goes through the rows in the order of its seed
        from certus.guarantees._native_calls import seeded_order

        gated = bounds.UPPER[name](sample[:, seeded_order(0, 50)], 0.05)[0]
    assert mean_bound(sample[0], method=name).value == pytest.approx(gated, abs=1e-9)
