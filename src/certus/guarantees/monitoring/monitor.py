"""Watching a deployed model: an alarm with a known false-alarm rate, and what can still be promised."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.holdout.losses_by_row import labels, mistakes, same_length
from certus.guarantees.monitoring import alarm_certificate, monitor_text, stream_losses
from certus.guarantees.monitoring.adaptive_conformal import AdaptiveConformal
from certus.guarantees.monitoring.alarm_certificate import AlarmSetting
from certus.guarantees.monitoring.alarm_ladder import Rung
from certus.guarantees.monitoring.betting_evidence import BettingEvidence
from certus.guarantees.monitoring.confidence_sequence import ConfidenceSequence
from certus.guarantees.monitoring.drift import void_after_drift
from certus.guarantees.monitoring.rate_evidence import RateEvidence
from certus.guarantees.monitoring.recent_average import RecentAverage
from certus.guarantees.records.bound_arguments import check_choice, check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.json_document import JsonDocument
from certus.guarantees.records.report import Report

SCHEMA_VERSION = 1
LOSSES = ("error", "absolute", "squared", "given")


@dataclass(frozen=True)
class MonitorSetting:
    """What was declared about a monitor before its first row.

    Parameters
    ----------
    alarm : AlarmSetting
        Risk, range, level, tolerance, window and reference.
    loss : {"error", "absolute", "squared", "given"}
        How labels and predictions become losses; "given" means that losses are handed over.
    window : int
        What "recent" means, in rows.
    """

    alarm: AlarmSetting
    loss: str = "error"
    window: int = 1000


def _setting(alarm: Mapping[str, Any], loss: str, window: int) -> MonitorSetting:
    """The setting from plain values."""
    checked = check_choice(loss, "loss", LOSSES)
    return MonitorSetting(AlarmSetting(**alarm), checked, check_count(window, "window", minimum=1))


class Monitor(JsonDocument):
    """Watch a stream of losses of a deployed model.

    Made by `certus.monitor`. Three accounts are kept, each with its own promise: the test martingale behind the
    alarm, which is false over the whole stream with probability at most 1 - confidence; confidence sequences on
    the average loss since deployment and on the latest rows, which hold at every look and under any drift; and,
    if asked for, adaptive conformal prediction, which needs no assumption at all.

    Parameters
    ----------
    setting : MonitorSetting
        What is watched and how.
    rungs : sequence of Rung
        Thresholds of the alarm, from the reference; see `certus.guarantees.monitoring.alarm_reference.ladder`.
    certificates : iterable of Certificate, default=()
        The promises that were made about the model before deployment.
    adaptive : AdaptiveConformal, optional
        Account of prediction sets.

    Attributes
    ----------
    rows : int
        Rows so far.
    alarm : Certificate or None
        Set once, at the first row that completes the evidence.
    alarm_row : int or None
        That row, counted from 1.
    void : str
        Why alarm and averages promise nothing any more (a loss outside the declared range); empty while they do.

    Examples
    --------
    >>> import numpy as np, certus
    >>> monitor = certus.monitor(errors=50, rows=1000)
    >>> rng = np.random.default_rng(0)
    >>> monitor.update(losses=rng.random(500) < 0.05).alarm is None
    True
    >>> monitor.update(losses=rng.random(500) < 0.25).alarm_row
    565
    """

    def __init__(
        self,
        setting: MonitorSetting,
        rungs: Sequence[Rung],
        certificates: Iterable[Certificate] = (),
        *,
        adaptive: AdaptiveConformal | None = None,
    ) -> None:
        alarm = setting.alarm
        self.setting, self.adaptive = setting, adaptive
        self.certificates = tuple(dict.fromkeys(certificates))
        kind = RateEvidence if setting.loss == "error" else BettingEvidence
        self._evidence: RateEvidence | BettingEvidence = kind(rungs, alarm.window)
        common: dict[str, Any] = {"low": alarm.low, "high": alarm.high, "confidence": alarm.confidence}
        name = f"{alarm.quantity} since deployment"
        self._average = ConfidenceSequence("gamma-exponential", quantity=name, **common)
        self._recent = RecentAverage(setting.window, quantity=alarm.quantity, **common)
        self.rows = 0
        self.alarm: Certificate | None = None
        self.alarm_row: int | None = None
        self.void = ""

    @property
    def mean(self) -> float:
        """Mean loss so far; losses outside the range count as its ends."""
        return self._average.mean

    @property
    def log_evidence(self) -> float:
        """How close the alarm is: log of the evidence relative to what is asked for, at least 0 at the alarm."""
        pairs = zip(self._evidence.log_evidence(), self._evidence.rungs, strict=True)
        return min(log + float(np.log(rung.level)) for log, rung in pairs)

    @property
    def able(self) -> bool:
        """False when even a stream of the largest losses could not raise the alarm: the reference is too small."""
        return all(rung.threshold < 1.0 for rung in self._evidence.rungs)

    def update(
        self,
        y_true: ArrayLike | None = None,
        y_pred: ArrayLike | None = None,
        *,
        losses: ArrayLike | None = None,
        scores: ArrayLike | None = None,
    ) -> Self:
        """Count one row or many: labels and predictions, or losses; the division into batches does not matter.

        Parameters
        ----------
        y_true, y_pred : array-like, optional
            Labels and predictions, which were made without the labels.
        losses : array-like, optional
            Instead of them: one loss per row.
        scores : array-like, optional
            For adaptive conformal prediction: how badly the true value fits, one number per row. By default the
            absolute error of numeric predictions, or the losses.
        """
        values = self._losses(y_true, y_pred, losses)
        points = self._scores(y_true, y_pred, values, scores)
        if self.adaptive is not None:
            self.adaptive.update(points)
        alarm = self.setting.alarm
        self.void = self.void or stream_losses.first_outside(values, alarm.low, alarm.high, self.rows)
        unit = np.clip((values - alarm.low) / alarm.width, 0.0, 1.0)
        if self.void:
            # Rows before the offending one are as good as ever; the rest only counts.
            inside = np.logical_and.accumulate((values >= alarm.low) & (values <= alarm.high))
            unit = unit[inside] if self._average.void == "" else unit[:0]
        self._watch(unit)
        self._average.update(values)
        self._recent.update(values)
        self.rows += len(values)
        return self

    def _watch(self, unit: np.ndarray) -> None:
        if self.alarm is not None:
            return
        first = self._evidence.advance(unit)
        if first is not None:
            self.alarm_row = self.rows + first + 1
            self.alarm = alarm_certificate.record(self.setting.alarm, self.alarm_row, self._evidence.witness())

    def _losses(self, y_true: ArrayLike | None, y_pred: ArrayLike | None, losses: ArrayLike | None) -> np.ndarray:
        if losses is not None:
            if y_true is not None or y_pred is not None:
                raise ValueError("give either losses, or y_true and y_pred, not both.")
            return stream_losses.batch(losses)
        if y_true is None or y_pred is None:
            raise ValueError("rows are needed.\nHint: update(y_true, y_pred), or update(losses=...).")
        if self.setting.loss == "given":
            raise ValueError("this monitor was made for a loss of your own.\nHint: update(losses=...).")
        truth = labels(np.atleast_1d(np.asarray(y_true)), "y_true")
        predicted = labels(np.atleast_1d(np.asarray(y_pred)), "y_pred")
        if self.setting.loss == "error":
            return mistakes(truth, predicted, "y_pred").astype(float)
        same_length(truth, predicted, "y_pred")
        difference = np.abs(truth.astype(float) - predicted.astype(float))
        return stream_losses.batch(difference if self.setting.loss == "absolute" else difference**2)

    def _scores(
        self, y_true: ArrayLike | None, y_pred: ArrayLike | None, values: np.ndarray, scores: ArrayLike | None
    ) -> np.ndarray:
        if scores is not None:
            if self.adaptive is None:
                raise ValueError("scores are of use only with coverage=...\nHint: certus.monitor(..., coverage=0.9).")
            points = stream_losses.batch(scores, "scores")
            if len(points) != len(values):
                raise ValueError(f"scores must have one entry per row: {len(points)} scores, {len(values)} rows.")
            return points
        if y_true is None or self.setting.loss == "error":
            return values
        return np.abs(np.atleast_1d(np.asarray(y_true, dtype=float)) - np.atleast_1d(np.asarray(y_pred, dtype=float)))

    def threshold(self) -> float:
        """With coverage=...: scores up to this belong to the next prediction set."""
        if self.adaptive is None:
            raise ValueError("there are no prediction sets.\nHint: certus.monitor(..., coverage=0.9).")
        return self.adaptive.threshold

    @property
    def voided(self) -> tuple[tuple[Certificate, str], ...]:
        """Promises that hold no longer, each with the reason."""
        if self.alarm is None:
            return ()
        return tuple((item, reason) for item in self.certificates if (reason := void_after_drift(item)))

    @property
    def report(self) -> Report:
        """What is promised now: the alarm, the accounts of the stream, and the earlier promises that stand."""
        found = [item for item in self.certificates if self.alarm is None or not void_after_drift(item)]
        if self.alarm is not None:
            found.append(self.alarm)
        if not self.void and self.rows:
            found += [self._average.certificate(), self._recent.certificate()]
        if self.adaptive is not None and self.adaptive.rows:
            found.append(self.adaptive.certificate())
        return Report(found)

    def to_dict(self) -> dict[str, Any]:
        """Settings and state as plain JSON values: all that is needed to go on later."""
        alarm = {**asdict(self.setting.alarm), "reference": dict(self.setting.alarm.reference)}
        return {
            "schema": SCHEMA_VERSION,
            "setting": {"loss": self.setting.loss, "window": self.setting.window, "alarm": alarm},
            "certificates": [item.to_dict() for item in self.certificates],
            "rows": self.rows,
            "void": self.void,
            "alarm": None if self.alarm is None else self.alarm.to_dict(),
            "alarm_row": self.alarm_row,
            "rungs": [[rung.failure, rung.threshold, rung.level] for rung in self._evidence.rungs],
            "evidence": self._evidence.state(),
            "average": self._average.to_dict(),
            "recent": self._recent.to_dict(),
            "adaptive": None if self.adaptive is None else self.adaptive.to_dict(),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; anything malformed is a `CertificateError`."""
        try:
            if record["schema"] != SCHEMA_VERSION:
                raise CertificateError(f"schema version {record['schema']!r} of a monitor is not supported.")
            adaptive = record["adaptive"]
            made = cls(
                _setting(**record["setting"]),
                [Rung(*(float(part) for part in rung)) for rung in record["rungs"]],
                [Certificate.from_dict(item) for item in record["certificates"]],
                adaptive=None if adaptive is None else AdaptiveConformal.from_dict(adaptive),
            )
            made._restore(record)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            if isinstance(error, CertificateError):
                raise
            raise CertificateError(f"malformed monitor: {error!r}.") from error
        return made

    def _restore(self, record: Mapping[str, Any]) -> None:
        self.rows, self.void = check_count(record["rows"], "rows"), str(record["void"])
        self._evidence.restore(record["evidence"])
        self._average = ConfidenceSequence.from_dict(record["average"])
        self._recent.restore(record["recent"])
        if record["alarm"] is not None:
            self.alarm = Certificate.from_dict(record["alarm"])
            self.alarm_row = check_count(record["alarm_row"], "alarm_row", minimum=1)
        if self._average.rows != self.rows:
            raise ValueError("the accounts do not have the same number of rows.")

    def summary(self) -> dict[str, Any]:
        """What there is to tell now, as plain JSON values."""
        return monitor_text.summary(self)

    def text(self) -> str:
        """What there is to tell now: the alarm, what is void and why, what stands."""
        return monitor_text.text(self)

    __str__ = text

    def __repr__(self) -> str:
        state = f"alarm at row {self.alarm_row}" if self.alarm is not None else "no alarm"
        return f"<Monitor of the {self.setting.alarm.quantity}: {self.rows} rows, {state}>"

    def _repr_html_(self) -> str:
        return monitor_text.html(self)
