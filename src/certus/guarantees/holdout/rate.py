"""Bounds on any rate (error, recall, precision ...) from a count of events among rows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.guarantees.holdout import clopper_pearson, concentration
from certus.guarantees.holdout.binomial_tail import bisect, log_lower_tail, log_upper_tail
from certus.guarantees.records import rules
from certus.guarantees.records.assumptions import holdout_tokens
from certus.guarantees.records.bound_arguments import (
    SIDES,
    check_choice,
    check_count,
    check_errors_and_rows,
    one_or_both,
)
from certus.guarantees.records.bounds import Bounds
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import check_confidence, exact
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation, Value
from certus.guarantees.records.wording import bounded, confidence_percent, percent, plural, uses_paid

THEOREMS = {
    "clopper-pearson": "The Use of Confidence or Fiducial Limits: the Binomial (Clopper, Pearson 1934)",
    "kl": "Tutorial on Practical Prediction Theory for Classification: Chernoff bound (Langford 2005)",
    "hoeffding": "Probability Inequalities for Sums of Bounded Random Variables (Hoeffding 1963)",
}
METHODS = tuple(THEOREMS)
SMALLEST_LEVEL = 1e-290  # floating point ends there: nothing is claimed below
RULES = {"clopper-pearson": "clopper-pearson", "kl": "rate-kl", "hoeffding": "rate-hoeffding"}


@dataclass(frozen=True)
class RateSetting:
    """What a rate bound is about and how sure it must be.

    Parameters
    ----------
    noun : str
        What is counted, in the singular.
    conditional : bool
        True when the rows are those of one class or of one predicted class.
    uses : int
        How many candidates or questions these rows have served, this one included.
    rounded : bool
        True when the count is not the one that was found but a step of a ladder above it.
    """

    confidence: float = 0.95
    side: str = "upper"
    method: str = "clopper-pearson"
    uses: int = 1
    quantity: Quantity | str = "error"
    noun: str = "error"
    conditional: bool = False
    rounded: bool = False

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        check_choice(self.side, "side", SIDES)
        check_choice(self.method, "method", METHODS)
        check_count(self.uses, "uses", minimum=1)
        if self.rounded and self.side != "upper":
            raise ValueError(f"side must be 'upper' for a count that is rounded up, got {self.side!r}.")

    @property
    def parts(self) -> int:
        """Into how many equal parts the failure probability is split."""
        return self.uses * (2 if self.side == "both" else 1)

    @property
    def delta(self) -> float:
        """Failure probability of each part."""
        return float((1 - exact(self.confidence)) / self.parts)


def rate_bound(events: int, rows: int, setting: RateSetting) -> Certificate:
    """Bound the probability of an event that happened `events` times in `rows` independent rows."""
    delta = setting.delta
    if delta < SMALLEST_LEVEL:
        return record(one_or_both(0.0, 1.0, setting.side), events, rows, setting)
    if setting.method == "clopper-pearson":
        low, high = clopper_pearson.lower(events, rows, delta), clopper_pearson.upper(events, rows, delta)
    else:
        level = -math.log(delta)
        high = _chernoff_or_hoeffding(events / rows + 1e-16, rows, level, setting.method)
        low = 1.0 - _chernoff_or_hoeffding((rows - events) / rows + 1e-16, rows, level, setting.method)
        low, high = max(0.0, low - 1e-15), min(1.0, high)
    return record(one_or_both(low, high, setting.side), events, rows, setting)


def _chernoff_or_hoeffding(center: float, rows: int, level: float, method: str) -> float:
    center = min(1.0, center)
    if method == "kl":
        return concentration.kl_upper(center, level / rows)
    return concentration.hoeffding_upper(center, rows, level)


def record(value: Value, events: int, rows: int, setting: RateSetting) -> Certificate:
    """The certificate of a rate bound."""
    side = setting.side
    paid = uses_paid(setting.uses)
    more = ("class-counts-given",) if setting.conditional else ()
    about = "at most " if setting.rounded else ""
    return Certificate(
        claim=f"With confidence {confidence_percent(setting.confidence)} the {setting.quantity} is "
        f"{bounded(value, side, percent)} ({about}{plural(events, setting.noun)} in {plural(rows, 'row')}{paid}).",
        quantity=setting.quantity,
        direction="interval" if side == "both" else side,
        value=value,
        trivial=one_or_both(0.0, 1.0, side),
        confidence=setting.confidence,
        kind="probable",
        theorem=THEOREMS[setting.method],
        rule=RULES[setting.method],
        assumptions=holdout_tokens(setting.uses, *more),
        inputs={
            "side": side,
            "uses": setting.uses,
            "noun": setting.noun,
            "conditional": setting.conditional,
            **({"rounded": True} if setting.rounded else {}),
        },
        witness={"errors" if setting.noun == "error" else "events": events, "rows": rows},
    )


def _check_rate(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    witness, inputs = certificate.witness, certificate.inputs
    setting = RateSetting(
        confidence=certificate.confidence,
        side=inputs["side"],
        method=next(method for method, rule in RULES.items() if rule == certificate.rule),
        uses=inputs["uses"],
        quantity=certificate.quantity,
        noun=inputs["noun"],
        conditional=inputs["conditional"],
        rounded=inputs.get("rounded") is True,
    )
    events, rows = check_errors_and_rows(witness["errors" if setting.noun == "error" else "events"], witness["rows"])
    if data is not None:
        _recount(certificate.quantity, data, events, rows, rounded=setting.rounded)
    derive = _tail_ends if setting.method == "clopper-pearson" else _formula_ends
    low, high = derive(events, rows, setting)
    return Derivation(
        one_or_both(low, high, setting.side),
        error=1e-11,
        record=record(certificate.value, events, rows, setting),
        scale=0.0 if setting.method == "clopper-pearson" else 1e-3,
    )


def _tail_ends(events: int, rows: int, setting: RateSetting) -> tuple[float, float]:
    if setting.delta < SMALLEST_LEVEL:
        return 0.0, 1.0
    goal, mean = math.log(setting.delta), events / rows
    high = 1.0 if events == rows else bisect(lambda p: log_lower_tail(events, rows, p) > goal, mean, 1.0)
    low = 0.0 if events == 0 else bisect(lambda p: log_upper_tail(events, rows, p) > goal, mean, 0.0)
    return low, high


def _formula_ends(events: int, rows: int, setting: RateSetting) -> tuple[float, float]:
    if setting.delta < SMALLEST_LEVEL:
        return 0.0, 1.0
    level = concentration.log_level_decimal(setting.confidence, setting.parts)
    ends = []
    for count in (rows - events, events):
        if setting.method == "kl":
            ends.append(concentration.chernoff_in_decimals(count / rows, rows, level))
        else:
            ends.append(min(1.0, concentration.hoeffding_in_decimals(count / rows, rows, level, float(rows))))
    return 1.0 - ends[0], ends[1]


def _recount(quantity: Quantity | str, data: ArrayLike | None, events: int, rows: int, *, rounded: bool) -> None:
    """`data` has one truth value per row: did the event happen. A rounded count is one above theirs."""
    happened = np.asarray(data)
    if happened.ndim != 1 or not np.isin(happened, (0, 1)).all():
        raise CertificateError(f"{quantity}: data must be one 0 or 1 per row, 1 where the event happened.")
    found = int(happened.sum())
    if happened.size != rows or found > events or (found < events and not rounded):
        raise CertificateError(
            f"{quantity}: the data have {found} events in {happened.size} rows, the witness says {events} in {rows}."
        )


for _rule in RULES.values():
    rules.checker(_rule)(_check_rate)


@rules.rows_that_help("rate-hoeffding")
def _rows_that_help(certificate: Certificate) -> int | None:
    """Rows at which the bound would leave the trivial value if the rate stayed what it is."""
    if certificate.inputs["side"] == "both":
        return None
    events = certificate.witness.get("errors", certificate.witness.get("events"))
    rate = events / certificate.witness["rows"]
    room = 1.0 - rate if certificate.inputs["side"] == "upper" else rate
    return None if room <= 0 else math.floor(-math.log(certificate.failure) / (2 * room * room)) + 1


class RateBounds(Bounds):
    """Bounds on many rates, from as many counts of events among rows.

    Parameters
    ----------
    events, rows : array of int
        Counts.
    setting : RateSetting
        What the bounds are about, and how sure each must be.

    Examples
    --------
    >>> bounds = error_bound([3, 15, 40], 500)
    >>> len(bounds), bounds[1].claim
    (3, 'With confidence 95% the error is at most 4.582% (15 errors in 500 rows).')
    """

    def __init__(self, events: ArrayLike, rows: ArrayLike, setting: RateSetting) -> None:
        self.events, self.rows = _counts(events, rows)
        self.setting = setting
        self.values = self._ends()

    def _ends(self) -> NDArray[np.float64]:
        setting, delta = self.setting, self.setting.delta
        if setting.method != "clopper-pearson" or delta < SMALLEST_LEVEL:
            pairs = zip(self.events.tolist(), self.rows.tolist(), strict=True)
            return np.array([rate_bound(events, rows, setting).value for events, rows in pairs])
        low = clopper_pearson.lowers(self.events, self.rows, delta) if setting.side != "upper" else None
        high = clopper_pearson.uppers(self.events, self.rows, delta) if setting.side != "lower" else None
        ends = [end for end in (low, high) if end is not None]
        return ends[0] if len(ends) == 1 else np.column_stack(ends)

    def __getitem__(self, place: int) -> Certificate:
        value = self.values[place]
        found = tuple(value.tolist()) if value.ndim else float(value)
        return record(found, int(self.events[place]), int(self.rows[place]), self.setting)

    def to_dict(self) -> dict[str, Any]:
        """The record of all bounds as plain values."""
        told = {"events": self.events.tolist(), "rows": self.rows.tolist(), "values": self.values.tolist()}
        return {**vars(self.setting), "quantity": str(self.setting.quantity), **told}


def _counts(events: ArrayLike, rows: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Equally long vectors of counts with 0 <= events <= rows and at least one row."""
    found, totals = np.broadcast_arrays(np.atleast_1d(np.asarray(events)), np.atleast_1d(np.asarray(rows)))
    if found.ndim != 1 or not found.size:
        raise ValueError(f"errors and rows must be vectors of counts, got the shape {found.shape}.")
    whole = all(part.dtype.kind in "iuf" and (part == np.floor(part)).all() for part in (found, totals))
    bad = np.flatnonzero(~((found >= 0) & (found <= totals) & (totals >= 1))) if whole else np.array([0])
    if bad.size:
        check_errors_and_rows(found[bad[0]].item(), totals[bad[0]].item())  # says what is wrong with the first
    return found.astype(np.int64), totals.astype(np.int64)


@overload
def error_bound(
    errors: int, rows: int, *, confidence: float = ..., side: str = ..., method: str = ..., uses: int = ...
) -> Certificate: ...


@overload
def error_bound(
    errors: Sequence[int] | NDArray[Any],
    rows: int | Sequence[int] | NDArray[Any],
    *,
    confidence: float = ...,
    side: str = ...,
    method: str = ...,
    uses: int = ...,
) -> RateBounds: ...


def error_bound(
    errors: Any,
    rows: Any,
    *,
    confidence: float = 0.95,
    side: str = "upper",
    method: str = "clopper-pearson",
    uses: int = 1,
) -> Certificate | RateBounds:
    """Bound the true error rate from `errors` mistakes on `rows` independent held-out rows.

    Clopper-Pearson: the largest p with P(Binomial(rows, p) <= errors) >= 1 - confidence. Exact: no other
    bound that depends on the count alone and grows with it is smaller.

    Parameters
    ----------
    errors, rows : int, or arrays of int
        Mistakes, and rows looked at; arrays give as many bounds at once, each at the confidence.
    confidence : float, default=0.95
        Probability with which the bound holds; both ends together for side="both".
    side : {"upper", "lower", "both"}, default="upper"
        Which side to bound.
    method : {"clopper-pearson", "kl", "hoeffding"}, default="clopper-pearson"
        The theorem to use; the others are wider and are there for comparison.
    uses : int, default=1
        How many candidates were scored on these rows, this one included; the bound pays for all of them.

    Returns
    -------
    Certificate, or RateBounds for arrays
        `value` is the bound (a pair for side="both"); of many bounds `values`, and every one is a certificate
        by its place.

    Examples
    --------
    >>> bound = error_bound(15, 500)
    >>> round(bound.value, 5)
    0.04582
    >>> bound.claim
    'With confidence 95% the error is at most 4.582% (15 errors in 500 rows).'
    """
    setting = RateSetting(confidence=confidence, side=side, method=method, uses=uses)
    if np.ndim(errors) or np.ndim(rows):
        return RateBounds(errors, rows, setting)
    errors, rows = check_errors_and_rows(errors, rows)
    return rate_bound(errors, rows, setting)
