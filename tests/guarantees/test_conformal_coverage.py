"""Split conformal calibration: exact coverage with and without ties, tightness, and the code run on many samples."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from certus.guarantees import ConformalRank, calibrate, coverage_floor
from tests.guarantees.conformal_gate import (
    ATOMS,
    LEVELS,
    SIZES,
    average_coverage,
    chance_below_floor,
    coverage_holds,
    exact_rule,
)


def test_average_coverage_is_at_least_the_level():
    assert coverage_holds(exact_rule)


def test_average_coverage_is_tight_without_ties():
    for rows, level in itertools.product(SIZES, LEVELS):
        rank = exact_rule(rows, level)
        if rank <= rows:
            assert Fraction(rank, rows + 1) < Fraction(level) + Fraction(1, rows + 1)
    assert average_coverage(exact_rule(1000, "0.9"), 1000, ATOMS["fine"]) < 0.9 + 1 / 1001 + 1 / 500


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
