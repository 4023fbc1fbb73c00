"""Fast implementations agree with slow ones that only follow the definition."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certus.guarantees import _native_calls, holm, mcnemar, mcnemar_power
from certus.guarantees.holdout import clopper_pearson, concentration, row_planning
from certus.guarantees.holdout.binomial_tail import log_lower_tail, log_upper_tail
from certus.guarantees.holdout.ranking import won_half_pairs
from tests.guarantees import gate, twins


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.sampled_from([1, 5, 20, 500]),
)
def test_clopper_pearson(counts, per_mille):
    events, rows = counts
    delta = Fraction(per_mille, 1000)
    found = clopper_pearson.upper(events, rows, float(delta))
    twin = twins.clopper_pearson_upper(events, rows, delta)
    assert float(twin) - 1e-15 <= found <= float(twin) * (1 + 1e-11)
    mirrored = 1 - twins.clopper_pearson_upper(rows - events, rows, delta)
    low = clopper_pearson.lower(events, rows, float(delta))
    assert float(mirrored) * (1 - 1e-11) - 1e-15 <= low <= float(mirrored) + 1e-15


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 1), st.floats(1e-6, 5))
def test_kl_inverse(mean, budget):
    found = concentration.kl_upper(mean, budget)
    assert found >= mean
    assert found == pytest.approx(twins.kl_upper(mean, budget), rel=1e-6, abs=1e-9)


def test_kl_is_accurate_where_the_plain_formula_is_not():
    """kl(p, p + h) is h^2/(2 p (1-p)) to first order; the plain formula is eight times too big at h = 1e-9."""
    p, h = 0.3, 1e-9
    assert concentration.kl(p, p + h) == pytest.approx(h * h / (2 * p * (1 - p)), rel=1e-6)
    assert not math.isclose(twins.kl(p, p + h), h * h / (2 * p * (1 - p)), rel_tol=0.5)


@pytest.mark.parametrize("losses", gate.DISTRIBUTIONS, ids=lambda losses: losses.name)
@pytest.mark.parametrize("rows", [1, 2, 7, 30])
def test_betting_and_star(losses, rows):
    for sample in gate.samples(losses, rows, 3, seed=1):
        level = math.log(20.0)
        found = _native_calls.betting_upper(sample[None], level)[0]
        assert found == pytest.approx(twins.betting_upper(sample.tolist(), level, _native_calls.BETTING_CAP), abs=1e-9)
        grid = _native_calls.star_grid(rows)
        found = _native_calls.star_upper(sample[None], level)[0]
        twin = twins.star_upper(sample.tolist(), level, _native_calls.STAR_CAP, grid.tolist())
        assert found == pytest.approx(twin, abs=1e-12)


def test_one_thread_and_two_give_equal_bits():
    drawn = gate.samples(gate.DISTRIBUTIONS[2], 50, 40)
    for kernel in (_native_calls.betting_upper, _native_calls.star_upper):
        np.testing.assert_array_equal(kernel(drawn, 3.0, threads=1), kernel(drawn, 3.0, threads=2))


def test_seeded_order_is_the_documented_generator():
    """xoshiro256++ seeded by SplitMix64, Fisher-Yates from the end: orders are kept for ever."""
    mask = (1 << 64) - 1

    def splitmix(state):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return state, z ^ (z >> 31)

    _, mixed = splitmix(7)
    mixed ^= 0x632BE59BD9B4E019
    words = []
    for _ in range(4):
        mixed, word = splitmix(mixed)
        words.append(word)

    def rotate(x, k):
        return ((x << k) | (x >> (64 - k))) & mask

    def draw():
        result = (rotate((words[0] + words[3]) & mask, 23) + words[0]) & mask
        t = (words[1] << 17) & mask
        words[2] ^= words[0]
        words[3] ^= words[1]
        words[1] ^= words[2]
        words[0] ^= words[3]
        words[2] ^= t
        words[3] = rotate(words[3], 45)
        return result

    order = list(range(10))
    for count in range(10, 1, -1):
        product = draw() * count
        while product & mask < (1 << 64) % count:
            product = draw() * count
        place = product >> 64
        order[count - 1], order[place] = order[place], order[count - 1]
    assert _native_calls.seeded_order(7, 10).tolist() == order


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar(a, b):
    assert mcnemar(a, b).pvalue == pytest.approx(float(twins.mcnemar(a, b)), rel=1e-12)
    assert mcnemar(a, b).pvalue == mcnemar(b, a).pvalue


@pytest.mark.parametrize(("rows", "a", "b"), [(1, 0.5, 0.3), (12, 0.5, 0.1), (25, 0.3, 0.05)])
def test_mcnemar_power(rows, a, b):
    assert mcnemar_power(rows, a, b) == pytest.approx(twins.mcnemar_power(rows, a, b, 0.05), rel=1e-9)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm(pvalues):
    assert holm(pvalues) == pytest.approx(twins.holm(pvalues))


@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1))
def test_pairs_of_the_area_under_the_curve(ups, downs):
    assert won_half_pairs(np.array(ups, float), np.array(downs, float)) == twins.auc_half_pairs(ups, downs)


@pytest.mark.parametrize("errors", [0, 1, 5])
def test_planning(errors):
    assert row_planning.rows_for_errors(errors, 0.07, 0.05) == twins.rows_for_errors(
        errors, Fraction(7, 100), Fraction(1, 20)
    )


def test_chance_of_success_is_smallest_rows_by_counting_up():
    found = row_planning.rows_for_chance(0.8, 0.1, 0.05, 0.04)
    chances = [row_planning.chance_of_success(rows, 0.1, 0.05, 0.04) for rows in range(1, found + 1)]
    assert chances[-1] >= 0.8
    assert max(chances[:-1]) < 0.8


@pytest.mark.parametrize(("rate", "rows"), [(0.01, 10), (0.5, 200), (0.99, 77)])
def test_summed_tails(rate, rows):
    for events in range(rows):
        lower = twins.binomial_tail(events, rows, Fraction(rate))
        if rate >= events / rows:
            assert log_lower_tail(events, rows, rate) == pytest.approx(math.log(lower), rel=1e-12, abs=1e-14)
        else:
            upper = (
                1
                - lower
                + twins.binomial_tail(events, rows, Fraction(rate))
                - (twins.binomial_tail(events - 1, rows, Fraction(rate)) if events else 0)
            )
            assert log_upper_tail(events, rows, rate) == pytest.approx(math.log(upper), rel=1e-12, abs=1e-14)
