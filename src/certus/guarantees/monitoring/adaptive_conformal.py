"""Adaptive conformal inference: prediction sets whose long-run coverage no stream can spoil.

The level of the next set moves against the last miss: a <- a + step (alpha - missed). Since a set at a <= 0 is
everything and one at a >= 1 is nothing, a never leaves [-step, 1 + step], and adding up the moves gives

    |missed / T - alpha| <= (max(a_1, 1 - a_1) + step) / (step T)

for every sequence of rows whatsoever: no assumption is left to be violated.

Reference: Gibbs, Candes, Adaptive Conformal Inference Under Distribution Shift (2021), proposition 4.1.
"""

import bisect
import math
from collections import deque
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.conformal.conformal_ranks import exact_level
from certus.guarantees.monitoring import stream_losses
from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import count, percent, plural

THEOREM = "Adaptive Conformal Inference Under Distribution Shift (Gibbs, Candes 2021)"
QUANTITY = "share of rows outside their sets"


class AdaptiveConformal:
    """Keep the long-run share of covered rows at `coverage`, whatever the stream does.

    A row is covered when its score is at most `threshold`, which is a rank of the latest scores at a level that
    adapts. For intervals around a prediction the score is the absolute error, and the interval is the prediction
    plus and minus the threshold.

    Parameters
    ----------
    coverage : float, default=0.9
        Share of rows to be covered in the long run.
    step : float, default=0.02
        How far the level moves; larger steps follow a drift faster and make thresholds restless.
    memory : int, default=1000
        How many of the latest scores the threshold is a rank of.

    Attributes
    ----------
    rows, missed : int
        Rows so far, and how many were not covered.

    Examples
    --------
    >>> import numpy as np
    >>> adaptive = AdaptiveConformal(coverage=0.9)
    >>> errors = np.abs(np.random.default_rng(0).normal(size=1000)) * np.repeat([1.0, 5.0], 500)
    >>> round(adaptive.update(errors).missed / 1000, 3)
    0.104
    >>> adaptive.certificate().check(errors)
    True
    """

    def __init__(self, coverage: float = 0.9, *, step: float = 0.02, memory: int = 1000) -> None:
        self._alpha = 1 - exact_level(coverage, "coverage")
        self._step = exact_level(step, "step")
        self.coverage, self.step = float(coverage), float(step)
        self.memory = check_count(memory, "memory", minimum=1)
        self.rows = self.missed = 0
        self._recent: deque[float] = deque()
        self._sorted: list[float] = []

    @property
    def level(self) -> Fraction:
        """The level a of the next set: alpha + step (alpha rows - missed), exactly."""
        return self._alpha + self._step * (self._alpha * self.rows - self.missed)

    @property
    def threshold(self) -> float:
        """Scores up to this are in the next set: infinite means everything, minus infinity nothing."""
        known = len(self._sorted)
        level = self.level
        # ceil((known + 1) (1 - level)) in whole numbers
        rank = -((-(known + 1) * (level.denominator - level.numerator)) // level.denominator)
        if rank > known:
            return math.inf
        return self._sorted[rank - 1] if rank > 0 else -math.inf

    def update(self, scores: ArrayLike) -> Self:
        """Count the scores of the true values, one row after the other."""
        for score in stream_losses.batch(scores, "scores").tolist():
            self.missed += score > self.threshold
            self.rows += 1
            self._remember(score)
        return self

    def _remember(self, score: float) -> None:
        self._recent.append(score)
        bisect.insort(self._sorted, score)
        if len(self._recent) > self.memory:
            oldest = self._recent.popleft()
            del self._sorted[bisect.bisect_left(self._sorted, oldest)]

    def certificate(self) -> Certificate:
        """What holds for every stream: how far the share of missed rows can be from 1 - coverage."""
        return _record(self.coverage, self.step, self.memory, self.rows, self.missed)

    def to_dict(self) -> dict[str, Any]:
        """Settings and state as plain JSON values."""
        finite = [score if math.isfinite(score) else str(score) for score in self._recent]
        names = ("coverage", "step", "memory", "rows", "missed")
        return {**{name: getattr(self, name) for name in names}, "recent": finite}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; malformed values are a `CertificateError`."""
        try:
            made = cls(record["coverage"], step=record["step"], memory=record["memory"])
            made.rows, made.missed = check_count(record["rows"], "rows"), check_count(record["missed"], "missed")
            for score in stream_losses.batch([float(score) for score in record["recent"]], "recent").tolist():
                made._remember(score)
            if made.missed > made.rows or len(made._recent) != min(made.rows, made.memory):
                raise ValueError("rows, missed and recent do not belong together.")
        except (KeyError, TypeError, ValueError) as error:
            raise CertificateError(f"malformed adaptive conformal state: {error!r}.") from error
        return made


def _reach(coverage: float, step: float, rows: int) -> tuple[Fraction, Fraction]:
    """The ends of the share of missed rows that no stream can leave."""
    alpha, move = 1 - exact_level(coverage), exact_level(step, "step")
    away = (max(alpha, 1 - alpha) + move) / (move * rows) if rows else Fraction(1)
    return max(Fraction(0), alpha - away), min(Fraction(1), alpha + away)


def _outward(low: Fraction, high: Fraction) -> tuple[float, float]:
    bottom, top = float(low), float(high)
    return (
        bottom if Fraction(bottom) <= low else math.nextafter(bottom, -1.0),
        top if Fraction(top) >= high else math.nextafter(top, 2.0),
    )


def _record(coverage: float, step: float, memory: int, rows: int, missed: int) -> Certificate:
    low, high = _outward(*_reach(coverage, step, rows))
    share = f"; it is {percent(missed / rows)}" if rows else ""
    return Certificate(
        claim=f"Whatever the stream does, the share of rows outside their adaptive sets after {plural(rows, 'row')} "
        f"lies between {percent(low, 'lower')} and {percent(high, 'upper')}{share} ({count(missed)} missed).",
        quantity=QUANTITY,
        direction="interval",
        value=(low, high),
        trivial=(0.0, 1.0),
        confidence=1.0,
        kind="exact",
        theorem=THEOREM,
        rule="adaptive-conformal",
        inputs={"coverage": coverage, "step": step, "memory": memory},
        witness={"rows": rows, "missed": missed},
    )


@rules.checker("adaptive-conformal")
def _check(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """`data` are the scores in the order in which they came: every set is then formed again by sorting."""
    inputs, witness = certificate.inputs, certificate.witness
    rows, missed = check_count(witness["rows"], "rows"), check_count(witness["missed"], "missed")
    memory = check_count(inputs["memory"], "memory", minimum=1)
    low, high = _reach(inputs["coverage"], inputs["step"], rows)
    if missed > rows or (rows and not low <= Fraction(missed, rows) <= high):
        raise CertificateError(f"{QUANTITY}: {missed} of {rows} missed rows cannot happen at these settings.")
    if data is not None and _replayed(np.asarray(data, dtype=float), inputs, memory, rows) != missed:
        raise CertificateError(f"{QUANTITY}: the scores give another number of missed rows than {missed}.")
    again = _record(inputs["coverage"], inputs["step"], memory, rows, missed)
    return Derivation((float(low), float(high)), error=1e-12, slack=1e-12, scale=1e-6, record=again)


def _replayed(scores: np.ndarray, inputs: Mapping[str, Any], memory: int, rows: int) -> int:
    """How many rows are missed, from the definition: the level row by row, the rank in a sorted copy."""
    if scores.shape != (rows,) or np.isnan(scores).any():
        raise CertificateError(f"{QUANTITY}: data must be the {rows} scores behind the certificate, in order.")
    alpha, move = 1 - exact_level(inputs["coverage"]), exact_level(inputs["step"], "step")
    level, missed = alpha, 0
    for row, score in enumerate(scores.tolist()):
        known = np.sort(scores[max(0, row - memory) : row])
        rank = math.ceil((len(known) + 1) * (1 - level))
        miss = rank <= 0 or (rank <= len(known) and score > known[rank - 1])
        level += move * (alpha - miss)
        missed += miss
    return missed
