"""Plausible mistakes, each with the check that must catch it; docs/guarantees.md has the table."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from certus.guarantees import _kernels, concentration
from certus.guarantees.betting_checks import past_variances
from certus.guarantees.binomial_tail import bisect
from tests.guarantees import gate


@dataclass(frozen=True)
class Mutant:
    """A wrong bound and how it is killed.

    `killed()` runs the check named by `by` and returns True if it rejects the mutant; `original_passes()` runs
    the same check on the correct bound.
    """

    bound: str
    mistake: str
    by: str
    killed: Callable[[], bool]
    original_passes: Callable[[], bool]


def _enumerated(limit: Callable[[int, int, float], float], rows: int = 20, delta: float = 0.05) -> bool:
    """True if the count-based upper limit fails more often than delta for some rate."""
    limits = np.array([limit(k, rows, delta) for k in range(rows + 1)])
    return gate.worst_violation(limits, rows) > delta * (1 + 1e-9)


def _cp(k: int, n: int, delta: float) -> float:
    return 1.0 if k == n else float(special.betainccinv(k + 1.0, n - k, delta))


def _cp_without_plus_one(k: int, n: int, delta: float) -> float:
    return 0.0 if k == 0 else float(special.betainccinv(float(k), n - k + 1.0, delta))


def _interval_fails(share: float) -> bool:
    rows, delta = 20, 0.05
    high = np.array([_cp(k, rows, delta * share) for k in range(rows + 1)])
    return gate.worst_interval_violation(1.0 - high[::-1], high, rows) > delta * (1 + 1e-9)


def _simulation_fails(
    upper: Callable[[np.ndarray, float], np.ndarray], losses: gate.Losses, rows: int, delta: float, replicates: int
) -> bool:
    found = gate.simulate("mutant", upper, losses, rows, delta, replicates)
    return found.violations > found.allowed


RARE = gate.Losses("rare ones", lambda rng, shape: (rng.random(shape) < 1 / 60).astype(float), 1 / 60, 0.0164)
BERNOULLI = gate.Losses(
    "Bernoulli .095", lambda rng, shape: (rng.random(shape) < 0.095).astype(float), 0.095, 0.086
)


def _log_paths(samples: np.ndarray, mean: float, level: float) -> np.ndarray:
    variances = np.array([past_variances(row) for row in samples])
    bets = np.minimum(np.sqrt(2.0 * level / (samples.shape[1] * variances)), 0.75 / (1.0 - mean))
    return np.cumsum(np.log1p(-bets * (samples - mean)), axis=1)


def _at_the_true_mean(rejects: Callable[[np.ndarray, float, float], np.ndarray], mean: float) -> Callable:
    """A betting mutant as an upper bound: below the true mean exactly where the true mean is rejected."""

    def upper(samples: np.ndarray, delta: float) -> np.ndarray:
        return np.where(rejects(samples, mean, -math.log(delta)), 0.0, 1.0)

    return upper


def _whole_path(samples: np.ndarray, mean: float, level: float) -> np.ndarray:
    return _log_paths(samples, mean, level).max(axis=1) >= level


def _halves_added(samples: np.ndarray, mean: float, level: float) -> np.ndarray:
    """The maxima of the two halves of the path are added as capitals."""
    paths = _log_paths(samples, mean, level)
    half = samples.shape[1] // 2
    first = paths[:, :half].max(axis=1)
    second = (paths[:, half:] - paths[:, half - 1 : half]).max(axis=1)
    return np.logaddexp(first, second) >= level


def _star_rejects(samples: np.ndarray, mean: float, level: float, *, current_row: bool) -> np.ndarray:
    """STaR bets whose variance comes from the past rows, or, as a mistake, also from the current row."""
    rows = samples.shape[1]
    variances = np.array([past_variances(row) for row in samples])
    if current_row:
        variances = np.hstack(
            [variances[:, 1:], np.array([[past_variances(np.append(r, 0.0))[-1]] for r in samples])]
        )
    missing = np.full(len(samples), level)
    for t in range(rows):
        bets = np.sqrt(2.0 * np.maximum(missing, 0.0) / ((rows - t) * variances[:, t]))
        missing -= np.log1p(-np.minimum(bets, 0.95 / (1.0 - mean)) * (samples[:, t] - mean))
    return missing <= 0.0


def _eb_without_second_term(samples: np.ndarray, delta: float) -> np.ndarray:
    n = samples.shape[1]
    return samples.mean(axis=1) + np.sqrt(2 * samples.var(axis=1, ddof=1) * math.log(2 / delta) / n)


def _eb(samples: np.ndarray, delta: float) -> np.ndarray:
    n = samples.shape[1]
    return _eb_without_second_term(samples, delta) + 7 * math.log(2 / delta) / (3 * (n - 1))


def _best_of_20_fails(paid: bool) -> bool:
    rng = np.random.default_rng(8)
    best = rng.binomial(100, 0.1, size=(4000, 20)).min(axis=1)
    limit = np.array([_cp(k, 100, 0.1 / (20 if paid else 1)) for k in range(101)])
    return bool(np.mean(limit[best] < 0.1) > gate.allowed(0.1, 4000))


def _auc_fails(rows_of: Callable[[int, int], int]) -> bool:
    rng, ups, downs, replicates = np.random.default_rng(4), 10, 200, 2000
    truth, missed = 0.75, 0
    for _ in range(replicates):
        # Positives score above all negatives with probability 3/4 and below all else: the positives decide alone.
        area = (rng.random(ups) < truth).mean()
        missed += 1.0 - concentration.kl_upper(1.0 - area, math.log(10.0) / rows_of(ups, downs)) > truth
    return missed / replicates > gate.allowed(0.1, replicates)


def _f1_fails(of_all_rows: bool) -> bool:
    """F1 from the share of hits among the rows that matter, or, as a mistake, of the accuracy of all rows."""
    rng, replicates, rows = np.random.default_rng(6), 4000, 60
    shares = [0.1, 0.1, 0.1, 0.7]
    truth, missed = 2 * 0.1 / (2 * 0.1 + 0.2), 0
    for hits, alarms, misses, rest in rng.multinomial(rows, shares, size=replicates):
        events, total = (hits + rest, rows) if of_all_rows else (hits, hits + alarms + misses)
        q = 1.0 - _cp(total - events, total, 0.1) if total else 0.0
        missed += 2 * q / (1 + q) > truth
    return missed / replicates > gate.allowed(0.1, replicates)


def _star_grid_bisected(samples: np.ndarray, delta: float) -> np.ndarray:
    return _kernels.star_upper(samples, -math.log(delta)) * (1.0 - 0.5 / math.sqrt(samples.shape[1]))


def _kl_inner_end(mean: float, budget: float) -> float:
    """The inverse stopped early at the end that is still inside."""
    low, high = mean, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if concentration.kl(mean, middle) <= budget else (low, middle)
    return low


def _kl_unsafe(inverse: Callable[[float, float], float]) -> bool:
    """True if the returned point is not excluded: kl there is below the budget."""
    return concentration.kl(0.03, inverse(0.03, 0.003)) < 0.003


MUTANTS = (
    Mutant(
        "Clopper-Pearson",
        "+1 dropped",
        "coverage, enumerated",
        lambda: _enumerated(_cp_without_plus_one),
        lambda: not _enumerated(_cp),
    ),
    Mutant(
        "Clopper-Pearson",
        "delta and 1 - delta swapped",
        "coverage, enumerated",
        lambda: _enumerated(lambda k, n, d: _cp(k, n, 1 - d)),
        lambda: not _enumerated(_cp),
    ),
    Mutant(
        "Clopper-Pearson",
        "one-sided level at both ends",
        "coverage, enumerated",
        lambda: _interval_fails(1.0),
        lambda: not _interval_fails(0.5),
    ),
    Mutant(
        "Clopper-Pearson",
        "mid-p instead of the full tail",
        "coverage, enumerated",
        lambda: _enumerated(
            lambda k, n, d: (
                1.0
                if k == n
                else bisect(
                    lambda p: 0.5 * (special.bdtr(k, n, p) + (special.bdtr(k - 1, n, p) if k else 0.0)) > d,
                    k / n,
                    1.0,
                )
            )
        ),
        lambda: not _enumerated(_cp),
    ),
    Mutant(
        "Hoeffding",
        "one-sided level for a two-sided claim",
        "exact value .04295",
        lambda: abs(math.sqrt(math.log(1 / 0.05) / 2000) - 0.04295) > 5e-5,
        lambda: abs(math.sqrt(math.log(2 / 0.05) / 2000) - 0.04295) < 5e-5,
    ),
    Mutant(
        "kl inverse",
        "inner end of the bisection returned",
        "kl at the root, recomputed",
        lambda: _kl_unsafe(_kl_inner_end),
        lambda: not _kl_unsafe(concentration.kl_upper),
    ),
    Mutant(
        "empirical Bernstein",
        "second term dropped",
        "coverage, simulated",
        lambda: _simulation_fails(_eb_without_second_term, gate.DISTRIBUTIONS[1], 20, 0.05, 4000),
        lambda: not _simulation_fails(_eb, gate.DISTRIBUTIONS[1], 20, 0.05, 4000),
    ),
    Mutant(
        "betting",
        "maxima of the halves added",
        "coverage, simulated",
        lambda: _simulation_fails(_at_the_true_mean(_halves_added, 0.095), BERNOULLI, 100, 0.1, 3000),
        lambda: not _simulation_fails(_at_the_true_mean(_whole_path, 0.095), BERNOULLI, 100, 0.1, 3000),
    ),
    Mutant(
        "STaR",
        "current row used in its bet",
        "coverage, simulated",
        lambda: _simulation_fails(
            _at_the_true_mean(lambda x, m, level: _star_rejects(x, m, level, current_row=True), 1 / 60),
            RARE,
            600,
            0.1,
            1000,
        ),
        lambda: (
            not _simulation_fails(
                _at_the_true_mean(lambda x, m, level: _star_rejects(x, m, level, current_row=False), 1 / 60),
                RARE,
                600,
                0.1,
                1000,
            )
        ),
    ),
    Mutant(
        "selection",
        "candidates not counted",
        "coverage, simulated",
        lambda: _best_of_20_fails(paid=False),
        lambda: not _best_of_20_fails(paid=True),
    ),
    Mutant(
        "area under the curve",
        "all rows counted instead of the smaller class",
        "coverage, simulated",
        lambda: _auc_fails(lambda ups, downs: ups + downs),
        lambda: not _auc_fails(min),
    ),
    Mutant(
        "F1",
        "rows outside the positives counted",
        "coverage, simulated",
        lambda: _f1_fails(of_all_rows=True),
        lambda: not _f1_fails(of_all_rows=False),
    ),
)
