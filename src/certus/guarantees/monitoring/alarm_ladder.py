"""The ladder of an alarm: thresholds from a reference sample, each with the evidence that it asks for.

The risk of the reference is unknown, so that a stream cannot simply be tested against it. Let t_1 >= t_2 >= ... be
upper bounds of the reference risk that fail with probability u_1 < u_2 < ..., and let the alarm sound when, for
every j at once, a test martingale against "the risk never exceeds t_j" has reached 1/g_j, with g_1 >= g_2 >= ... .
If t_j is the last bound that holds, a false alarm has probability at most g_j; so in all at most

    u_1 + g_1 (u_2 - u_1) + ... + g_J (1 - u_J),

which is set to the false-alarm level. One rung is the usual split of the level between reference and stream; eight
rungs alarm after about a quarter fewer rows, because a bound that rarely fails needs only little evidence.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction

import numpy as np
from scipy import special

from certus.guarantees.holdout import clopper_pearson
from certus.guarantees.holdout.binomial_tail import bisect, log_lower_tail, log_upper_tail
from certus.guarantees.holdout.mean_by_betting import betting
from certus.guarantees.records.confidence_levels import exact

RUNGS, SPACING = 8, 0.5  # spacing in standard deviations of the reference
_FIRST_SHARE = 8  # the bound that is given up altogether may fail with an eighth of the level


@dataclass(frozen=True)
class Rung:
    """One condition of the alarm.

    Parameters
    ----------
    failure : float
        Probability with which the bound behind the threshold fails; 0 for a threshold that was given.
    threshold : float
        Risk that the stream is tested against, in units of the range of the loss.
    level : float
        The martingale must reach 1/level.
    """

    failure: float
    threshold: float
    level: float


def levels(false_alarm: float) -> tuple[tuple[float, float], ...]:
    """Pairs (u_j, g_j) for a false-alarm level, as short decimals whose budget is met exactly."""
    scores = -float(special.ndtri(false_alarm / _FIRST_SHARE)) - SPACING * np.arange(RUNGS)
    failures = [_short(float(special.ndtr(-score))) for score in scores]
    shapes = np.exp(scores - scores[0])
    room = exact(false_alarm) - exact(failures[0])
    cost = sum(Fraction(float(shape)) * gap for shape, gap in zip(shapes, _gaps(failures), strict=True))
    found = [min(1.0, _short(float(Fraction(float(shape)) * room / cost))) for shape in shapes]
    return tuple(zip(failures, found, strict=True))


def budget(failures: list[float], asked: list[float]) -> Fraction:
    """The false-alarm probability that the ladder may spend, exactly."""
    spent = sum((exact(level) * gap for level, gap in zip(asked, _gaps(failures), strict=True)), Fraction(0))
    return exact(failures[0]) + spent


def _gaps(failures: list[float]) -> list[Fraction]:
    ends = [*(exact(failure) for failure in failures), Fraction(1)]
    return [after - before for before, after in itertools.pairwise(ends)]


def _short(value: float) -> float:
    """Four significant digits, rounded down."""
    digits = Decimal(repr(value))
    step = Decimal(1).scaleb(digits.adjusted() - 3)
    return float((digits / step).quantize(Decimal(1), rounding=ROUND_FLOOR) * step)


def build(upper: Callable[[float], float], false_alarm: float, tolerance: float) -> tuple[Rung, ...]:
    """Rungs from a bound `upper(failure)` on the reference risk; thresholds are made to fall along the ladder."""
    pairs = levels(false_alarm)
    bounds = [upper(failure) for failure, _ in pairs]
    nested = np.maximum.accumulate(bounds[::-1])[::-1] + tolerance
    return tuple(Rung(failure, float(t), g) for (failure, g), t in zip(pairs, nested, strict=True))


def from_counts(events: int, rows: int, false_alarm: float, tolerance: float) -> tuple[Rung, ...]:
    """The ladder of a reference with 0/1 losses: exact limits of Clopper and Pearson."""
    return build(lambda failure: clopper_pearson.upper(events, rows, failure), false_alarm, tolerance)


def from_counts_again(events: int, rows: int, false_alarm: float, tolerance: float) -> tuple[Rung, ...]:
    """The same by adding up binomial probabilities."""

    def upper(failure: float) -> float:
        if events == rows:
            return 1.0
        return bisect(lambda p: _lower_tail(events, rows, p) > failure, 0.0, 1.0)

    return build(upper, false_alarm, tolerance)


def _lower_tail(events: int, rows: int, rate: float) -> float:
    """P(X <= events), summed on the side where the terms shrink; a failure may be above one half."""
    if rate * rows >= events:
        return math.exp(log_lower_tail(events, rows, rate))
    return -math.expm1(log_upper_tail(events + 1, rows, rate))


def from_losses_again(ordered: np.ndarray, false_alarm: float, tolerance: float) -> tuple[Rung, ...]:
    """The ladder of a reference with losses in [0, 1], by plain betting on them in the given order."""
    return build(lambda failure: betting(ordered, -float(np.log(failure))), false_alarm, tolerance)


def from_threshold(threshold: float, false_alarm: float) -> tuple[Rung, ...]:
    """The ladder of a threshold that was given: one rung, which takes the whole level."""
    return (Rung(0.0, threshold, false_alarm),)
