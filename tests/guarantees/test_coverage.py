"""Every bound fails as rarely as it says."""

import numpy as np
import pytest

from certus.guarantees import mean_bound
from certus.guarantees.holdout.rate import METHODS, RateSetting, rate_bound
from tests.guarantees import bounds, combined_gate, gate

FEWER = {("betting", 1000): 2000, ("star", 5): 1000, ("star", 20): 1000, ("star", 100): 300, ("star", 1000): 60}
SLOW = (("betting", 1000), ("star", 100), ("star", 1000))
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


def _star_fails_rarely(losses, rows, delta):
    """All replicates, by the one candidate whose rejection every failure of the bound implies: as strict at least."""
    drawn = gate.samples(losses, rows, gate.REPLICATES)
    failed = float(np.mean(bounds.star_rejects(drawn, delta, losses.mean)))
    assert failed <= gate.allowed(delta, gate.REPLICATES)


@pytest.mark.parametrize("name", bounds.NAMES)
@pytest.mark.parametrize("losses", gate.DISTRIBUTIONS, ids=lambda losses: losses.name)
def test_mean_bounds_cover(name, losses):
    """10 000 replicates each, except where the betting bounds are slow; those follow in the slow run.

    STaR's own bound is found for few samples, and its failures are counted among 10 000 in a cheaper way.
    """
    for rows in gate.SIZES:
        for delta in gate.DELTAS:
            _simulate(name, losses, rows, delta, FEWER.get((name, rows), gate.REPLICATES))
            if name == "star" and (name, rows) not in SLOW:
                _star_fails_rarely(losses, rows, delta)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "rows"), SLOW)
@pytest.mark.parametrize("losses", gate.DISTRIBUTIONS, ids=lambda losses: losses.name)
def test_betting_bounds_cover_with_all_replicates(name, rows, losses):
    for delta in gate.DELTAS:
        if name == "star":
            _star_fails_rarely(losses, rows, delta)
        else:
            _simulate(name, losses, rows, delta, gate.REPLICATES)


@pytest.mark.parametrize("losses", gate.DISTRIBUTIONS, ids=lambda losses: losses.name)
def test_every_failure_of_star_rejects_the_candidate_below_the_mean(losses):
    """At a level of one half the bound fails often enough to compare both."""
    drawn = gate.samples(losses, 20, 2000)
    failed = bounds.UPPER["star"](drawn, 0.5) < losses.mean
    rejected = bounds.star_rejects(drawn, 0.5, losses.mean)
    assert failed.any()
    assert not (failed & ~rejected).any()
    assert (rejected & ~failed).sum() <= 0.1 * failed.sum()


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


@pytest.mark.parametrize("case", combined_gate.CASES)
def test_combined_measures_cover(case):
    violations, most, _ = combined_gate.CASES[case]()
    assert violations <= most
