"""Ranks: exact rationals of the decimal level, against slow twins and known values."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certus.guarantees import ConformalRank, assured_rank, calibrate, coverage_floor, split_rank
from certus.guarantees.conformal.conformal_ranks import exact_level, rows_for_assured, rows_for_split
from certus.guarantees.holdout.exact_tails import upper_tail, upper_tail_at_most, upper_tails_at_most

LEVELS = ["0.5", "0.55", "0.6", "0.7", "0.8", "0.83", "0.9", "0.91", "0.95", "0.97", "0.99", "0.999"]


def slow_rank(rows, level):
    """Smallest k with k >= (n + 1) p, by counting in whole numbers."""
    p = Fraction(level)
    k = 0
    while k * p.denominator < (rows + 1) * p.numerator:
        k += 1
    return k


def slow_tail(successes, rows, rate):
    p = Fraction(rate)
    return sum(math.comb(rows, i) * p**i * (1 - p) ** (rows - i) for i in range(successes, rows + 1))


def test_split_rank_is_the_exact_ceiling():
    for level in LEVELS:
        for rows in range(120):
            assert split_rank(rows, float(level)) == slow_rank(rows, level), (rows, level)


def test_floating_point_products_would_get_some_ranks_wrong():
    wrong = [
        (rows, level)
        for level in LEVELS
        for rows in range(1000)
        if math.ceil((rows + 1) * float(level)) != split_rank(rows, float(level))
    ]
    assert wrong  # else the exact arithmetic would be untested
    assert all(split_rank(rows, float(level)) == slow_rank(rows, level) for rows, level in wrong)


@pytest.mark.parametrize(("rows", "rank"), [(100, 96), (500, 462), (1000, 916), (5000, 4536)])
def test_assured_ranks_of_ninety_percent_with_ninety_five_percent_confidence(rows, rank):
    assert assured_rank(rows, 0.9, 0.95) == rank


@pytest.mark.parametrize("assurance", ["0.9", "0.95", "0.99"])
@pytest.mark.parametrize("level", ["0.5", "0.8", "0.9", "0.95"])
def test_assured_rank_agrees_with_exact_sums(level, assurance):
    for rows in (1, 2, 5, 13, 29, 59, 60):
        twin = next((k for k in range(1, rows + 1) if slow_tail(k, rows, level) <= 1 - Fraction(assurance)), rows + 1)
        assert assured_rank(rows, float(level), float(assurance)) == twin


def test_assured_rank_decides_ties_exactly():
    # P(Bin(3, 1/2) >= 3) is exactly 1/8: with a failure probability of 1/8 the rank 3 is enough.
    assert assured_rank(3, Fraction(1, 2), Fraction(7, 8)) == 3
    assert assured_rank(3, Fraction(1, 2), Fraction(8751, 10000)) == 4
    assert upper_tails_at_most(np.array([3]), np.array([3]), Fraction(1, 2), Fraction(1, 8)).all()


def test_known_floors():
    assert coverage_floor(901, 1000) == pytest.approx(0.8841, abs=5e-5)
    assert coverage_floor(91, 100) == pytest.approx(0.848, abs=5e-4)
    assert coverage_floor(6, 5) == 1.0
    assert coverage_floor(29, 29) == pytest.approx(0.05 ** (1 / 29), rel=1e-9)


@pytest.mark.parametrize("assurance", ["0.9", "0.95", "0.99"])
def test_floor_against_exact_sums(assurance):
    failure = 1 - Fraction(assurance)
    for rows in (5, 20, 60):
        for rank in {1, rows // 2, slow_rank(rows, "0.9"), rows} - {rows + 1}:
            floor = coverage_floor(rank, rows, float(assurance))
            assert slow_tail(rank, rows, Fraction(floor)) <= failure
            assert slow_tail(rank, rows, Fraction(floor * (1 + 1e-9))) > failure * (1 - Fraction(1, 10**7))


def test_large_samples_and_tiny_failure_probabilities():
    rows = 10**9
    rank = split_rank(rows, 0.9)
    assert rank == 900000001
    floor = coverage_floor(rank, rows, "0.999999999999")
    assert 0.8999 < floor < 0.9
    assert upper_tail(rank, rows, floor) <= 1e-12
    assert assured_rank(rows, 0.9, "0.999999999999") > assured_rank(rows, 0.9, 0.95) > rank


def test_rows_needed():
    assert [rows_for_split(level) for level in (0.5, 0.9, 0.95, 0.99)] == [1, 9, 19, 99]
    assert rows_for_assured(0.9, 0.95) == 29
    assert rows_for_assured(0.95, 0.95) == 59
    for level in (0.5, 0.9, 0.95, 0.99):
        rows = rows_for_split(level)
        assert split_rank(rows, level) == rows
        assert split_rank(rows - 1, level) == rows
        needed = rows_for_assured(level, 0.95)
        assert assured_rank(needed, level, 0.95) == needed
        assert assured_rank(needed - 1, level, 0.95) == needed


@given(st.integers(1, 400), st.fractions(Fraction(1, 100), Fraction(99, 100)))
def test_rank_properties(rows, level):
    rank = split_rank(rows, level)
    assert 1 <= rank <= rows + 1
    assert Fraction(rank, rows + 1) >= level > Fraction(rank - 1, rows + 1)
    assert split_rank(rows + 1, level) in (rank, rank + 1)
    assured = assured_rank(rows, level, 0.95)
    assert assured <= rows + 1
    if assured <= rows:
        assert coverage_floor(assured, rows, 0.95) >= float(level) * (1 - 1e-9)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.sampled_from(LEVELS))
def test_threshold_is_the_score_of_that_rank(values, level):
    result = calibrate(np.array(values), confidence=float(level))
    rank = slow_rank(len(values), level)
    assert result.threshold == (sorted(values)[rank - 1] if rank <= len(values) else math.inf)


def test_levels_are_read_as_decimals():
    assert exact_level(0.9) == exact_level(np.float32(0.9)) == exact_level(Decimal("0.9")) == Fraction(9, 10)
    assert exact_level("0.1") == Fraction(1, 10)


@pytest.mark.parametrize("level", [0, 1, 1.5, -0.1, 90, math.nan, math.inf, "high", None, True])
def test_bad_levels(level):
    with pytest.raises(ValueError, match="confidence must be a number strictly between 0 and 1, got"):
        split_rank(10, level)


@pytest.mark.parametrize("rows", [-1, 2.5, "ten", True])
def test_bad_rows(rows):
    with pytest.raises(ValueError, match="rows must be a whole number"):
        split_rank(rows, 0.9)


def test_bad_rank():
    with pytest.raises(ValueError, match="rank must lie between 1 and rows"):
        coverage_floor(0, 10)
    with pytest.raises(ValueError, match="scores must hold 3 values"):
        ConformalRank.of(3, 0.5).threshold(np.zeros(2))


def test_tails_against_exact_sums():
    for successes, trials, rate in [(0, 5, "0.3"), (3, 5, "0.3"), (5, 5, "0.3"), (17, 20, "0.9"), (6, 5, "0.5")]:
        exact = slow_tail(successes, trials, rate)
        assert float(upper_tail(successes, trials, float(rate))) == pytest.approx(float(exact), rel=1e-12, abs=0)
    assert not upper_tail_at_most(0, 5, Fraction(1, 2), Fraction(1, 2))
