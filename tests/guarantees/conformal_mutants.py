"""Plausible mistakes in conformal prediction and risk control, each with the check that must catch it."""

import math
from collections.abc import Callable
from fractions import Fraction
from unittest import mock

import numpy as np
from scipy import stats

from certus.guarantees import assured_rank, calibrate, control_rates, coverage_floor, risk_control, split_rank
from certus.guarantees.conformal_cross import cross_interval, proven_miscoverage
from certus.guarantees.risk_control_tails import upper_tail
from tests.guarantees import conformal_gate as gate
from tests.guarantees.mutants import Mutant

EDGE = (0.21, 0.3, 0.49)  # the second threshold has a recall just below 0.8
_passing = risk_control.passing


def _ranks(mistake: str, rule: gate.RankRule) -> Mutant:
    return Mutant(
        "conformal rank",
        mistake,
        "coverage, exact",
        lambda: not gate.coverage_holds(rule),
        lambda: gate.coverage_holds(gate.exact_rule),
    )


def _too_wide(rule: gate.RankRule) -> bool:
    """Whether the average coverage of continuous scores exceeds the level by a whole rank."""
    return any(
        rule(n, p) <= n and Fraction(rule(n, p), n + 1) >= Fraction(p) + Fraction(1, n + 1)
        for n in gate.SIZES
        for p in gate.LEVELS
    )


def _wrong_ranks(rule: gate.RankRule) -> bool:
    """Whether some rank is not the smallest k with k >= (n + 1) p, compared in whole numbers."""
    cells = ((n, p, Fraction(p)) for n in range(1000) for p in ("0.55", "0.7", "0.9"))
    return any(not (rule(n, p) - 1 < (n + 1) * level <= rule(n, p)) for n, p, level in cells)


def _interpolation_fails(threshold: Callable[[np.ndarray], float]) -> bool:
    """Mean of the threshold of 20 uniform scores, which is its average coverage, below 90%."""
    scores = np.random.default_rng(0).random((10_000, 20))
    found = np.array([threshold(row) for row in scores])
    return bool(found.mean() < 0.9 - 4 * found.std() / 100)


def _floor(mistake: str, wrong: Callable[[int, int, float], float]) -> Mutant:
    def fails(floor: Callable[[int, int, float], float]) -> bool:
        return gate.chance_below_floor(91, 100, floor(91, 100, 0.05), gate.ATOMS["fine"]) > 0.05

    return Mutant(
        "coverage floor",
        mistake,
        "coverage, exact",
        lambda: fails(wrong),
        lambda: not fails(lambda k, n, d: coverage_floor(k, n, 1 - Fraction(str(d)))),
    )


def _seen_rows_fail(first: int, last: int) -> bool:
    """Nearest neighbor trained on rows 0-39 and calibrated on rows first-last: coverage of new rows below 88%."""
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(200):
        x, y = rng.random(100), rng.normal(size=100)
        nearest = y[:40][np.abs(x[:, None] - x[None, :40]).argmin(axis=1)]
        residuals = np.abs(y - nearest)
        covered.append(np.mean(residuals[80:] <= calibrate(residuals[first:last]).threshold))
    return float(np.mean(covered)) < 0.88


def _cross(mistake: str, claimed: Callable[[int, int], Fraction]) -> Mutant:
    def exceeded(bound: Callable[[int, int], Fraction]) -> bool:
        rows, rank = 20, split_rank(20, "0.9")
        beats = gate.circle(2 * (rows - rank) + 1)
        return 1 - gate.tournament_coverage(rows, rank, beats) > bound(rank, rows)

    return Mutant(
        "jackknife+",
        mistake,
        "coverage, exact (tournament)",
        lambda: exceeded(claimed),
        lambda: not exceeded(lambda rank, rows: proven_miscoverage(rank, [1] * rows, "plus")[0]),
    )


def _plain_jackknife_fails(centered_at_all_rows: bool) -> bool:
    """Four rows, a learner that predicts 100 from four rows and 1 from three; y is 1."""
    rank, residuals = split_rank(4, "0.6"), np.zeros(4)
    if centered_at_all_rows:
        low = high = 100.0
    else:
        low, high = cross_interval(np.ones((1, 4)), residuals, np.arange(4), rank)[0]
    return not low <= 1.0 <= high


def _guard(mistake: str, part: str, wrong: Callable) -> Mutant:
    def exact(replacement: Callable) -> bool:
        with mock.patch.object(risk_control, part, replacement):
            return gate.recall_failure(0.9, 0.8, 20, EDGE) > 0.1

    def simulated(replacement: Callable) -> bool:
        repeats = 1000
        with mock.patch.object(risk_control, part, replacement):
            found = gate.flat_precision_promises(repeats, 150, 0.4999, seed=1, confidence=0.9)
        return found > 0.1 + 4 * math.sqrt(0.1 * 0.9 / repeats)

    fails, by = (exact, "exact") if part == "assured_rank" else (simulated, "simulated")
    right = {"assured_rank": assured_rank, "passing": _passing}[part]
    return Mutant("guard", mistake, f"coverage, {by}", lambda: fails(wrong), lambda: not fails(right))


def _any_that_passes(tests, failure, procedure, starts) -> list[int]:
    share, hits, trials = tests[0]
    return np.flatnonzero(upper_tail(hits, trials, float(share)) <= float(failure)).tolist()


def _labels_used_twice_fails(twice: bool) -> bool:
    """The best-looking threshold passed as if it were given, or one picked on other rows."""
    rng = np.random.default_rng(2)
    repeats, rows, promised = 1000, 150, 0
    for _ in range(repeats):
        scores, positive = rng.random((2, rows)), rng.random((2, rows)) < 0.4999
        order = np.argsort(-scores[0])
        p_values = upper_tail(np.cumsum(positive[0][order]), np.arange(1, rows + 1), 0.5)
        best = scores[0][order][np.argmin(p_values)]
        use = 0 if twice else 1
        guard = control_rates(scores[use], positive[use], {"precision": 0.5}, thresholds=[best], confidence=0.9)
        promised += guard.feasible
    return promised / repeats > 0.1 + 4 * math.sqrt(0.1 * 0.9 / repeats)


CONFORMAL_MUTANTS = (
    _ranks("+1 dropped", lambda n, p: math.ceil(n * Fraction(p))),
    _ranks("floor for ceiling", lambda n, p: math.floor((n + 1) * Fraction(p))),
    _ranks("rank one lower", lambda n, p: gate.exact_rule(n, p) - 1),
    _ranks("level and its complement swapped", lambda n, p: math.ceil((n + 1) * (1 - Fraction(p)))),
    _ranks("rank clamped to n", lambda n, p: min(gate.exact_rule(n, p), n)),
    Mutant(
        "conformal rank",
        "rank one higher",
        "tightness, exact",
        lambda: _too_wide(lambda n, p: gate.exact_rule(n, p) + 1),
        lambda: not _too_wide(gate.exact_rule),
    ),
    Mutant(
        "conformal rank",
        "floating-point product under the ceiling",
        "twin in whole numbers",
        lambda: _wrong_ranks(lambda n, p: math.ceil((n + 1) * float(p))),
        lambda: not _wrong_ranks(gate.exact_rule),
    ),
    Mutant(
        "conformal rank",
        "interpolated quantile",
        "coverage, simulated",
        lambda: _interpolation_fails(lambda row: float(np.quantile(row, 0.9))),
        lambda: not _interpolation_fails(lambda row: calibrate(row).threshold),
    ),
    Mutant(
        "conformal rank",
        "calibrated on training rows",
        "coverage, simulated",
        lambda: _seen_rows_fail(0, 40),
        lambda: not _seen_rows_fail(40, 80),
    ),
    _floor("delta and 1 - delta swapped", lambda k, n, d: stats.beta(k, n + 1 - k).ppf(1 - d)),
    _floor("Beta(k + 1, n - k)", lambda k, n, d: stats.beta(k + 1, n - k).ppf(d)),
    _floor("twice the failure probability", lambda k, n, d: stats.beta(k, n + 1 - k).ppf(2 * d)),
    _cross("nominal level claimed as proven", lambda rank, n: Fraction(n + 1 - rank, n + 1)),
    _cross("one row too few in the count", lambda rank, n: Fraction(2 * (n - rank), n + 1)),
    Mutant(
        "jackknife+",
        "centered at the model of all rows",
        "exact value",
        lambda: _plain_jackknife_fails(centered_at_all_rows=True),
        lambda: not _plain_jackknife_fails(centered_at_all_rows=False),
    ),
    _guard("rank one lower", "assured_rank", lambda n, p, c: assured_rank(n, p, c) - 1),
    _guard("delta and 1 - delta swapped", "assured_rank", lambda n, p, c: assured_rank(n, p, 1 - c)),
    _guard("rate seen on the rows taken as the true one", "assured_rank", lambda n, p, c: math.ceil(n * p)),
    _guard("no price for searching", "passing", _any_that_passes),
    _guard("level not shared among the starts", "passing", lambda t, f, p, s: _passing(t, f * len(s), p, s)),
    Mutant(
        "guard",
        "labels used twice: threshold picked on the same rows",
        "coverage, simulated",
        lambda: _labels_used_twice_fails(twice=True),
        lambda: not _labels_used_twice_fails(twice=False),
    ),
)
