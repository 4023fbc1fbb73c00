"""Truth gate of split conformal calibration: exact coverage, tightness, and mutants that must be caught.

For scores on finitely many values the threshold q of rank k has P(q <= v) = P(Bin(n, F(v)) >= k), so that the
average coverage sum_v P(q = v) F(v) and the chance of falling below the floor are exact, ties included. For
continuous scores coverage given the calibration set is Beta(k, n + 1 - k).
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats

from certus.guarantees import ConformalRank, calibrate, coverage_floor

SIZES = (5, 20, 100, 1000)
LEVELS = ("0.9", "0.95", "0.99")
# Score distributions with atoms: name -> probabilities of the values 0, 1, 2, ...
ATOMS = {
    "bernoulli": (0.9, 0.1),
    "two-point skewed": (0.985, 0.015),
    "heavy ties": (0.6, 0.25, 0.1, 0.04, 0.01),
    "fine": tuple(np.full(500, 1 / 500)),
}


def exact_rule(rows, level):
    """The rank under test."""
    return ConformalRank.of(rows, float(level)).rank


def threshold_law(rank, rows, probabilities):
    """P(threshold = v) for every value v, and P(threshold infinite)."""
    cumulative = np.minimum(np.cumsum(probabilities), 1.0)
    if rank > rows:
        return np.zeros(len(cumulative)), cumulative, 1.0
    below = np.where(cumulative >= 1.0, 1.0, special.betainc(rank, rows - rank + 1, cumulative))
    return np.diff(below, prepend=0.0), cumulative, 0.0


def exact_coverage(rank, rows, probabilities):
    law, cumulative, infinite = threshold_law(rank, rows, probabilities)
    return float(law @ cumulative) + infinite


def chance_below_floor(rank, rows, floor, probabilities):
    law, cumulative, _ = threshold_law(rank, rows, probabilities)
    return float(law[cumulative < floor].sum())


def coverage_holds(rule):
    """Whether the average coverage reaches the level in every cell of the gate."""
    for rows, level in itertools.product(SIZES, LEVELS):
        rank = rule(rows, level)
        if min(rank / (rows + 1), 1.0) < float(level) - 1e-12:
            return False
        if any(exact_coverage(rank, rows, p) < float(level) - 1e-9 for p in ATOMS.values()):
            return False
    return True


def test_average_coverage_is_at_least_the_level():
    assert coverage_holds(exact_rule)


def test_average_coverage_is_tight_without_ties():
    for rows, level in itertools.product(SIZES, LEVELS):
        rank = exact_rule(rows, level)
        if rank <= rows:
            assert Fraction(rank, rows + 1) < Fraction(level) + Fraction(1, rows + 1)
    assert exact_coverage(exact_rule(1000, "0.9"), 1000, ATOMS["fine"]) < 0.9 + 1 / 1001 + 1 / 500


@pytest.mark.parametrize("assurance", [0.9, 0.95, 0.99])
def test_floor_holds_exactly(assurance):
    for rows, level in itertools.product(SIZES, LEVELS):
        rank = exact_rule(rows, level)
        floor = coverage_floor(rank, rows, assurance)
        for probabilities in ATOMS.values():
            assert chance_below_floor(rank, rows, floor, probabilities) <= (1 - assurance) * (1 + 1e-9)


@pytest.mark.parametrize("assurance", [0.9, 0.95, 0.99])
def test_floor_is_tight_without_ties(assurance):
    for rows, level in itertools.product(SIZES, LEVELS):
        rank = exact_rule(rows, level)
        if rank <= rows:
            chance = stats.beta(rank, rows + 1 - rank).cdf(coverage_floor(rank, rows, assurance))
            assert (1 - assurance) * (1 - 1e-6) < chance <= (1 - assurance) * (1 + 1e-9)


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_assured_rank_is_the_smallest_that_holds(level):
    for rows in (100, 500, 1000):
        rank = ConformalRank.of(rows, level, 0.95).rank
        assert stats.beta(rank, rows + 1 - rank).cdf(level) <= 0.05
        assert stats.beta(rank - 1, rows + 2 - rank).cdf(level) > 0.05


def test_every_small_calibration_set_by_enumeration():
    """The code itself, run on all 3^6 calibration sets of three score values."""
    probabilities, rows = np.array([0.5, 0.3, 0.2]), 6
    cumulative = np.cumsum(probabilities)
    for level in ("0.6", "0.7", "0.85"):
        average = below = 0.0
        for values in itertools.product(range(3), repeat=rows):
            weight = math.prod(probabilities[list(values)])
            result = calibrate(np.array(values, dtype=float), confidence=float(level), floor_assurance=0.9)
            coverage = 1.0 if result.threshold == math.inf else cumulative[int(result.threshold)]
            average += weight * coverage
            below += weight * (coverage < result.floor)
        assert average >= float(level)
        assert below <= 0.1


@pytest.mark.parametrize("rows", [20, 100])
@pytest.mark.parametrize("draw", ["beta", "ties"])
def test_coverage_by_simulation(rows, draw):
    """10 000 calibration sets through `calibrate`; false alarm about 1 in 30 000."""
    rng = np.random.default_rng(rows)
    repeats, level = 10_000, 0.9
    scores = rng.beta(2, 5, size=(repeats, rows))
    cdf = stats.beta(2, 5).cdf
    if draw == "ties":
        scores = np.ceil(scores * 10) / 10
    thresholds = np.array([calibrate(row, confidence=level).threshold for row in scores])
    coverage = cdf(np.minimum(thresholds, 1.0))
    error = coverage.std() / np.sqrt(repeats)
    assert coverage.mean() >= level - 4 * error
    floor = calibrate(scores[0], confidence=level).floor
    assert np.mean(coverage < floor) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / repeats)
    if draw == "beta":
        assert coverage.mean() <= level + 1 / (rows + 1) + 4 * error


# Every mutant is a rank rule; the second entry says which check must catch it.
RANK_MUTANTS = {
    "dropped +1": ("coverage", lambda n, p: math.ceil(n * Fraction(p))),
    "floor for ceiling": ("coverage", lambda n, p: math.floor((n + 1) * Fraction(p))),
    "rank one lower": ("coverage", lambda n, p: exact_rule(n, p) - 1),
    "level and its complement swapped": ("coverage", lambda n, p: math.ceil((n + 1) * (1 - Fraction(p)))),
    "rank clamped to n": ("coverage", lambda n, p: min(exact_rule(n, p), n)),
    "rank one higher": ("tightness", lambda n, p: exact_rule(n, p) + 1),
    "floating-point product": ("exact value", lambda n, p: math.ceil((n + 1) * float(p))),
}


@pytest.mark.parametrize("name", RANK_MUTANTS)
def test_rank_mutants_are_caught(name):
    killer, mutant = RANK_MUTANTS[name]
    if killer == "coverage":
        assert not coverage_holds(mutant)
    elif killer == "tightness":
        assert any(mutant(n, p) / (n + 1) >= float(p) + 1 / (n + 1) for n in SIZES for p in LEVELS)
    else:
        assert any(mutant(n, p) != exact_rule(n, p) for n in range(1000) for p in ("0.55", "0.7", "0.9"))


def test_interpolated_quantiles_are_caught_by_coverage():
    """The mean of the linearly interpolated quantile of n uniform scores is ((n - 1) p + 1) / (n + 1) < p."""
    rng = np.random.default_rng(0)
    scores = rng.random((10_000, 20))
    interpolated = np.quantile(scores, 0.9, axis=1)
    exact = np.array([calibrate(row, confidence=0.9).threshold for row in scores])
    error = 4 * interpolated.std() / 100
    assert interpolated.mean() < 0.9 - error
    assert exact.mean() >= 0.9 - error


FLOOR_MUTANTS = {
    "failure probability swapped": lambda k, n, d: stats.beta(k, n + 1 - k).ppf(1 - d),
    "Beta(k + 1, n - k)": lambda k, n, d: stats.beta(k + 1, max(n - k, 0.5)).ppf(d),
    "two-sided for one-sided the wrong way": lambda k, n, d: stats.beta(k, n + 1 - k).ppf(2 * d),
}


@pytest.mark.parametrize("name", FLOOR_MUTANTS)
def test_floor_mutants_are_caught_by_coverage(name):
    rank, rows = 91, 100
    floor = FLOOR_MUTANTS[name](rank, rows, 0.05)
    assert chance_below_floor(rank, rows, floor, ATOMS["fine"]) > 0.05
    assert chance_below_floor(rank, rows, coverage_floor(rank, rows), ATOMS["fine"]) <= 0.05


def test_scoring_training_rows_is_caught_by_coverage():
    """Calibrating on rows that the model has seen: a nearest-neighbor model has residual 0 on them."""
    rng = np.random.default_rng(1)
    covered_honest, covered_twice, repeats = 0, 0, 300
    for _ in range(repeats):
        x, y = rng.random(80), rng.normal(size=80)
        new_x, new_y = rng.random(20), rng.normal(size=20)

        def nearest(points, x=x, y=y):
            return y[:40][np.abs(points[:, None] - x[None, :40]).argmin(axis=1)]

        honest = calibrate(np.abs(y[40:] - nearest(x[40:]))).threshold
        twice = calibrate(np.abs(y[:40] - nearest(x[:40]))).threshold
        residuals = np.abs(new_y - nearest(new_x))
        covered_honest += np.mean(residuals <= honest)
        covered_twice += np.mean(residuals <= twice)
    assert covered_honest / repeats > 0.88
    assert covered_twice / repeats < 0.1
