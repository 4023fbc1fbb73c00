"""The certificate of an alarm: the risk has risen, and the evidence that says so can be added up again."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.monitoring import quadrature, restarts
from certus.guarantees.monitoring.alarm_ladder import Rung, budget, levels
from certus.guarantees.monitoring.alarm_reference import ladder_again, words
from certus.guarantees.monitoring.betting_evidence import BETS, FRACTIONS
from certus.guarantees.monitoring.rate_evidence import EXPONENT
from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count, check_range
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import check_confidence, exact, failure_of
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import confidence_percent, count, number

THEOREM = "Tracking the risk of a deployed model and detecting harmful distribution shifts (Podkopaev, Ramdas 2022)"
_TOLERANCE = 1e-6  # of a logarithm of evidence, for the difference between the two routes


@dataclass(frozen=True)
class AlarmSetting:
    """What an alarm is about.

    Parameters
    ----------
    quantity : str
        The risk that is watched.
    low, high : float
        Range of the loss.
    confidence : float
        One minus the probability of a false alarm over the whole stream, however long.
    tolerance : float
        Increase that is tolerated, in units of the range.
    window : int
        Rows between restarts of the evidence.
    reference : mapping
        What the stream is compared with.
    """

    quantity: str
    low: float
    high: float
    confidence: float
    tolerance: float
    window: int
    reference: Mapping[str, Any]

    @property
    def width(self) -> float:
        """Length of the range of the loss."""
        return self.high - self.low

    @property
    def false_alarm(self) -> float:
        """Probability of a false alarm over the whole stream."""
        return failure_of(self.confidence)

    @property
    def absolute(self) -> bool:
        """Whether the stream is compared with a threshold that was given."""
        return "threshold" in self.reference


def record(setting: AlarmSetting, row: int, evidence: Mapping[str, Any]) -> Certificate:
    """The certificate of an alarm at `row`."""
    above = words(setting.reference, setting.low, setting.width)
    more = f" by more than {number(setting.tolerance * setting.width, 'lower')}" if setting.tolerance else ""
    kind = "highest {} in production" if setting.absolute else "rise of the {}"
    start = setting.low if setting.absolute else -setting.width
    value = setting.width * setting.tolerance
    if setting.absolute:
        value = setting.low + setting.width * setting.reference["threshold"]
    return Certificate(
        claim=f"With confidence {confidence_percent(setting.confidence)} the {setting.quantity} in production has been "
        f"above {above}{more} (alarm at row {count(row)}).",
        quantity=kind.format(setting.quantity),
        direction="lower",
        value=value,
        trivial=start,
        confidence=setting.confidence,
        kind="anytime",
        theorem=THEOREM,
        rule=f"alarm-{evidence['kind']}",
        assumptions=("bounded-range",) if setting.absolute else ("iid", "independent-holdout", "bounded-range"),
        inputs={
            "quantity": setting.quantity,
            "low": setting.low,
            "high": setting.high,
            "tolerance": setting.tolerance,
            "window": setting.window,
            "reference": dict(setting.reference),
        },
        witness={"row": row, **evidence},
    )


def _setting(certificate: Certificate) -> AlarmSetting:
    inputs = certificate.inputs
    low, high = check_range(inputs["low"], inputs["high"])
    setting = AlarmSetting(
        quantity=inputs["quantity"],
        low=low,
        high=high,
        confidence=check_confidence(certificate.confidence),
        tolerance=float(inputs["tolerance"]),
        window=check_count(inputs["window"], "window", minimum=1),
        reference=inputs["reference"],
    )
    if setting.tolerance < 0.0:
        raise CertificateError(f"{certificate.quantity}: the tolerance is negative.")
    return setting


def _verified(certificate: Certificate, setting: AlarmSetting, rungs: Sequence[Rung], logs: list[float]) -> Derivation:
    """Every rung has its evidence, and the ladder costs no more than the false-alarm level."""
    if len(rungs) != len(logs):
        raise CertificateError(f"{certificate.quantity}: evidence for {len(logs)} thresholds, {len(rungs)} are needed.")
    if not setting.absolute:
        spent = budget([rung.failure for rung in rungs], [rung.level for rung in rungs])
        if spent > 1 - exact(certificate.confidence):
            raise CertificateError(f"{certificate.quantity}: the ladder spends {float(spent)!r}.")
    for rung, log_evidence in zip(rungs, logs, strict=True):
        if not log_evidence >= -math.log(rung.level) - _TOLERANCE:
            raise CertificateError(
                f"{certificate.quantity}: evidence {math.exp(log_evidence):.4g} against the threshold "
                f"{rung.threshold:.6g} does not reach {1.0 / rung.level:.4g}."
            )
    again = record(setting, certificate.witness["row"], {k: v for k, v in certificate.witness.items() if k != "row"})
    return Derivation(again.value, scale=setting.width, record=again)


@rules.checker("alarm-beta-binomial")
def _check_rate(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """`data` are the losses up to the alarm; the evidence is integrated over all rates above each threshold."""
    setting, witness = _setting(certificate), certificate.witness
    row, total = check_count(witness["row"], "row", minimum=1), float(witness["total"])
    starts = [(check_count(rows, "start"), float(before)) for rows, before in witness["starts"]]
    increasing = all(a[0] < b[0] for a, b in itertools.pairwise(starts))
    placed = all(
        rows % setting.window == 0 and rows < row and 0 <= total - before <= row - rows for rows, before in starts
    )
    if not (increasing and placed):
        raise CertificateError(f"{certificate.quantity}: the starts of the evidence are not in order.")
    if data is not None:
        unit = _unit(certificate, setting, data, row)
        sums = [float(unit[:rows].sum()) for rows, _ in starts]
        if not np.allclose([*sums, unit.sum()], [*(before for _, before in starts), total], rtol=1e-9, atol=1e-9):
            raise CertificateError(f"{certificate.quantity}: these are not the losses behind the alarm.")
    rungs = ladder_again(setting.reference, setting.false_alarm, setting.tolerance)
    logs = [
        _log_sum(
            restarts.log_weight(rows // setting.window)
            + quadrature.log_evidence_above(total - before, row - rows, rung.threshold, EXPONENT)
            for rows, before in starts
        )
        if rung.threshold < 1.0
        else -math.inf
        for rung in rungs
    ]
    return _verified(certificate, setting, rungs, logs)


@rules.checker("alarm-betting")
def _check_betting(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """`data` are the losses up to the alarm; without them the evidence in the witness is trusted."""
    setting, witness = _setting(certificate), certificate.witness
    row, logs = check_count(witness["row"], "row", minimum=1), [float(value) for value in witness["log_evidence"]]
    stated = [float(threshold) for threshold in witness["thresholds"]]
    rungs = _rungs(setting, stated)
    if len(stated) != len(rungs) or not np.allclose(stated, [rung.threshold for rung in rungs], rtol=1e-6):
        raise CertificateError(f"{certificate.quantity}: the reference gives other thresholds.")
    if data is not None:
        unit = _unit(certificate, setting, data, row)
        starts = [check_count(start, "start") for start in witness["starts"]]
        again = [_plain_bets(unit, threshold, starts, setting.window) for threshold in stated]
        if not np.allclose(again, logs, rtol=1e-7, atol=1e-7):
            raise CertificateError(f"{certificate.quantity}: these are not the losses behind the alarm.")
    return _verified(certificate, setting, rungs, logs)


def _rungs(setting: AlarmSetting, stated: list[float]) -> tuple[Rung, ...]:
    """The ladder, derived again; a reference too large to be carried along leaves its thresholds to be trusted."""
    if "sha256" not in setting.reference:
        return ladder_again(setting.reference, setting.false_alarm, setting.tolerance)
    return tuple(Rung(u, t, g) for (u, g), t in zip(levels(setting.false_alarm), stated, strict=True))


def _plain_bets(unit: np.ndarray, threshold: float, starts: Sequence[int], window: int) -> float:
    parts = []
    for start in starts:
        for fraction in FRACTIONS:
            gains = 1.0 + fraction / threshold * (unit[start:] - threshold)
            parts.append(restarts.log_weight(start // window) - math.log(BETS) + float(np.log(gains).sum()))
    return _log_sum(parts)


def _unit(certificate: Certificate, setting: AlarmSetting, data: ArrayLike | None, row: int) -> np.ndarray:
    losses = np.asarray(data, dtype=float)
    if losses.shape != (row,) or not ((losses >= setting.low) & (losses <= setting.high)).all():
        raise CertificateError(f"{certificate.quantity}: data must be the {row} losses up to the alarm, in order.")
    return (losses - setting.low) / setting.width


def _log_sum(parts: Iterable[float]) -> float:
    values = np.array(list(parts))
    top = float(values.max())
    return top + math.log(float(np.exp(values - top).sum())) if math.isfinite(top) else top
