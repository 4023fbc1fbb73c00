"""Plausible mistakes in what must hold at every look, each with the check that must catch it."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from certus.guarantees import AdaptiveConformal, CertificateError, ConfidenceSequence
from certus.guarantees.holdout import clopper_pearson
from certus.guarantees.monitoring import alarm_ladder, beta_mixture, restarts
from certus.guarantees.monitoring.alarm_ladder import Rung
from certus.guarantees.monitoring.confidence_sequence import SequenceState
from certus.guarantees.monitoring.rate_evidence import EXPONENT, RateEvidence
from tests.guarantees import anytime_gate, gate
from tests.guarantees.mutants import told_apart

AT_ANY_TIME = "violation at any time, enumerated"
SIMULATED = "violation at any time, simulated"
FALSE_ALARMS = "false alarms, enumerated"
DELTA = 0.1
Excluded = Callable[[float], np.ndarray]


# --- checks ---------------------------------------------------------------------------------------------------


def excludes_the_truth(excluded: Excluded) -> bool:
    """Some true rate is excluded at some time with a probability above delta."""
    worst = max(anytime_gate.ever(excluded(rate), rate) for rate in anytime_gate.RATES)
    return worst > DELTA * (1 + 1e-9)


def gives_false_alarms(parts: tuple[anytime_gate.Ladder, anytime_gate.Evidence]) -> bool:
    return anytime_gate.worst_false_alarm(DELTA, *parts) > DELTA * (1 + 1e-9)


def alarms_at_the_threshold(evidence: type[RateEvidence]) -> bool:
    return anytime_gate.restarted_false_alarms(100, 300, 20, evidence) > gate.allowed(DELTA, 100)


def spread_is_not_the_defined_one(state: type[SequenceState]) -> bool:
    """The check of the certificate goes through the losses one by one, as the definition says."""
    losses = np.random.default_rng(0).random(40)
    sequence = ConfidenceSequence("gamma-exponential")
    sequence._state = state().after(losses)
    try:
        return not sequence.certificate().check(losses)
    except CertificateError:
        return True


def misses_the_average(upper_and_lower: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]) -> bool:
    """Intervals after every row of streams with mean 0.1; the first rows are left out to be fair to limits."""
    drawn, _ = anytime_gate._paths(anytime_gate.STREAMS[0], 1000, 300)
    low, high = upper_and_lower(drawn)
    missed = ((low > 0.1) | (high < 0.1))[:, 50:].any(axis=1)
    return float(missed.mean()) > gate.allowed(DELTA, len(drawn))


def breaks_the_deterministic_bound(kind: type[AdaptiveConformal]) -> bool:
    """Scores that grow forever, so that every finite threshold is too small."""
    adaptive = kind(0.9, step=0.02, memory=200).update(np.arange(3000.0))
    low, high = adaptive.certificate().value
    return not low <= adaptive.missed / adaptive.rows <= high


# --- mutants --------------------------------------------------------------------------------------------------


def shipped(rate: float) -> np.ndarray:
    return anytime_gate.excluded("both", rate, DELTA)


def fixed_sample_limits(rate: float) -> np.ndarray:
    """Clopper and Pearson's interval for a fixed number of rows, looked at after every row."""
    wrong = np.zeros((anytime_gate.HORIZON, anytime_gate.HORIZON + 1), dtype=bool)
    for rows in range(1, anytime_gate.HORIZON + 1):
        for events in range(rows + 1):
            low, high = (limit(events, rows, DELTA / 2) for limit in (clopper_pearson.lower, clopper_pearson.upper))
            wrong[rows - 1, events] = not low <= rate <= high
    return wrong


def swapped(rate: float) -> np.ndarray:
    return anytime_gate.excluded("both", rate, 1.0 - DELTA)


def without_normalizer(rate: float) -> np.ndarray:
    rows, events = anytime_gate.counts(anytime_gate.HORIZON)
    logs = beta_mixture.log_evidence(events, rows, rate, (0.5, 0.5)) + special.betaln(0.5, 0.5)
    return logs >= -math.log(DELTA)


def without_truncation(events: np.ndarray, rows: np.ndarray, threshold: float) -> np.ndarray:
    """Rates below the threshold count as evidence too, so that an improvement raises the alarm."""
    return restarts.log_weight(0) + beta_mixture.log_evidence(events, rows, threshold, (1.0, EXPONENT))


def observed_rate(events: int, rows: int, delta: float) -> tuple[Rung, ...]:
    return alarm_ladder.from_threshold((events + 0.5) / (rows + 1.0), delta)


def last_rung_only(events: int, rows: int, delta: float) -> tuple[Rung, ...]:
    return (Rung(0.0, anytime_gate.shipped_ladder(events, rows, delta)[-1].threshold, delta),)


class UndividedStake(RateEvidence):
    """Every restart gets a stake of its own, out of nothing."""

    def _first(self, part: np.ndarray) -> int | None:
        rows, totals = self.rows + 1.0 + np.arange(len(part)), self.total + np.cumsum(part)
        logs = [
            beta_mixture.log_evidence_above(totals - total, rows - before, self.rungs[0].threshold, EXPONENT)
            for before, total in self.starts
        ]
        hits = np.flatnonzero(special.logsumexp(logs, axis=0) >= -math.log(self.rungs[0].level))
        return int(hits[0]) if hits.size else None


class SpreadOfCurrentRow(SequenceState):
    """The mean that a loss is compared with has already seen it."""

    def after(self, unit: np.ndarray) -> SequenceState:
        means = (0.5 + np.cumsum(unit)) / (1.0 + np.arange(1, len(unit) + 1))
        return SequenceState(len(unit), math.fsum(unit.tolist()), float(np.sum((unit - means) ** 2)))


def normal_limits(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows = np.arange(1, drawn.shape[1] + 1)
    means = np.cumsum(drawn, axis=1) / rows
    reach = 1.6449 * np.sqrt(means * (1 - means) / rows)
    return means - reach, means + reach


def sequence_limits(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The shipped sequence, through whether the mean 0.1 is excluded."""
    rows = np.arange(1, drawn.shape[1] + 1)
    logs = beta_mixture.log_evidence(np.cumsum(drawn, axis=1), rows, 0.1, (0.5, 0.5))
    excluded = logs >= -math.log(DELTA)
    return np.where(excluded, 1.0, 0.0), np.ones_like(drawn)


class ClippedLevel(AdaptiveConformal):
    """The level is kept inside [0, 1], which loses the memory of misses."""

    def update(self, scores: Any) -> "ClippedLevel":
        level = float(self._alpha)
        for score in np.asarray(scores).tolist():
            rank = math.ceil((len(self._sorted) + 1) * (1.0 - level))
            missed = rank <= len(self._sorted) and (rank <= 0 or score > self._sorted[rank - 1])
            level = min(1.0, max(0.0, level + self.step * (float(self._alpha) - missed)))
            self.missed, self.rows = self.missed + missed, self.rows + 1
            self._remember(score)
        return self


SEQUENCE, ALARM = "beta-binomial sequence", "monitor"
LADDER = (anytime_gate.shipped_ladder, anytime_gate.shipped_evidence)

ANYTIME_MUTANTS = (
    told_apart(
        SEQUENCE,
        "fixed-sample limits at every look",
        AT_ANY_TIME,
        excludes_the_truth,
        fixed_sample_limits,
        shipped,
    ),
    told_apart(SEQUENCE, "delta and 1 - delta swapped", AT_ANY_TIME, excludes_the_truth, swapped, shipped),
    told_apart(
        SEQUENCE, "normalizer of the prior dropped", AT_ANY_TIME, excludes_the_truth, without_normalizer, shipped
    ),
    told_apart(SEQUENCE, "normal limits at every look", SIMULATED, misses_the_average, normal_limits, sequence_limits),
    told_apart(
        "gamma-exponential sequence",
        "current row used in the mean it is compared with",
        "losses counted again",
        spread_is_not_the_defined_one,
        SpreadOfCurrentRow,
        SequenceState,
    ),
    told_apart(
        ALARM,
        "prior not truncated to rates above the threshold",
        FALSE_ALARMS,
        gives_false_alarms,
        (anytime_gate.shipped_ladder, without_truncation),
        LADDER,
    ),
    told_apart(
        ALARM,
        "observed reference rate taken for the true one",
        FALSE_ALARMS,
        gives_false_alarms,
        (observed_rate, anytime_gate.shipped_evidence),
        LADDER,
    ),
    told_apart(
        ALARM,
        "only the lowest threshold of the ladder asked",
        FALSE_ALARMS,
        gives_false_alarms,
        (last_rung_only, anytime_gate.shipped_evidence),
        LADDER,
    ),
    told_apart(
        ALARM,
        "stake not divided among restarts",
        "false alarms, simulated",
        alarms_at_the_threshold,
        UndividedStake,
        RateEvidence,
    ),
    told_apart(
        "adaptive conformal",
        "level clipped to [0, 1]",
        "bound on an adversarial stream",
        breaks_the_deterministic_bound,
        ClippedLevel,
        AdaptiveConformal,
    ),
)
