"""Confidence sequences: bounds on a mean that hold at every look, however often one looks."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.monitoring import beta_mixture, gamma_mixture, sequence_certificate, stream_losses
from certus.guarantees.monitoring.sequence_certificate import METHODS, SequenceSetting
from certus.guarantees.records.bound_arguments import SIDES, check_choice, check_range
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import check_confidence
from certus.guarantees.records.json_document import JsonDocument

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class SequenceState:
    """All that a sequence remembers of its rows, in units of the range.

    Parameters
    ----------
    rows : int
        Number of losses.
    total : float
        Their sum.
    spread : float
        Sum of squared distances between each loss and the mean of those before it.
    """

    rows: int = 0
    total: float = 0.0
    spread: float = 0.0

    def after(self, unit: np.ndarray) -> "SequenceState":
        """The state after further losses; one row counts as half a loss before the first."""
        if not unit.size:
            return self
        before = self.total + np.concatenate(([0.0], np.cumsum(unit)[:-1]))
        expected = (0.5 + before) / (self.rows + 1.0 + np.arange(len(unit)))
        # Row after row, so that errors counted in batches of any size, or after an interruption, give equal bits.
        spread = float(np.cumsum(np.concatenate(([self.spread], (unit - expected) ** 2)))[-1])
        return SequenceState(self.rows + len(unit), math.fsum([self.total, *unit.tolist()]), spread)


class ConfidenceSequence(JsonDocument):
    """Bound a mean after every row of a stream; all bounds hold together with the confidence.

    A bound for a fixed number of rows fails sooner or later when it is computed again and again. Here the
    failure probability covers all looks at once, so that one may stop whenever the answer suffices.

    method="beta-binomial" keeps the rates p whose evidence against them stays small: with k the sum of n losses,

        B(a + k, b + n - k) / B(a, b) < p^k (1 - p)^(n - k) / (1 - confidence).

    It is exact for 0/1 losses and needs a conditional mean that does not change. method="gamma-exponential"
    adapts to the variance and bounds the average of the conditional means, which may change from row to row.

    Parameters
    ----------
    method : {"beta-binomial", "gamma-exponential"}, default="beta-binomial"
        The first for 0/1 losses of a stream that does not drift, the second for everything else.
    low, high : float, default 0.0 and 1.0
        The range of the loss. A loss outside it voids the sequence, for good and visibly; see `void`.
    confidence : float, default=0.95
        Probability with which the bounds hold at all times together.
    side : {"both", "upper", "lower"}, default="both"
        Which ends to bound.
    prior : (float, float), optional
        For the beta-binomial mixture: weights (a, b) of the events and of the others, at least 1/2 each, chosen
        before the data. Default (0.5, 0.5) for both sides, (1, 1) for one; an upper bound uses a, a lower one b.
    tuned_variance : float, default=50.0
        For the gamma-exponential mixture: where the bound shall be tightest, as the number of rows times the
        variance of a loss in units of the range.
    quantity : str, default="mean loss"
        Name under which a report lists the bound.

    Attributes
    ----------
    rows : int
        Rows so far.
    mean : float
        Their mean loss; NaN before the first row.
    void : str
        Why the sequence promises nothing any more; empty while it does.

    Examples
    --------
    >>> sequence = ConfidenceSequence(quantity="error")
    >>> low, high = sequence.update([1] * 30 + [0] * 970).interval()
    >>> round(low, 4), round(high, 4)
    (0.0143, 0.054)
    >>> sequence.certificate().claim
    'With confidence 95%, at every look, the error is between 1.427% and 5.402% (30 events in 1 000 rows so far).'
    """

    def __init__(
        self,
        method: str = "beta-binomial",
        *,
        low: float = 0.0,
        high: float = 1.0,
        confidence: float = 0.95,
        side: str = "both",
        prior: tuple[float, float] | None = None,
        tuned_variance: float = 50.0,
        quantity: str = "mean loss",
    ) -> None:
        check_choice(method, "method", METHODS)
        check_choice(side, "side", SIDES)
        low, high = check_range(low, high)
        self._setting = SequenceSetting(
            method=method,
            low=low,
            high=high,
            confidence=check_confidence(confidence),
            side=side,
            prior=_check_prior(prior),
            tuned_variance=_check_tuned(tuned_variance),
            quantity=quantity,
        )
        self._state = SequenceState()
        self.void = ""

    @property
    def rows(self) -> int:
        return self._state.rows

    @property
    def mean(self) -> float:
        setting, state = self._setting, self._state
        return setting.low + setting.width * state.total / state.rows if state.rows else math.nan

    def update(self, losses: ArrayLike) -> Self:
        """Count one loss or many; the order matters, the division into batches does not.

        A loss outside the range voids the sequence: it still counts rows, but bounds nothing any more. A missing
        loss is an error, and changes nothing.
        """
        values, setting = stream_losses.batch(losses), self._setting
        self.void = self.void or stream_losses.first_outside(values, setting.low, setting.high, self.rows)
        unit = np.clip((values - setting.low) / setting.width, 0.0, 1.0)
        self._state = self._state.after(unit)
        return self

    def interval(self) -> tuple[float, float]:
        """The bounds (low, high) now; an end that is not asked for is the end of the range.

        Infinite when the sequence is void: then not even the range is known.
        """
        if self.void:
            return -math.inf, math.inf
        setting, state = self._setting, self._state
        if setting.method == "beta-binomial":
            return setting.scaled(*_beta_ends(state, setting))
        return setting.scaled(*_gamma_ends(state, setting))

    def certificate(self) -> Certificate:
        """The bounds now as a certificate of the kind "anytime"."""
        if self.void:
            raise CertificateError(f"{self._setting.quantity}: nothing can be promised: {self.void}.")
        low, high = self.interval()
        value = (low, high) if self._setting.side == "both" else high if self._setting.side == "upper" else low
        state = self._state
        return sequence_certificate.record(value, self._setting, state.rows, state.total, state.spread)

    def to_dict(self) -> dict[str, Any]:
        """Settings and state as plain JSON values."""
        state = self._state
        return {
            "schema": SCHEMA_VERSION,
            "setting": self._setting.to_dict(),
            "state": {"rows": state.rows, "total": state.total, "spread": state.spread},
            "void": self.void,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; anything malformed is a `CertificateError`."""
        try:
            if record["schema"] != SCHEMA_VERSION:
                raise CertificateError(f"schema version {record['schema']!r} is not supported.")
            setting = dict(record["setting"])
            setting["prior"] = None if setting["prior"] is None else tuple(setting["prior"])
            made = cls(**setting)
            made._state = _checked_state(**record["state"])
            made.void = str(record["void"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            if isinstance(error, CertificateError):
                raise
            raise CertificateError(f"malformed confidence sequence: {error!r}.") from error
        return made

    def __repr__(self) -> str:
        bounds = f"void: {self.void}" if self.void else "({:.4g}, {:.4g})".format(*self.interval())
        return f"<ConfidenceSequence of the {self._setting.quantity}, {self.rows} rows, {bounds}>"


def _beta_ends(state: SequenceState, setting: SequenceSetting) -> tuple[float, float]:
    if setting.side == "both":
        return beta_mixture.interval(state.total, state.rows, setting.log_level, setting.beta_prior)
    events, others = setting.beta_prior
    if setting.side == "upper":
        return 0.0, beta_mixture.upper(state.total, state.rows, setting.log_level, events)
    return beta_mixture.lower(state.total, state.rows, setting.log_level, others), 1.0


def _gamma_ends(state: SequenceState, setting: SequenceSetting) -> tuple[float, float]:
    if state.rows == 0:
        return 0.0, 1.0
    spread = state.spread * (1.0 + 1e-12 + state.rows * np.finfo(float).eps)  # a sum of so many rounded terms
    reach = gamma_mixture.radius(spread, setting.log_level, setting.rho) * (1.0 + 1e-12)
    low = max(0.0, (state.total - reach) / state.rows - 1e-15) if setting.side != "upper" else 0.0
    high = min(1.0, (state.total + reach) / state.rows + 1e-15) if setting.side != "lower" else 1.0
    return low, high


def _check_prior(prior: Iterable[float] | None) -> tuple[float, float] | None:
    if prior is None:
        return None
    try:
        events, others = (float(weight) for weight in prior)
    except (TypeError, ValueError):
        raise ValueError(f"prior must be a pair of numbers (events, others), got {prior!r}.") from None
    if not (0.5 <= events < 1e9 and 0.5 <= others < 1e9):
        raise ValueError(f"prior must have two weights of at least 0.5, got {prior!r}.\nHint: (1, 19) expects 5%.")
    return events, others


def _check_tuned(tuned_variance: object) -> float:
    if isinstance(tuned_variance, bool) or not isinstance(tuned_variance, (int, float, np.number)):
        raise ValueError(f"tuned_variance must be a positive number, got {tuned_variance!r}.")
    if not 1e-3 <= float(tuned_variance) <= 1e9:
        raise ValueError(f"tuned_variance must lie between 0.001 and 1e9, got {tuned_variance!r}.")
    return float(tuned_variance)


def _checked_state(rows: Any, total: float, spread: float) -> SequenceState:
    good = isinstance(rows, int) and not isinstance(rows, bool) and rows >= 0
    if not (good and 0.0 <= total <= rows and 0.0 <= spread <= rows):
        raise ValueError(f"rows {rows!r}, total {total!r} and spread {spread!r} do not belong together.")
    return SequenceState(rows, float(total), float(spread))
