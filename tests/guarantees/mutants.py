"""Plausible mistakes, each with the check that must catch it; docs/guarantees.md has the table.

A check takes a bound and says whether it rejects it. It must reject the mutant and accept the original, which is
always the function that the package ships.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import special

from certus.guarantees import auc_bound, error_bound, f_bound, holm, mcnemar, mean_bound
from certus.guarantees.holdout import clopper_pearson, concentration, row_planning
from certus.guarantees.holdout.binomial_tail import bisect
from certus.guarantees.holdout.mean_by_betting import past_variances
from tests.guarantees import bounds, gate, twins

RARE = gate.Losses("rare ones", lambda rng, shape: (rng.random(shape) < 1 / 60).astype(float), 1 / 60, 0.0164)
BERNOULLI = gate.Losses("Bernoulli .095", lambda rng, shape: (rng.random(shape) < 0.095).astype(float), 0.095, 0.086)


@dataclass(frozen=True)
class Mutant:
    """A plausible mistake: the check named by `by` must reject it and accept what the package ships."""

    bound: str
    mistake: str
    by: str
    killed: Callable[[], bool]
    original_passes: Callable[[], bool]


def told_apart(
    bound: str, mistake: str, by: str, rejects: Callable[[Any], bool], mutated: Any, original: Any
) -> Mutant:
    """A mutant whose check is the same function for the mistake and for the original."""
    return Mutant(bound, mistake, by, lambda: rejects(mutated), lambda: not rejects(original))


# --- checks ---------------------------------------------------------------------------------------------------


def fails_by_enumeration(limit: Callable[[int, int, float], float]) -> bool:
    """The upper limit of a rate is wrong more often than delta for some true rate."""
    limits = np.array([limit(k, 20, 0.05) for k in range(21)])
    return gate.worst_violation(limits, 20) > 0.05 * (1 + 1e-9)


def interval_fails_by_enumeration(interval: Callable[[int, int, float], tuple[float, float]]) -> bool:
    ends = np.array([interval(k, 20, 0.05) for k in range(21)])
    return gate.worst_interval_violation(ends[:, 0], ends[:, 1], 20) > 0.05 * (1 + 1e-9)


def fails_in_simulation(losses: gate.Losses, rows: int, delta: float, replicates: int) -> Callable[[Any], bool]:
    def rejects(upper: bounds.Upper) -> bool:
        found = gate.simulate("mutant", upper, losses, rows, delta, replicates)
        return found.violations > found.allowed

    return rejects


def half_width_is_not_the_published_one(half_width: Callable[[], float]) -> bool:
    return abs(half_width() - 0.04295) > 5e-6


def root_is_not_excluded(inverse: Callable[[float, float], float]) -> bool:
    """At the returned rate kl is still below the budget, so the rate cannot be excluded."""
    return concentration.kl(0.03, inverse(0.03, 0.003)) < 0.003


def best_of_20_fails(limit: Callable[[int], float]) -> bool:
    best = np.random.default_rng(8).binomial(100, 0.1, size=(4000, 20)).min(axis=1)
    value = {k: limit(int(k)) for k in np.unique(best)}
    return np.mean([value[k] < 0.1 for k in best]) > gate.allowed(0.1, 4000)


def area_bound_fails(lower: Callable[[np.ndarray, np.ndarray], float]) -> bool:
    """Positives score above all negatives with probability 3/4, else below all: the positives alone decide."""
    rng, replicates, missed = np.random.default_rng(4), 2000, 0
    for _ in range(replicates):
        missed += lower(2.0 * (rng.random(10) < 0.75), np.ones(200)) > 0.75
    return missed / replicates > gate.allowed(0.1, replicates)


def f1_bound_fails(lower: Callable[[int, int, int, int], float]) -> bool:
    rng, replicates = np.random.default_rng(6), 3000
    draws = rng.multinomial(60, [0.1, 0.1, 0.1, 0.7], size=replicates)
    known = {tuple(row): lower(*(int(count) for count in row)) for row in np.unique(draws, axis=0)}
    return np.mean([known[tuple(row)] > 0.5 for row in draws]) > gate.allowed(0.1, replicates)


def differs_from_twin(twin: Callable[..., Any], *cases: tuple[Any, ...]) -> Callable[[Any], bool]:
    def rejects(function: Callable[..., Any]) -> bool:
        return any(not np.allclose(function(*case), np.array(twin(*case), dtype=float), rtol=1e-9) for case in cases)

    return rejects


# --- mutants --------------------------------------------------------------------------------------------------


def without_plus_one(k: int, n: int, delta: float) -> float:
    return 0.0 if k == 0 else float(special.betainccinv(float(k), n - k + 1.0, delta))


def swapped(k: int, n: int, delta: float) -> float:
    return clopper_pearson.upper(k, n, 1.0 - delta)


def mid_p(k: int, n: int, delta: float) -> float:
    def tail(p: float) -> float:
        return 0.5 * (special.bdtr(k, n, p) + (special.bdtr(k - 1, n, p) if k else 0.0))

    return 1.0 if k == n else bisect(lambda p: tail(p) > delta, k / n, 1.0)


def one_sided_at_both_ends(k: int, n: int, delta: float) -> tuple[float, float]:
    return clopper_pearson.lower(k, n, delta), clopper_pearson.upper(k, n, delta)


def both_ends(k: int, n: int, delta: float) -> tuple[float, float]:
    low, high = error_bound(k, n, confidence=float(f"{1 - delta:.4f}"), side="both").value
    return low, high


def inner_end(mean: float, budget: float) -> float:
    low, high = mean, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if concentration.kl(mean, middle) <= budget else (low, middle)
    return low


def without_second_term(samples: np.ndarray, delta: float) -> np.ndarray:
    variances = samples.var(axis=1, ddof=1)
    return samples.mean(axis=1) + np.sqrt(2 * variances * math.log(2 / delta) / samples.shape[1])


def rejecting_the_mean(mean: float, rejects: Callable[[np.ndarray, float, float], np.ndarray]) -> bounds.Upper:
    """A betting mutant as an upper bound: below the true mean exactly where the true mean is rejected."""
    return lambda samples, delta: np.where(rejects(samples, mean, -math.log(delta)), 0.0, 1.0)


def halves_added(samples: np.ndarray, mean: float, level: float) -> np.ndarray:
    """The largest capital of the first half plus that of the second."""
    variances = np.array([past_variances(row) for row in samples])
    bets = np.minimum(np.sqrt(2.0 * level / (samples.shape[1] * variances)), 0.75 / (1.0 - mean))
    paths, half = np.cumsum(np.log1p(-bets * (samples - mean)), axis=1), samples.shape[1] // 2
    second = paths[:, half:] - paths[:, half - 1 : half]
    return np.logaddexp(paths[:, :half].max(axis=1), second.max(axis=1)) >= level


def seeing_the_current_row(samples: np.ndarray, mean: float, level: float) -> np.ndarray:
    """STaR bets whose variance has already seen the row that is bet on."""
    rows = samples.shape[1]
    variances = np.array([past_variances(np.append(row, 0.0))[1:] for row in samples])
    missing = np.full(len(samples), level)
    for t in range(rows):
        bets = np.sqrt(2.0 * np.maximum(missing, 0.0) / ((rows - t) * variances[:, t]))
        missing -= np.log1p(-np.minimum(bets, 0.95 / (1.0 - mean)) * (samples[:, t] - mean))
    return missing <= 0.0


def area_with_all_rows(ups: np.ndarray, downs: np.ndarray) -> float:
    return 1.0 - concentration.kl_upper(1.0 - float((ups > 1).mean()), math.log(10.0) / (len(ups) + len(downs)))


def f1_of_all_rows(hits: int, alarms: int, misses: int, rest: int) -> float:
    q = clopper_pearson.lower(hits + rest, hits + alarms + misses + rest, 0.1)
    return 2 * q / (1 + q)


def f1_shipped(hits: int, alarms: int, misses: int, _rest: int) -> float:
    return f_bound(hits, alarms, misses, confidence=0.9).value if hits + alarms + misses else 0.0


def hoeffding_half_width() -> float:
    low, high = mean_bound(np.full(1000, 0.5), side="both", method="hoeffding").value
    return (high - low) / 2


def without_running_maximum(pvalues: list[float]) -> list[float]:
    order = np.argsort(pvalues)
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.minimum(1.0, np.array(pvalues)[order] * np.arange(len(pvalues), 0, -1))
    return list(adjusted)


BY_ENUMERATION, BY_SIMULATION = "coverage, enumerated", "coverage, simulated"
HALVES = rejecting_the_mean(0.095, halves_added)
CURRENT = rejecting_the_mean(1 / 60, seeing_the_current_row)
SKEWED = fails_in_simulation(gate.DISTRIBUTIONS[1], 20, 0.05, 4000)
COUNTED = differs_from_twin(lambda k: twins.rows_for_errors(k, Fraction(7, 100), Fraction(1, 20)), (0,), (3,))
MCNEMAR = differs_from_twin(lambda a, b: float(twins.mcnemar(a, b)), (30, 15), (3, 9))

MUTANTS = (
    told_apart(
        "Clopper-Pearson",
        "+1 dropped",
        BY_ENUMERATION,
        fails_by_enumeration,
        without_plus_one,
        clopper_pearson.upper,
    ),
    told_apart(
        "Clopper-Pearson",
        "delta and 1 - delta swapped",
        BY_ENUMERATION,
        fails_by_enumeration,
        swapped,
        clopper_pearson.upper,
    ),
    told_apart(
        "Clopper-Pearson",
        "mid-p instead of the full tail",
        BY_ENUMERATION,
        fails_by_enumeration,
        mid_p,
        clopper_pearson.upper,
    ),
    told_apart(
        "Clopper-Pearson",
        "one-sided level at both ends",
        BY_ENUMERATION,
        interval_fails_by_enumeration,
        one_sided_at_both_ends,
        both_ends,
    ),
    told_apart(
        "Hoeffding",
        "one-sided level for a two-sided claim",
        "exact value .04295",
        half_width_is_not_the_published_one,
        lambda: math.sqrt(math.log(20) / 2000),
        hoeffding_half_width,
    ),
    told_apart(
        "kl inverse",
        "inner end of the bisection returned",
        "kl at the root, recomputed",
        root_is_not_excluded,
        inner_end,
        concentration.kl_upper,
    ),
    told_apart(
        "empirical Bernstein",
        "second term dropped",
        BY_SIMULATION,
        SKEWED,
        without_second_term,
        bounds.UPPER["empirical-bernstein"],
    ),
    told_apart(
        "betting",
        "maxima of the halves added",
        BY_SIMULATION,
        fails_in_simulation(BERNOULLI, 100, 0.1, 3000),
        HALVES,
        bounds.UPPER["betting"],
    ),
    told_apart(
        "STaR",
        "current row used in its bet",
        BY_SIMULATION,
        fails_in_simulation(RARE, 600, 0.1, 800),
        CURRENT,
        bounds.UPPER["star"],
    ),
    told_apart(
        "selection",
        "candidates not counted",
        BY_SIMULATION,
        best_of_20_fails,
        lambda k: error_bound(k, 100, confidence=0.9).value,
        lambda k: error_bound(k, 100, confidence=0.9, uses=20).value,
    ),
    told_apart(
        "area under the curve",
        "all rows counted instead of the smaller class",
        BY_SIMULATION,
        area_bound_fails,
        area_with_all_rows,
        lambda ups, downs: auc_bound(ups, downs, confidence=0.9).value,
    ),
    told_apart("F1", "rows outside the positives counted", BY_SIMULATION, f1_bound_fails, f1_of_all_rows, f1_shipped),
    told_apart(
        "McNemar",
        "one tail instead of two",
        "slow twin",
        MCNEMAR,
        lambda a, b: mcnemar(max(a, b), min(a, b), alternative="greater").pvalue,
        lambda a, b: mcnemar(a, b).pvalue,
    ),
    told_apart(
        "Holm",
        "running maximum left out",
        "slow twin",
        differs_from_twin(twins.holm, ([0.01, 0.04, 0.03],)),
        without_running_maximum,
        holm,
    ),
    told_apart(
        "planning",
        "one row too few",
        "slow twin",
        COUNTED,
        lambda k: row_planning.rows_for_errors(k, 0.07, 0.05) - 1,
        lambda k: row_planning.rows_for_errors(k, 0.07, 0.05),
    ),
)
