"""Truth gate of risk control: the chance that a promised rate does not hold, exactly or by simulation.

For scores with few values every possible table of calibration rows is enumerated and weighted by its
multinomial probability, so that the failure probability of the code as it stands is exact.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from certus.guarantees import assured_rank, control_rates
from certus.guarantees.holdout.exact_tails import upper_tail
from certus.guarantees.thresholds import risk_control
from tests.guarantees.conformal_gate import (
    compositions,
    flat_precision_promises,
    guard_failure,
    kept,
    multinomial,
    recall_failure,
    true_rates,
)


@pytest.fixture(autouse=True)
def _no_explanations(monkeypatch):
    """Validity does not depend on the reason given when infeasible, and the reason takes time."""
    monkeypatch.setattr(risk_control, "explain", lambda *_: ("", None))


EDGE = (0.21, 0.3, 0.49)  # the second threshold has a recall just below 0.8
RECALL_CASES = [
    (0.9, 0.8, 20, EDGE),
    (0.95, 0.8, 30, EDGE),
    (0.99, 0.8, 30, EDGE),
    (0.9, 0.5, 5, (0.3, 0.25, 0.45)),
]


@pytest.mark.parametrize(("confidence", "target", "rows", "probabilities"), RECALL_CASES)
def test_recall_holds_exactly(confidence, target, rows, probabilities):
    assert recall_failure(confidence, target, rows, probabilities) <= 1 - confidence


def test_recall_failure_is_close_to_what_is_allowed():
    """Valid but useless would fail here: at the edge the failure probability is not far below 10%."""
    assert recall_failure(0.9, 0.8, 20, (0.201, 0.3, 0.499)) > 0.05
    for rows in (100, 1000):
        needed = assured_rank(rows, 0.95, 0.95)
        assert stats.binom(rows, 0.95).sf(needed - 1) <= 0.05 < stats.binom(rows, 0.95).sf(needed - 2)


@pytest.mark.parametrize(
    ("positives", "negatives"),
    [
        ((0.31, 0.2, 0.49), (0.6, 0.09, 0.31)),
        ((0.1, 0.21, 0.69), (0.69, 0.21, 0.1)),
        ((0.1, 0.3, 0.6), (0.8, 0.1, 0.1)),
    ],
)
def test_two_rates_hold_together(positives, negatives):
    """Recall from the positives and false alarms from the negatives, exactly, given the class counts."""
    rates, rows, values = {"recall": 0.7, "false_alarm": 0.3}, 8, np.arange(3.0)
    failure = promised = 0.0
    for up, down in itertools.product(compositions(rows, 3), repeat=2):
        weight = multinomial(up, positives) * multinomial(down, negatives)
        scores = np.concatenate([np.repeat(values, up), np.repeat(values, down)])
        guard = control_rates(scores, np.arange(2 * rows) < rows, rates, confidence=0.8)
        if guard.feasible:
            promised += weight
            failure += weight * (not kept(rates, true_rates(guard.threshold, values, positives, negatives)))
    assert failure <= 0.2
    assert promised > 0


@pytest.mark.parametrize(
    ("procedure", "share"),
    [("fixed-sequence", 0.48), ("fixed-sequence", 0.6), ("holm", 0.48), ("bonferroni", 0.48)],
)
def test_precision_at_rank_thresholds_holds_exactly(procedure, share):
    """Scores that say nothing: precision is the share of positives at every threshold."""
    flat = (0.3, 0.3, 0.4)
    failure, promised = guard_failure({"precision": 0.5}, 10, flat, flat, share, confidence=0.8, procedure=procedure)
    assert failure <= 0.2
    if procedure == "fixed-sequence":
        assert promised > 0.01


@pytest.mark.parametrize("procedure", ["fixed-sequence", "holm", "bonferroni"])
def test_given_thresholds_hold_exactly(procedure):
    rates = {"recall": 0.5, "precision": 0.5}
    failure, promised = guard_failure(
        rates,
        8,
        (0.2, 0.32, 0.48),
        (0.5, 0.2, 0.3),
        0.5,
        confidence=0.8,
        procedure=procedure,
        thresholds=[1, 2, 0],
    )
    assert failure <= 0.2
    assert promised > 0.01


def test_precision_by_simulation():
    """10 000 samples of 150 rows, no threshold is good enough; false alarm below 1 in 10 000."""
    repeats = 10_000
    failure = flat_precision_promises(repeats, 150, 0.4999, seed=1)
    assert failure <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / repeats)
    assert failure > 0.005


@pytest.mark.slow
@pytest.mark.parametrize("rows", [20, 100, 1000])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_all_rates_by_simulation(rows, confidence):
    """Normal scores, targets at the very edge of what is true at one threshold."""
    rng = np.random.default_rng(rows)
    repeats, failures = 10_000, 0
    normal = stats.norm()
    for _ in range(repeats):
        positive = rng.random(rows) < 0.5
        scores = rng.normal(size=rows) + 1.5 * positive
        rates = {"recall": 0.7, "false_alarm": 0.4, "precision": 0.6}
        guard = control_rates(scores, positive, rates, confidence=confidence)
        if guard.feasible:
            recall, alarm = normal.sf(guard.threshold - 1.5), normal.sf(guard.threshold)
            failures += recall < 0.7 or alarm > 0.4 or recall / (recall + alarm) < 0.6
    allowed = 1 - confidence
    assert failures / repeats <= allowed + 4 * math.sqrt(allowed * confidence / repeats)


def test_p_value_is_exact():
    p = Fraction(4, 5)
    exact = sum(math.comb(20, i) * p**i * (1 - p) ** (20 - i) for i in range(18, 21))
    assert float(upper_tail(18, 20, 0.8)) == pytest.approx(float(exact), rel=1e-13)
