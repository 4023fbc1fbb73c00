"""Plausible mistakes in conformal prediction and risk control, each with the check that must catch it."""

import math
from collections.abc import Callable
from fractions import Fraction
from unittest import mock

import numpy as np
from scipy import stats

from certus.guarantees import assured_rank, calibrate, control_rates, coverage_floor, split_rank
from certus.guarantees.conformal.cross_conformal import cross_interval, proven_miscoverage
from certus.guarantees.holdout.exact_tails import upper_tail
from certus.guarantees.thresholds import risk_control
from tests.guarantees import conformal_gate as gate
from tests.guarantees.mutants import told_apart

EDGE = (0.21, 0.3, 0.49)  # the second threshold has a recall just below 0.8
_passing = risk_control.passing


# --- checks: each says whether it rejects what it is given --------------------------------------------------------


def coverage_fails(rule: gate.RankRule) -> bool:
    return not gate.coverage_holds(rule)


def too_wide(rule: gate.RankRule) -> bool:
    """Whether the average coverage of continuous scores exceeds the level by a whole rank."""
    return any(
        rule(n, p) <= n and Fraction(rule(n, p), n + 1) >= Fraction(p) + Fraction(1, n + 1)
        for n in gate.SIZES
        for p in gate.LEVELS
    )


def differs_from_whole_numbers(rule: gate.RankRule) -> bool:
    """Whether some rank is not the smallest k with k >= (n + 1) p."""
    cells = ((n, p, Fraction(p)) for n in range(1000) for p in ("0.55", "0.7", "0.9"))
    return any(not (rule(n, p) - 1 < (n + 1) * level <= rule(n, p)) for n, p, level in cells)


def threshold_fails(threshold: Callable[[np.ndarray], float]) -> bool:
    """Mean of the threshold of 20 uniform scores, which is its average coverage, below 90%."""
    found = np.array([threshold(row) for row in np.random.default_rng(0).random((10_000, 20))])
    return bool(found.mean() < 0.9 - 4 * found.std() / 100)


def calibration_rows_fail(rows: slice) -> bool:
    """Nearest neighbor trained on rows 0-39 and calibrated on the given ones: coverage of new rows below 88%."""
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(200):
        x, y = rng.random(100), rng.normal(size=100)
        residuals = np.abs(y - y[:40][np.abs(x[:, None] - x[None, :40]).argmin(axis=1)])
        covered.append(np.mean(residuals[80:] <= calibrate(residuals[rows]).threshold))
    return float(np.mean(covered)) < 0.88


def floor_fails(floor: Callable[[int, int, float], float]) -> bool:
    return gate.chance_below_floor(91, 100, floor(91, 100, 0.05), gate.ATOMS["fine"]) > 0.05


def tournament_exceeds(bound: Callable[[int, int], Fraction]) -> bool:
    """Whether some learner makes jackknife+ miss more often than the claimed bound(rank, rows)."""
    rows, rank = 20, split_rank(20, "0.9")
    beats = gate.circle(2 * (rows - rank) + 1)
    return 1 - gate.tournament_coverage(rows, rank, beats) > bound(rank, rows)


def misses_the_obvious(interval: Callable[[np.ndarray, np.ndarray, float], np.ndarray]) -> bool:
    """Four rows with y = 1 and a learner that predicts 1 from three rows and 100 from four."""
    low, high = interval(np.ones((1, 4)), np.zeros(4), 100.0)
    return not low <= 1.0 <= high


def recall_fails(rank: Callable) -> bool:
    with mock.patch.object(risk_control, "assured_rank", rank):
        return gate.recall_failure(0.9, 0.8, 20, EDGE) > 0.1


def precision_fails(passing: Callable) -> bool:
    repeats = 1000
    with mock.patch.object(risk_control, "passing", passing):
        found = gate.flat_precision_promises(repeats, 150, 0.4999, seed=1, confidence=0.9)
    return found > 0.1 + 4 * math.sqrt(0.1 * 0.9 / repeats)


def chosen_threshold_fails(same_rows: bool) -> bool:
    """The best-looking threshold passed as if it were given, picked on the same rows or on others."""
    rng = np.random.default_rng(2)
    repeats, rows, promised, use = 1000, 150, 0, 0 if same_rows else 1
    for _ in range(repeats):
        scores, positive = rng.random((2, rows)), rng.random((2, rows)) < 0.4999
        order = np.argsort(-scores[0])
        p_values = upper_tail(np.cumsum(positive[0][order]), np.arange(1, rows + 1), 0.5)
        best = scores[0][order][np.argmin(p_values)]
        guard = control_rates(scores[use], positive[use], {"precision": 0.5}, thresholds=[best], confidence=0.9)
        promised += guard.feasible
    return promised / repeats > 0.1 + 4 * math.sqrt(0.1 * 0.9 / repeats)


# --- mutants ------------------------------------------------------------------------------------------------------


def _any_that_passes(tests, failure, procedure, starts) -> list[int]:
    share, hits, trials = tests[0]
    return np.flatnonzero(upper_tail(hits, trials, float(share)) <= float(failure)).tolist()


def _shipped_floor(rank: int, rows: int, failure: float) -> float:
    return coverage_floor(rank, rows, 1 - Fraction(str(failure)))


def _shipped_bound(rank: int, rows: int) -> Fraction:
    return proven_miscoverage(rank, [1] * rows, "plus")[0]


def _shipped_interval(predictions: np.ndarray, residuals: np.ndarray, _of_all: float) -> np.ndarray:
    return cross_interval(predictions, residuals, np.arange(4), split_rank(4, "0.6"))[0]


EXACT, SIMULATED = "coverage, exact", "coverage, simulated"
SPLIT_MUTANTS = tuple(
    told_apart("conformal rank", mistake, by, rejects, rule, gate.exact_rule)
    for mistake, by, rejects, rule in (
        ("+1 dropped", EXACT, coverage_fails, lambda n, p: math.ceil(n * Fraction(p))),
        ("floor for ceiling", EXACT, coverage_fails, lambda n, p: math.floor((n + 1) * Fraction(p))),
        ("rank one lower", EXACT, coverage_fails, lambda n, p: gate.exact_rule(n, p) - 1),
        ("level and complement swapped", EXACT, coverage_fails, lambda n, p: math.ceil((n + 1) * (1 - Fraction(p)))),
        ("rank clamped to n", EXACT, coverage_fails, lambda n, p: min(gate.exact_rule(n, p), n)),
        ("rank one higher", "tightness, exact", too_wide, lambda n, p: gate.exact_rule(n, p) + 1),
        (
            "floating-point product",
            "twin in whole numbers",
            differs_from_whole_numbers,
            lambda n, p: math.ceil((n + 1) * float(p)),
        ),
    )
)
FLOOR_MUTANTS = tuple(
    told_apart("coverage floor", mistake, EXACT, floor_fails, floor, _shipped_floor)
    for mistake, floor in (
        ("delta and 1 - delta swapped", lambda k, n, d: stats.beta(k, n + 1 - k).ppf(1 - d)),
        ("Beta(k + 1, n - k)", lambda k, n, d: stats.beta(k + 1, n - k).ppf(d)),
        ("twice the failure probability", lambda k, n, d: stats.beta(k, n + 1 - k).ppf(2 * d)),
    )
)
CROSS_MUTANTS = tuple(
    told_apart("jackknife+", mistake, "coverage, exact (tournament)", tournament_exceeds, bound, _shipped_bound)
    for mistake, bound in (
        ("nominal level claimed as proven", lambda rank, n: Fraction(n + 1 - rank, n + 1)),
        ("one row too few in the count", lambda rank, n: Fraction(2 * (n - rank), n + 1)),
    )
)
GUARD_MUTANTS = tuple(
    told_apart("guard, monotone rate", mistake, EXACT, recall_fails, rank, assured_rank)
    for mistake, rank in (
        ("rank one lower", lambda n, p, c: assured_rank(n, p, c) - 1),
        ("delta and 1 - delta swapped", lambda n, p, c: assured_rank(n, p, 1 - c)),
        ("rate on the rows taken as the true one", lambda n, p, c: math.ceil(n * p)),
    )
) + tuple(
    told_apart("guard, searched rate", mistake, SIMULATED, precision_fails, passing, _passing)
    for mistake, passing in (
        ("no price for searching", _any_that_passes),
        ("level not shared among the starts", lambda t, f, p, s: _passing(t, f * len(s), p, s)),
    )
)
CONFORMAL_MUTANTS = (
    *SPLIT_MUTANTS,
    told_apart(
        "conformal rank",
        "interpolated quantile",
        SIMULATED,
        threshold_fails,
        lambda row: float(np.quantile(row, 0.9)),
        lambda row: calibrate(row).threshold,
    ),
    told_apart(
        "conformal rank",
        "calibrated on training rows",
        SIMULATED,
        calibration_rows_fail,
        slice(0, 40),
        slice(40, 80),
    ),
    *FLOOR_MUTANTS,
    *CROSS_MUTANTS,
    told_apart(
        "jackknife+",
        "centered at the model of all rows",
        "exact value",
        misses_the_obvious,
        lambda _predictions, residuals, of_all: (of_all - residuals.max(), of_all + residuals.max()),
        _shipped_interval,
    ),
    *GUARD_MUTANTS,
    told_apart("guard", "labels used twice to pick the threshold", SIMULATED, chosen_threshold_fails, True, False),
)
