"""Truth gate of conformal calibration and risk control: exact failure probabilities, shared by tests and page.

Scores on finitely many values: the threshold q of rank k has P(q <= v) = P(Bin(n, F(v)) >= k), so that the average
coverage sum_v P(q = v) F(v) and the chance of falling below the floor are exact, ties included. For continuous
scores coverage given the calibration set is Beta(k, n + 1 - k).

Cross-conformal sets: a population of n + 1 rows in random order is exchangeable, and a learner can tell from the
rest which two rows are missing, so that any tournament among the rows can be played out.

Guarded rates: all tables of calibration rows with few score values, weighted by their multinomial probability.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np
from scipy import special

from certus.guarantees import ConformalRank, control_rates
from certus.guarantees.conformal.cross_conformal import cross_interval

SIZES = (5, 20, 100, 1000)
LEVELS = ("0.9", "0.95", "0.99")
# Score distributions with atoms: name -> probabilities of the values 0, 1, 2, ...
ATOMS = {
    "Bernoulli": (0.9, 0.1),
    "two-point skewed": (0.985, 0.015),
    "heavy ties": (0.6, 0.25, 0.1, 0.04, 0.01),
    "fine": tuple(np.full(500, 1 / 500)),
}

RankRule = Callable[[int, str], int]


def exact_rule(rows: int, level: str) -> int:
    """The rank under test."""
    return ConformalRank.of(rows, float(level)).rank


def _threshold_law(rank: int, rows: int, probabilities: Sequence[float]) -> tuple[np.ndarray, np.ndarray, float]:
    """P(threshold = v) for every value v, the distribution function, and P(threshold infinite)."""
    cumulative = np.minimum(np.cumsum(probabilities), 1.0)
    if rank > rows:
        return np.zeros(len(cumulative)), cumulative, 1.0
    below = np.where(cumulative >= 1.0, 1.0, special.betainc(max(rank, 1), rows - max(rank, 1) + 1, cumulative))
    return np.diff(below, prepend=0.0), cumulative, 0.0


def average_coverage(rank: int, rows: int, probabilities: Sequence[float]) -> float:
    law, cumulative, infinite = _threshold_law(rank, rows, probabilities)
    return float(law @ cumulative) + infinite


def chance_below_floor(rank: int, rows: int, floor: float, probabilities: Sequence[float]) -> float:
    law, cumulative, _ = _threshold_law(rank, rows, probabilities)
    return float(law[cumulative < floor].sum())


def worst_coverage(rule: RankRule, rows: int, level: str) -> float:
    """Smallest average coverage over continuous scores and all atoms."""
    rank = rule(rows, level)
    atoms = (average_coverage(rank, rows, p) for p in ATOMS.values())
    return min(min(rank / (rows + 1), 1.0), *atoms)


def coverage_holds(rule: RankRule) -> bool:
    """Whether the average coverage reaches the level in every cell of the gate."""
    return all(
        worst_coverage(rule, rows, level) >= float(level) - 1e-9 for rows, level in itertools.product(SIZES, LEVELS)
    )


def tournament_coverage(rows: int, rank: int, beats: Callable[[int, int], bool], method: str = "plus") -> Fraction:
    """Exact coverage when rows 0..rows come in random order, all y are 0, and residuals are 2 (win) or 1."""
    covered = 0
    for test in range(rows + 1):
        others = [i for i in range(rows + 1) if i != test]
        residuals = np.array([2.0 if beats(i, test) else 1.0 for i in others])
        predictions = np.array([[2.0 if beats(test, i) else 1.0 for i in others]])
        low, high = cross_interval(predictions, residuals, np.arange(rows), rank, method)[0]
        covered += low <= 0.0 <= high
    return Fraction(covered, rows + 1)


def circle(strong: int) -> Callable[[int, int], bool]:
    """Rows below `strong` beat all others and, in a circle, half of each other."""

    def beats(a: int, b: int) -> bool:
        return a < strong and (b >= strong or (b - a) % strong <= strong // 2)

    return beats


def compositions(total: int, cells: int) -> Iterator[tuple[int, ...]]:
    """All ways to spread `total` rows over `cells` kinds."""
    for bars in itertools.combinations(range(total + cells - 1), cells - 1):
        ends = (-1, *bars, total + cells - 1)
        yield tuple(ends[i + 1] - ends[i] - 1 for i in range(cells))


def multinomial(counts: Sequence[int], probabilities: Sequence[float]) -> float:
    log = math.lgamma(sum(counts) + 1)
    for count, probability in zip(counts, probabilities, strict=True):
        if count and probability == 0:
            return 0.0
        log += (count * math.log(probability) if count else 0.0) - math.lgamma(count + 1)
    return math.exp(log)


def true_rates(threshold, values, positives, negatives, share=0.5) -> dict[str, float]:
    """Rates at a threshold when scores of each class have the given probabilities."""
    flagged = np.asarray(values) >= threshold
    recall, alarm = float(np.dot(positives, flagged)), float(np.dot(negatives, flagged))
    both = share * recall + (1 - share) * alarm
    precision = share * recall / both if both > 0 else 1.0
    return {"recall": recall, "false_alarm": alarm, "precision": precision, "alarm_rate": both}


def kept(rates: dict[str, float], truth: dict[str, float]) -> bool:
    slack = 1e-12
    return all(
        truth[name] >= target - slack if name in ("recall", "precision") else truth[name] <= target + slack
        for name, target in rates.items()
    )


def guard_failure(rates, rows, positives, negatives, share, **options) -> tuple[float, float]:
    """P(a threshold is promised at which some rate does not hold), and P(one is promised)."""
    size = len(positives)
    values = np.arange(size)
    cells = np.concatenate([share * np.asarray(positives), (1 - share) * np.asarray(negatives)])
    failure = promised = 0.0
    for counts in compositions(rows, 2 * size):
        weight = multinomial(counts, cells)
        scores = np.repeat(np.tile(values, 2).astype(float), counts)
        guard = control_rates(scores, np.arange(rows) < sum(counts[:size]), rates, **options)
        if guard.feasible:
            promised += weight
            failure += weight * (not kept(rates, true_rates(guard.threshold, values, positives, negatives, share)))
    return failure, promised


def recall_failure(confidence: float, target: float, rows: int, probabilities: Sequence[float]) -> float:
    """P(recall below the target at the promised threshold), for scores of positive rows on few values."""
    values, failure = np.arange(len(probabilities), dtype=float), 0.0
    for counts in compositions(rows, len(probabilities)):
        positive = np.ones(rows, dtype=bool)
        guard = control_rates(np.repeat(values, counts), positive, {"recall": target}, confidence=confidence)
        if guard.feasible:
            recall = float(np.dot(probabilities, values >= guard.threshold))
            failure += multinomial(counts, probabilities) * (recall < target - 1e-12)
    return failure


def flat_precision_promises(
    repeats: int, rows: int, precision: float, seed: int, target: float = 0.5, confidence: float = 0.95
) -> float:
    """Share of samples in which a precision of `target` is promised although it is lower everywhere."""
    rng = np.random.default_rng(seed)
    promised = 0
    for _ in range(repeats):
        positive = rng.random(rows) < precision
        guard = control_rates(rng.random(rows), positive, {"precision": target}, confidence=confidence)
        promised += guard.feasible
    return promised / repeats
