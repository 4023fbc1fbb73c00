"""How good arms can be, from the rewards that came: at every look, and however arms were chosen.

The rewards of an arm, counted by themselves, are a stream with one mean in [0, 1], so that the beta-binomial mixture
excludes the true mean at any time with probability delta/K at most, whichever rule decides when the arm is played.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.monitoring import mixture_evidence, mixture_interval
from certus.guarantees.records import (
    Derivation,
    check_confidence,
    confidence_percent,
    failure_of,
    number,
    plural,
    rules,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
PRIOR = (0.5, 0.5)
THEOREM = "Iterated-logarithm mixtures for arms (Robbins 1970; Howard, Ramdas, McAuliffe, Sekhon 2021)"
ASSUMPTIONS = ("constant-mean", "bounded-range")
STEPS = 60


def arm_intervals(counts: Integers, sums: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Lower and upper ends for the means of all arms, together at the confidence at every look."""
    level = math.log(len(counts) / failure_of(check_confidence(confidence)))
    seen = counts > 0
    low, high = np.zeros(len(counts)), np.ones(len(counts))
    rows, total = counts[seen].astype(np.float64), sums[seen]
    center = np.clip(total / rows, 0.0, 1.0)
    low[seen] = _end(total, rows, center, level, 0.0)
    high[seen] = _end(total, rows, center, level, 1.0)
    return low, high


def _end(total: Floats, rows: Floats, center: Floats, level: float, limit: float) -> Floats:
    """The last rate towards the limit whose evidence stays below the level, rounded outward."""
    inside, outside = center.copy(), np.full(len(center), limit)
    for _ in range(STEPS):
        middle = 0.5 * (inside + outside)
        possible = (middle > 0.0) & (middle < 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            evidence = mixture_evidence(total, rows, np.clip(middle, 1e-300, 1.0 - 1e-16), PRIOR)
        kept = possible & (evidence < level + 1e-9)
        inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
    return np.where(center == limit, limit, outside)


def regret_of(counts: Integers, low: Floats, high: Floats) -> float:
    """sum_i n_i max(0, max_{j != i} U_j - L_i)."""
    return float((counts * np.maximum(0.0, best_other(high) - low)).sum())


def best_other(values: Floats) -> Floats:
    """For every arm the largest value of the others; minus infinity for an arm alone."""
    if len(values) == 1:
        return np.full(1, -np.inf)
    order = np.argpartition(values, -2)[-2:]
    second, first = order[np.argsort(values[order], kind="stable")]
    found = np.full(len(values), values[first])
    found[first] = values[second]
    return found


def pseudo_regret(counts: Integers, sums: Floats, confidence: float) -> Certificate:
    """The certificate of what the arms that were played cost beyond the best one, in expected rewards."""
    low, high = arm_intervals(counts, sums, confidence)
    plays = int(counts.sum())
    return _record(regret_of(counts, low, high) * (1 + 1e-9), counts, sums, plays, confidence)


def _record(value: float, counts: Any, sums: Any, plays: int, confidence: float) -> Certificate:
    return Certificate(
        claim=f"With confidence {confidence_percent(confidence)} at every look, the {plural(plays, 'reward')} had "
        f"expected values that are at most {number(value, 'upper')} in all below those of the best arm.",
        quantity="pseudo-regret",
        direction="upper",
        value=value,
        trivial=float(plays),
        confidence=confidence,
        kind="anytime",
        theorem=THEOREM,
        rule="online/pseudo-regret",
        assumptions=ASSUMPTIONS,
        inputs={"prior": PRIOR},
        witness={"counts": counts, "sums": sums},
    )


@rules.checker("online/pseudo-regret")
def _check_pseudo_regret(certificate: Certificate, data: Any) -> Derivation:
    """Every arm's interval on its own, and the sum in plain loops; `data` are pairs (place of the arm, reward)."""
    counts, sums = list(certificate.witness["counts"]), list(certificate.witness["sums"])
    if data is not None:
        _recount(certificate, data, counts, sums)
    level = math.log(len(counts) / failure_of(certificate.confidence))
    ends = [mixture_interval(total, count, level, PRIOR) for count, total in zip(counts, sums, strict=True)]
    value = 0.0
    for place, (count, (low, _)) in enumerate(zip(counts, ends, strict=True)):
        others = [high for other, (_, high) in enumerate(ends) if other != place]
        value += count * max(0.0, max(others, default=-math.inf) - low)
    record = _record(certificate.single_value, tuple(counts), tuple(sums), sum(counts), certificate.confidence)
    return Derivation(value, error=1e-9, slack=1e-6, scale=1e-6 * max(1, sum(counts)), record=record)


def _recount(certificate: Certificate, data: Any, counts: list[int], sums: list[float]) -> None:
    found_counts, found_sums = [0] * len(counts), [0.0] * len(sums)
    for arm, reward in data:
        found_counts[arm] += 1
        found_sums[arm] += reward
    near = all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(found_sums, sums, strict=True))
    if found_counts != counts or not near:
        raise CertificateError(f"{certificate.quantity}: the rewards do not give the sums of the witness.")
