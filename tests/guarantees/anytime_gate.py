"""The truth gate of what holds at every look: how often is a bound, or an alarm, wrong at any time?

For 0/1 losses the probability of ever being wrong within a horizon is computed exactly, row by row, over all paths
of the count. Everything else is simulated, and every row of every stream is looked at.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from certus.guarantees.monitoring import alarm_ladder, beta_mixture, gamma_mixture, restarts
from certus.guarantees.monitoring.alarm_ladder import Rung
from certus.guarantees.monitoring.rate_evidence import EXPONENT, RateEvidence
from certus.guarantees.monitoring.sequence_certificate import SequenceSetting
from tests.guarantees import gate

HORIZON = 60
RATES = (0.005, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.99)
REFERENCE_ROWS = 20

# wrong[n - 1, k]: after n rows with k events the rate in question is excluded, or the alarm sounds
Wrong = np.ndarray


def counts(horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and events of every cell; cells with more events than rows repeat the last that is possible."""
    rows = np.arange(1, horizon + 1)[:, None]
    return rows, np.minimum(np.arange(horizon + 1)[None, :], rows)


def by_row(wrong: Wrong, rate: float) -> np.ndarray:
    """Probability, row by row, that a stream of independent rows with this rate has met a wrong cell: exact."""
    alive, lost = np.zeros(wrong.shape[1]), []
    alive[0] = 1.0
    for cells in wrong:
        moved = alive * (1.0 - rate)
        moved[1:] += alive[:-1] * rate
        lost.append(float(moved[cells].sum()))
        alive = np.where(cells, 0.0, moved)
    return np.cumsum(lost)


def ever(wrong: Wrong, rate: float) -> float:
    """Probability that such a stream ever meets a wrong cell within the horizon."""
    return float(by_row(wrong, rate)[-1])


def excluded(side: str, rate: float, delta: float, horizon: int = HORIZON) -> Wrong:
    """Where the shipped beta-binomial sequence excludes the rate."""
    rows, events = counts(horizon)
    level = beta_mixture.SLIP - math.log(delta)
    if side == "both":
        return beta_mixture.log_evidence(events, rows, rate, (0.5, 0.5)) >= level
    if side == "upper":
        events, rate = rows - events, 1.0 - rate
    return beta_mixture.log_evidence_above(events, rows, rate, 1.0) >= level


def worst_sequence(side: str, delta: float, horizon: int = HORIZON) -> float:
    """Largest probability, over the rates, that the sequence ever excludes the true rate."""
    return max(ever(excluded(side, rate, delta, horizon), rate) for rate in RATES)


# --- alarms ---------------------------------------------------------------------------------------------------

Ladder = Callable[[int, int, float], tuple[Rung, ...]]
Evidence = Callable[[np.ndarray, np.ndarray, float], np.ndarray]


def shipped_ladder(events: int, rows: int, delta: float) -> tuple[Rung, ...]:
    return alarm_ladder.from_counts(events, rows, delta, 0.0)


def shipped_evidence(events: np.ndarray, rows: np.ndarray, threshold: float) -> np.ndarray:
    """Of the gambler who starts at once; restarts are simulated."""
    return restarts.log_weight(0) + beta_mixture.log_evidence_above(events, rows, threshold, EXPONENT)


def alarms(rungs: tuple[Rung, ...], evidence: Evidence = shipped_evidence, horizon: int = HORIZON) -> Wrong:
    """Where every rung has its evidence."""
    rows, events = counts(horizon)
    found = np.ones((horizon, horizon + 1), dtype=bool)
    for rung in rungs:
        if rung.threshold >= 1.0:
            return np.zeros_like(found)
        found &= evidence(events, rows, rung.threshold) >= beta_mixture.SLIP - math.log(rung.level)
    return found


def worst_false_alarm(delta: float, ladder: Ladder = shipped_ladder, evidence: Evidence = shipped_evidence) -> float:
    """Largest probability of an alarm, reference and stream both at the same rate or the stream below it."""
    tables = [alarms(ladder(k, REFERENCE_ROWS, delta), evidence) for k in range(REFERENCE_ROWS + 1)]
    worst = 0.0
    for rate in RATES[:8]:
        chances = stats.binom.pmf(np.arange(REFERENCE_ROWS + 1), REFERENCE_ROWS, rate)
        for stream in (rate, rate / 4):
            found = sum(chance * ever(table, stream) for chance, table in zip(chances, tables, strict=True))
            worst = max(worst, float(found))
    return worst


def median_alarm(rate: float, delta: float = 0.05, horizon: int = 300) -> int | None:
    """The row by which half of all streams have alarmed, for a reference with 50 errors in 1000 rows: exact."""
    alarmed = by_row(alarms(shipped_ladder(50, 1000, delta), horizon=horizon), rate)
    return int(np.argmax(alarmed >= 0.5)) + 1 if alarmed[-1] >= 0.5 else None


def restarted_false_alarms(streams: int, rows: int, window: int, evidence: type[RateEvidence] = RateEvidence) -> float:
    """Share of streams at the threshold itself that ever alarm at level 0.1, with restarts after every window."""
    rungs, rng = alarm_ladder.from_threshold(0.1, 0.1), np.random.default_rng(11)
    drawn = (rng.random((streams, rows)) < 0.1).astype(float)
    return sum(evidence(rungs, window).advance(stream) is not None for stream in drawn) / streams


# --- gamma-exponential sequences ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stream:
    """Losses in [0, 1] with the conditional mean of every row."""

    name: str
    draw: Callable[[np.random.Generator, int, int], np.ndarray]
    means: Callable[[int], np.ndarray]


def _steady(losses: gate.Losses) -> Stream:
    return Stream(
        losses.name, lambda rng, n, rows: losses.draw(rng, (n, rows)), lambda rows: np.full(rows, losses.mean)
    )


def _waves(rows: int) -> np.ndarray:
    return 0.1 + 0.3 * (np.arange(rows) // 25 % 2)


STREAMS = (
    *(_steady(losses) for losses in gate.DISTRIBUTIONS),
    Stream("rate moves between .1 and .4", lambda rng, n, rows: (rng.random((n, rows)) < _waves(rows)) * 1.0, _waves),
)
Spread = Callable[[np.ndarray], np.ndarray]


def past_spread(drawn: np.ndarray) -> np.ndarray:
    """V of every row: squared distances from the mean of the rows before, which begins at one half."""
    before = np.cumsum(drawn, axis=1) - drawn
    return np.cumsum((drawn - (0.5 + before) / np.arange(1, drawn.shape[1] + 1)) ** 2, axis=1)


@functools.lru_cache(maxsize=2)
def _paths(stream: Stream, replicates: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    drawn = stream.draw(np.random.default_rng([7, *stream.name.encode()]), replicates, rows)
    return drawn, np.cumsum(drawn - stream.means(rows), axis=1)


def gamma_violations(
    stream: Stream,
    delta: float,
    replicates: int,
    rows: int,
    spread: Spread = past_spread,
    parts: int = 2,
    tuned_variance: float = 50.0,
) -> float:
    """Share of streams for which the two-sided sequence misses the average conditional mean at any row."""
    drawn, deviations = _paths(stream, replicates, rows)
    confidence = float(f"{1 - delta:.4f}")
    setting = SequenceSetting("gamma-exponential", 0.0, 1.0, confidence, "both", None, tuned_variance, "mean")
    level = math.log(parts) - math.log(delta)
    variances = spread(drawn)
    missed = np.zeros(replicates, dtype=bool)
    for sign in (1.0, -1.0):
        ahead = np.maximum(sign * deviations, 0.0)  # below zero nothing is ever excluded on this side
        logs = gamma_mixture.log_mixture(ahead, variances, setting.rho)
        missed |= (logs >= level + gamma_mixture.SLIP).any(axis=1)
    return float(missed.mean())
