"""Every bound fails as rarely as it says."""

import numpy as np
import pytest

from certus.guarantees import balanced_accuracy_bound, f_bound, mean_bound
from certus.guarantees.rate import METHODS, RateSetting, rate_bound
from certus.guarantees.selection import discordant_counts, not_excluded, worse_pvalues
from tests.guarantees import bounds, gate

FEWER = {("betting", 1000): 2000, ("star", 100): 1500, ("star", 1000): 200}
RELATIVE = 1.0 + 1e-9  # the enumeration's own rounding


def limits(rows, delta, side, method):
    setting = RateSetting(confidence=float(f"{1 - delta:.4f}"), side=side, method=method)
    return np.array([rate_bound(k, rows, setting).value for k in range(rows + 1)])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("side", ["upper", "lower"])
@pytest.mark.parametrize("rows", [1, *gate.SIZES[:3]])
@pytest.mark.parametrize("delta", gate.DELTAS)
def test_rate_bounds_cover_for_every_true_rate(method, side, rows, delta):
    assert gate.worst_violation(limits(rows, delta, side, method), rows, side) <= delta * RELATIVE


@pytest.mark.parametrize("delta", gate.DELTAS)
def test_clopper_pearson_covers_with_1000_rows_and_wastes_nothing(delta):
    worst = gate.worst_violation(limits(1000, delta, "upper", "clopper-pearson"), 1000)
    assert delta * (1 - 1e-6) <= worst <= delta * RELATIVE


@pytest.mark.parametrize("rows", gate.SIZES[:3])
@pytest.mark.parametrize("delta", gate.DELTAS)
def test_two_sided_rate_bound_covers(rows, delta):
    ends = limits(rows, delta, "both", "clopper-pearson")
    assert gate.worst_interval_violation(ends[:, 0], ends[:, 1], rows) <= delta * RELATIVE


def _simulate(name, losses, rows, delta, replicates):
    found = gate.simulate(name, bounds.bound_for(name, losses.variance), losses, rows, delta, replicates)
    assert found.violations <= found.allowed, found


@pytest.mark.parametrize("name", bounds.NAMES)
@pytest.mark.parametrize("losses", gate.DISTRIBUTIONS, ids=lambda losses: losses.name)
def test_mean_bounds_cover(name, losses):
    """10 000 replicates each, except where the betting bounds are slow; those follow in the slow run."""
    for rows in gate.SIZES:
        for delta in gate.DELTAS:
            _simulate(name, losses, rows, delta, FEWER.get((name, rows), gate.REPLICATES))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "rows"), list(FEWER))
@pytest.mark.parametrize("losses", gate.DISTRIBUTIONS, ids=lambda losses: losses.name)
def test_betting_bounds_cover_with_all_replicates(name, rows, losses):
    for delta in gate.DELTAS:
        _simulate(name, losses, rows, delta, gate.REPLICATES)


@pytest.mark.parametrize("name", ["betting", "star"])
def test_betting_covers_rare_ones(name):
    """Losses that are 1 in one row of 60: here a bet that has seen its own row fails in 24 of 100 samples."""
    rare = gate.Losses("rare ones", lambda rng, shape: (rng.random(shape) < 1 / 60).astype(float), 1 / 60, 0.0164)
    _simulate(name, rare, 600, 0.1, 1000)


@pytest.mark.parametrize("method", ["hoeffding", "kl", "hoeffding-bentkus", "empirical-bernstein", "betting", "star"])
def test_two_sided_mean_bound_covers_both_ends_together(method):
    losses, rows, replicates = gate.DISTRIBUTIONS[3], 20, 600
    drawn = gate.samples(losses, rows, replicates)
    ends = np.array([mean_bound(row, side="both", method=method, confidence=0.9).value for row in drawn])
    missed = np.mean((ends[:, 0] > losses.mean) | (ends[:, 1] < losses.mean))
    assert missed <= gate.allowed(0.1, replicates)


def test_unequal_ranges_cover():
    rng = np.random.default_rng(5)
    high = np.array([1.0, 10.0] * 10)
    drawn = (rng.random((5000, 20)) < 0.3) * high
    values = [mean_bound(row, low=0.0, high=high, method="hoeffding", confidence=0.9).value for row in drawn[:800]]
    assert np.mean(np.array(values) < 0.3 * high.mean()) <= gate.allowed(0.1, 800)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_f_measure_covers_by_enumeration(beta):
    """All outcomes of 30 rows among hits, false alarms, misses and the rest."""
    shares = np.array([0.35, 0.1, 0.05])
    truth = (1 + beta**2) * shares[0] / ((1 + beta**2) * shares[0] + beta**2 * shares[2] + shares[1])
    rows, missed, total = 30, 0.0, 0.0
    from scipy.stats import multinomial

    law = multinomial(rows, [*shares, 1 - shares.sum()])
    for hits in range(rows + 1):
        for alarms in range(rows + 1 - hits):
            for misses in range(rows + 1 - hits - alarms):
                weight = law.pmf([hits, alarms, misses, rows - hits - alarms - misses])
                total += weight
                if weight > 1e-9 and hits + alarms + misses:
                    value = f_bound(hits, alarms, misses, beta=beta, confidence=0.9).value
                    missed += weight * (value > truth)
    assert total == pytest.approx(1.0)
    assert missed <= 0.1


def test_balanced_accuracy_covers_by_enumeration():
    rates, rows = (0.9, 0.6), (12, 20)
    from scipy.stats import binom

    missed = sum(
        binom.pmf(a, rows[0], rates[0])
        * binom.pmf(b, rows[1], rates[1])
        * (balanced_accuracy_bound([a, b], rows, confidence=0.9).value > sum(rates) / 2)
        for a in range(rows[0] + 1)
        for b in range(rows[1] + 1)
    )
    assert missed <= 0.1


@pytest.mark.parametrize(("ups", "downs"), [(5, 20), (20, 20), (60, 15)])
def test_area_under_the_curve_covers(ups, downs):
    from scipy.stats import norm

    from certus.guarantees import auc_bound

    rng, replicates = np.random.default_rng([ups, downs]), 4000
    truth = norm.cdf(1.0 / np.sqrt(2.0))
    values = [
        auc_bound(rng.normal(1.0, 1.0, ups), rng.normal(0.0, 1.0, downs), confidence=0.9).value
        for _ in range(replicates)
    ]
    assert np.mean(np.array(values) > truth) <= gate.allowed(0.1, replicates)


def test_best_of_many_is_paid_for():
    """20 equally bad candidates: the winner's bound must still hold."""
    from certus.guarantees import error_bound

    rng, replicates, candidates, rows = np.random.default_rng(8), 4000, 20, 100
    best = rng.binomial(rows, 0.1, size=(replicates, candidates)).min(axis=1)
    value = {k: error_bound(int(k), rows, confidence=0.9, uses=candidates).value for k in np.unique(best)}
    assert np.mean([value[k] < 0.1 for k in best]) <= gate.allowed(0.1, replicates)


def test_shortlist_keeps_the_best():
    rng, replicates, rows = np.random.default_rng(9), 1500, 60
    rates, lost = (
        np.array([0.2, 0.2, 0.2, 0.35]),
        0,
    )  # the first three are all best: any of them may be asked about
    for _ in range(replicates):
        wrong = rng.random((4, rows)) < rates[:, None]
        lost += 0 not in not_excluded(worse_pvalues(discordant_counts(wrong)), 0.9)
    assert lost / replicates <= gate.allowed(0.1, replicates)
