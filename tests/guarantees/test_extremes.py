"""Numerically safe at the edges: delta = 1e-12, a billion rows, one row, ties, all errors."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certus.guarantees import CertificateError, error_bound, mcnemar, mean_bound
from certus.guarantees.holdout.binomial_tail import log_lower_tail, log_upper_tail
from certus.verbs.planning import plan

BILLION = 10**9
TINY = 0.999999999999


@pytest.mark.parametrize("errors", [0, 1, 17, 10**4, 3 * 10**7, 5 * 10**8, BILLION - 1, BILLION])
@pytest.mark.parametrize("confidence", [0.95, TINY])
@pytest.mark.parametrize("method", ["clopper-pearson", "kl", "hoeffding"])
def test_a_billion_rows(errors, confidence, method):
    for side in ("upper", "lower", "both"):
        bound = error_bound(errors, BILLION, confidence=confidence, side=side, method=method)
        assert bound.check()
        low, high = bound.value if side == "both" else (bound.value,) * 2
        assert low <= errors / BILLION * (1 + 1e-15) if side != "upper" else high >= errors / BILLION


@pytest.mark.parametrize("errors", [0, 3, 3 * 10**7])
def test_limits_are_on_the_safe_side_of_the_summed_tail(errors):
    delta = 1e-12
    high = error_bound(errors, BILLION, confidence=TINY).value
    assert log_lower_tail(errors, BILLION, high) <= math.log(delta)
    assert log_lower_tail(errors, BILLION, high * (1 - 1e-9)) > math.log(delta)
    if errors:
        low = error_bound(errors, BILLION, confidence=TINY, side="lower").value
        assert log_upper_tail(errors, BILLION, low) <= math.log(delta)
        assert log_upper_tail(errors, BILLION, low * (1 + 1e-9)) > math.log(delta)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 10**9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.sampled_from([0.5, 0.9, 0.95, 0.999, TINY]),
    st.sampled_from(["upper", "lower", "both"]),
)
def test_every_count_can_be_checked(counts, confidence, side):
    errors, rows = counts
    bound = error_bound(errors, rows, confidence=confidence, side=side)
    assert bound.check()
    low, high = bound.value if side == "both" else (bound.value, 1.0) if side == "lower" else (0.0, bound.value)
    assert 0.0 <= low <= errors / rows <= high <= 1.0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-2, 3), min_size=1, max_size=40),
    st.sampled_from(["hoeffding", "kl", "empirical-bernstein", "hoeffding-bentkus", "betting", "star"]),
    st.sampled_from(["upper", "lower", "both"]),
    st.sampled_from([0.5, 0.95, TINY]),
)
def test_every_mean_bound_can_be_checked(losses, method, side, confidence):
    bound = mean_bound(losses, low=-2, high=3, method=method, side=side, confidence=confidence)
    assert bound.check()
    assert bound.check(np.array(losses))
    low, high = bound.value if side == "both" else (bound.value, 3.0) if side == "lower" else (-2.0, bound.value)
    assert -2 <= low <= high <= 3
    if method not in ("betting", "star"):
        assert low <= np.mean(losses) + 1e-12
        assert high >= np.mean(losses) - 1e-12


@given(st.lists(st.integers(0, 8), min_size=2, max_size=30))
def test_lower_bound_is_the_mirror_of_the_upper(steps):
    losses = np.array(steps) / 8.0  # exact in floating point
    for method in ("hoeffding", "kl", "empirical-bernstein", "betting", "star"):
        upper = mean_bound(losses, method=method).value
        lower = mean_bound(1.0 - losses, method=method, side="lower").value
        assert lower == pytest.approx(1.0 - upper, abs=1e-12)


def test_tightening_by_a_billionth_is_found():
    import dataclasses

    bound = error_bound(15, 500)
    with pytest.raises(CertificateError, match="second route"):
        dataclasses.replace(bound, value=bound.value * (1 - 1e-9)).check()


def test_planning_and_testing_at_the_edges():
    found = plan(error=1e-9, confidence=TINY)
    assert error_bound(0, found.rows[0], confidence=TINY).value <= 1e-9
    assert error_bound(0, found.rows[0] - 1000, confidence=TINY).value > 1e-9
    assert mcnemar(0, 0).pvalue == 1.0
    assert mcnemar(10**6, 0).pvalue == 0.0
    assert 0 < mcnemar(300, 0).pvalue < 1e-89
