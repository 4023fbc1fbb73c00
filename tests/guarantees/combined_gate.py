"""Truth gate of measures that combine several rates: F-measure, balanced accuracy, area, best of many, shortlist.

Every function returns (share of wrong claims, largest share that a valid claim may show, mean excess or None).
"""

import itertools

import numpy as np
from scipy import stats

from certus.guarantees import auc_bound, balanced_accuracy_bound, error_bound, f_bound
from certus.guarantees.holdout.selection import discordant_counts, not_excluded, worse_pvalues
from tests.guarantees.gate import allowed

Finding = tuple[float, float, float | None]
DELTA = 0.1


def f_measure(beta: float, rows: int = 30) -> Finding:
    """All outcomes of `rows` rows among hits, false alarms, misses and the rest: exact."""
    shares = np.array([0.35, 0.1, 0.05])
    truth = (1 + beta**2) * shares[0] / ((1 + beta**2) * shares[0] + beta**2 * shares[2] + shares[1])
    law = stats.multinomial(rows, [*shares, 1 - shares.sum()])
    missed = excess = 0.0
    for hits, alarms, misses in itertools.product(range(rows + 1), repeat=3):
        rest = rows - hits - alarms - misses
        if rest < 0 or hits + alarms + misses == 0:
            continue
        weight = law.pmf([hits, alarms, misses, rest])
        if weight > 1e-10:
            value = f_bound(hits, alarms, misses, beta=beta, confidence=1 - DELTA).value
            missed, excess = missed + weight * (value > truth), excess + weight * (truth - value)
    return float(missed), DELTA, float(excess)


def balanced_accuracy(rates: tuple[float, float] = (0.9, 0.6), rows: tuple[int, int] = (12, 20)) -> Finding:
    """All outcomes of two classes: exact."""
    truth, missed, excess = sum(rates) / 2, 0.0, 0.0
    for a, b in itertools.product(range(rows[0] + 1), range(rows[1] + 1)):
        weight = stats.binom.pmf(a, rows[0], rates[0]) * stats.binom.pmf(b, rows[1], rates[1])
        value = balanced_accuracy_bound([a, b], rows, confidence=1 - DELTA).value
        missed, excess = missed + weight * (value > truth), excess + weight * (truth - value)
    return float(missed), DELTA, float(excess)


def area(ups: int, downs: int, replicates: int = 4000) -> Finding:
    """Normal scores one standard deviation apart."""
    rng, truth = np.random.default_rng([ups, downs]), stats.norm.cdf(1.0 / np.sqrt(2.0))
    values = np.empty(replicates)
    for i in range(replicates):
        values[i] = auc_bound(rng.normal(1, 1, ups), rng.normal(0, 1, downs), confidence=1 - DELTA).value
    return float(np.mean(values > truth)), allowed(DELTA, replicates), float(np.mean(truth - values))


def best_of_many(candidates: int = 20, rows: int = 100, replicates: int = 4000) -> Finding:
    """Equally bad candidates: the bound of the winner, which is the luckiest."""
    rng = np.random.default_rng(8)
    best = rng.binomial(rows, 0.1, size=(replicates, candidates)).min(axis=1)
    known = {k: error_bound(int(k), rows, confidence=1 - DELTA, uses=candidates).value for k in np.unique(best)}
    values = np.array([known[k] for k in best])
    return float(np.mean(values < 0.1)), allowed(DELTA, replicates), float(np.mean(values - 0.1))


def shortlist(rows: int = 60, replicates: int = 1500) -> Finding:
    """Three candidates are equally good, one is worse: is the first of the best ever excluded?"""
    rng, rates, lost = np.random.default_rng(9), np.array([0.2, 0.2, 0.2, 0.35]), 0
    for _ in range(replicates):
        wrong = rng.random((4, rows)) < rates[:, None]
        lost += 0 not in not_excluded(worse_pvalues(discordant_counts(wrong)), 1 - DELTA)
    return lost / replicates, allowed(DELTA, replicates), None


CASES = {
    "F1, 30 rows, enumerated": lambda: f_measure(1.0),
    "F2, 30 rows, enumerated": lambda: f_measure(2.0),
    "F0.5, 30 rows, enumerated": lambda: f_measure(0.5),
    "balanced accuracy, 12 and 20 rows, enumerated": balanced_accuracy,
    "area under the ROC curve, 5 and 20 rows": lambda: area(5, 20),
    "area under the ROC curve, 20 and 20 rows": lambda: area(20, 20),
    "area under the ROC curve, 60 and 15 rows": lambda: area(60, 15),
    "error of the best of 20, 100 rows": best_of_many,
    "shortlist of 4, 60 rows": shortlist,
}
