"""Truth gate of risk control: the chance that a promised rate does not hold, exactly or by simulation.

For scores with few values every possible table of calibration rows is enumerated and weighted by its
multinomial probability, so that the failure probability of the code as it stands is exact. Mutants are made by
replacing one part of the module, and each must be caught.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from certus.guarantees import assured_rank, control_rates, risk_control
from certus.guarantees.risk_control_tails import upper_tail


@pytest.fixture(autouse=True)
def _no_explanations(monkeypatch):
    """Validity does not depend on the reason given when infeasible, and the reason takes time."""
    monkeypatch.setattr(risk_control, "explain", lambda *_: ("", None))


def compositions(total, cells):
    """All ways to spread `total` rows over `cells` kinds."""
    for bars in itertools.combinations(range(total + cells - 1), cells - 1):
        ends = (-1, *bars, total + cells - 1)
        yield tuple(ends[i + 1] - ends[i] - 1 for i in range(cells))


def multinomial(counts, probabilities):
    log = math.lgamma(sum(counts) + 1)
    for count, probability in zip(counts, probabilities, strict=True):
        if count and probability == 0:
            return 0.0
        log += (count * math.log(probability) if count else 0.0) - math.lgamma(count + 1)
    return math.exp(log)


def rows_of(counts, values):
    return np.repeat(np.asarray(values, dtype=float), counts)


def true_rates(threshold, values, positives, negatives, share=0.5):
    """Rates at a threshold when scores of each class have the given probabilities."""
    flagged = np.asarray(values) >= threshold
    recall, alarm = float(np.dot(positives, flagged)), float(np.dot(negatives, flagged))
    both = share * recall + (1 - share) * alarm
    precision = share * recall / both if both > 0 else 1.0
    return {"recall": recall, "false_alarm": alarm, "precision": precision, "alarm_rate": both}


def kept(rates, truth):
    slack = 1e-12
    return all(
        truth[name] >= target - slack if name in ("recall", "precision") else truth[name] <= target + slack
        for name, target in rates.items()
    )


def exact_failure(rates, rows, positives, negatives, share, **options):
    """Probability that a threshold is promised at which some rate does not hold; and that one is promised."""
    size = len(positives)
    values = np.arange(size)
    cells = np.concatenate([share * np.asarray(positives), (1 - share) * np.asarray(negatives)])
    failure = promised = 0.0
    for counts in compositions(rows, 2 * size):
        weight = multinomial(counts, cells)
        if weight == 0.0:
            continue
        scores = rows_of(counts, np.tile(values, 2))
        positive = np.arange(rows) < sum(counts[:size])
        guard = control_rates(scores, positive, rates, **options)
        if guard.feasible:
            promised += weight
            truth = true_rates(guard.threshold, values, positives, negatives, share)
            failure += weight * (not kept(rates, truth))
    return failure, promised


def exact_recall_failure(confidence, target, rows, probabilities):
    values, failure = np.arange(len(probabilities)), 0.0
    for counts in compositions(rows, len(probabilities)):
        guard = control_rates(
            rows_of(counts, values), np.ones(rows, dtype=bool), {"recall": target}, confidence=confidence
        )
        if guard.feasible:
            recall = float(np.dot(probabilities, values >= guard.threshold))
            failure += multinomial(counts, probabilities) * (recall < target - 1e-12)
    return failure


EDGE = (0.21, 0.3, 0.49)  # the second threshold has a recall just below 0.8
RECALL_CASES = [
    (0.9, 0.8, 20, EDGE),
    (0.95, 0.8, 30, EDGE),
    (0.99, 0.8, 30, EDGE),
    (0.9, 0.5, 5, (0.3, 0.25, 0.45)),
]


@pytest.mark.parametrize(("confidence", "target", "rows", "probabilities"), RECALL_CASES)
def test_recall_holds_exactly(confidence, target, rows, probabilities):
    assert exact_recall_failure(confidence, target, rows, probabilities) <= 1 - confidence


def test_recall_failure_is_close_to_what_is_allowed():
    """Valid but useless would fail here: at the edge the failure probability is not far below 10%."""
    assert exact_recall_failure(0.9, 0.8, 20, (0.201, 0.3, 0.499)) > 0.05
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
    rates, rows, values = {"recall": 0.7, "false_alarm": 0.3}, 8, np.arange(3)
    failure = promised = 0.0
    for up, down in itertools.product(compositions(rows, 3), repeat=2):
        weight = multinomial(up, positives) * multinomial(down, negatives)
        scores = np.concatenate([rows_of(up, values), rows_of(down, values)])
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
    failure, promised = exact_failure(
        {"precision": 0.5}, 10, flat, flat, share, confidence=0.8, procedure=procedure
    )
    assert failure <= 0.2
    if procedure == "fixed-sequence":
        assert promised > 0.01


@pytest.mark.parametrize("procedure", ["fixed-sequence", "holm", "bonferroni"])
def test_given_thresholds_hold_exactly(procedure):
    rates = {"recall": 0.5, "precision": 0.5}
    failure, promised = exact_failure(
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


def flat_precision_promises(repeats, rows, precision, seed, target=0.5, confidence=0.95):
    """Share of samples in which a precision of `target` is promised although it is lower everywhere."""
    rng = np.random.default_rng(seed)
    promised = 0
    for _ in range(repeats):
        guard = control_rates(
            rng.random(rows), rng.random(rows) < precision, {"precision": target}, confidence=confidence
        )
        promised += guard.feasible
    return promised / repeats


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


# name -> (part of the module that is replaced, replacement, what catches it)
MUTANTS = {
    "rank one lower": ("assured_rank", lambda n, p, c: assured_rank(n, p, c) - 1, "exact coverage"),
    "failure and confidence swapped": (
        "assured_rank",
        lambda n, p, c: assured_rank(n, p, 1 - c),
        "exact coverage",
    ),
    "empirical recall without a test": ("assured_rank", lambda n, p, c: math.ceil(n * p), "exact coverage"),
    "no price for searching": (
        "passing",
        lambda tests, failure, procedure, starts: [
            i for i, p in enumerate(upper_tail(tests[0][1], tests[0][2], float(tests[0][0]))) if p <= failure
        ],
        "simulation",
    ),
    "level of every start not shared": (
        "passing",
        lambda tests, failure, procedure, starts: risk_control_passing(
            tests, failure * len(starts), procedure, starts
        ),
        "simulation",
    ),
}
risk_control_passing = risk_control.passing


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_caught(name, monkeypatch):
    part, replacement, killer = MUTANTS[name]
    monkeypatch.setattr(risk_control, part, replacement)
    if killer == "exact coverage":
        assert exact_recall_failure(0.9, 0.8, 20, EDGE) > 0.1
    else:
        repeats = 1000
        failure = flat_precision_promises(repeats, 150, 0.4999, seed=1, confidence=0.9)
        assert failure > 0.1 + 4 * math.sqrt(0.1 * 0.9 / repeats)


def test_thresholds_chosen_with_the_same_labels_are_caught_by_simulation():
    """Passing the best-looking threshold as if it were given: the misuse that `candidates-fixed` names."""
    rng = np.random.default_rng(2)
    repeats, rows, promised = 1000, 150, 0
    for _ in range(repeats):
        scores, positive = rng.random(rows), rng.random(rows) < 0.4999
        order = np.argsort(-scores)
        hits = np.cumsum(positive[order])
        p_values = upper_tail(hits, np.arange(1, rows + 1), 0.5)
        best = scores[order][np.argmin(p_values)]
        promised += control_rates(scores, positive, {"precision": 0.5}, thresholds=[best], confidence=0.9).feasible
    assert promised / repeats > 0.1 + 4 * math.sqrt(0.1 * 0.9 / repeats)


def test_p_value_is_exact():
    p = Fraction(4, 5)
    exact = sum(math.comb(20, i) * p**i * (1 - p) ** (20 - i) for i in range(18, 21))
    assert float(upper_tail(18, 20, 0.8)) == pytest.approx(float(exact), rel=1e-13)
