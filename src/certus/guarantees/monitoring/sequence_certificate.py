"""Certificates of confidence sequences, and their check by integrating over the bets."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.holdout.binomial_tail import bisect
from certus.guarantees.monitoring import quadrature
from certus.guarantees.monitoring.gamma_mixture import tuned_rho
from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import SIDES, check_choice, check_count, check_range, one_or_both
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import check_confidence, failure_of
from certus.guarantees.records.rules import Derivation, Value
from certus.guarantees.records.wording import bounded, confidence_percent, number, percent, plural

THEOREMS = {
    "beta-binomial": "Statistical Methods Related to the Law of the Iterated Logarithm: mixtures (Robbins 1970)",
    "gamma-exponential": "Time-uniform, nonparametric, nonasymptotic confidence sequences (Howard et al. 2021)",
}
METHODS = tuple(THEOREMS)


@dataclass(frozen=True)
class SequenceSetting:
    """What the caller declared about a sequence."""

    method: str
    low: float
    high: float
    confidence: float
    side: str
    prior: tuple[float, float] | None
    tuned_variance: float
    quantity: str

    @property
    def width(self) -> float:
        """Length of the range."""
        return self.high - self.low

    @property
    def beta_prior(self) -> tuple[float, float]:
        """Weights of the beta-binomial mixture."""
        if self.prior is not None:
            return self.prior
        return (0.5, 0.5) if self.side == "both" else (1.0, 1.0)

    @property
    def log_level(self) -> float:
        """log(1/delta) of each bet: the two-sided beta-binomial mixture is one bet, the gamma-exponential two."""
        parts = 2 if self.side == "both" and self.method == "gamma-exponential" else 1
        return math.log(parts) - math.log(failure_of(self.confidence))

    @property
    def rho(self) -> float:
        """Shape of the gamma-exponential mixture."""
        return tuned_rho(self.tuned_variance, self.log_level)

    def scaled(self, low: float, high: float) -> tuple[float, float]:
        """Ends in units of the range as losses, rounded outward."""
        slip = 0.0 if (self.low, self.high) == (0.0, 1.0) else 4e-16 * (abs(self.low) + abs(self.high))
        bottom, top = self.low + self.width * low - slip, self.low + self.width * high + slip
        return max(self.low, bottom), min(self.high, top)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, in the names of the parameters."""
        plain = asdict(self)
        plain["prior"] = None if self.prior is None else list(self.prior)
        return plain


def record(value: Value, setting: SequenceSetting, rows: int, total: float, spread: float) -> Certificate:
    """The certificate of a sequence after `rows` rows."""
    unit = (setting.low, setting.high) == (0.0, 1.0) and setting.method == "beta-binomial"
    shown = percent if unit else number
    whole = unit and float(total).is_integer()
    mean = setting.low + setting.width * total / rows if rows else math.nan
    seen = f"{plural(int(total), 'event')} in " if whole else f"mean {number(mean)} on " if rows else ""
    what = f"{setting.quantity}, averaged over the rows," if setting.method == "gamma-exponential" else setting.quantity
    witness: dict[str, Any] = {"rows": rows, "total": total}
    inputs: dict[str, Any] = {"low": setting.low, "high": setting.high, "side": setting.side}
    if setting.method == "beta-binomial":
        inputs["prior"] = setting.beta_prior
        assumptions: tuple[str, ...] = ("constant-mean", "bounded-range")
    else:
        inputs["tuned_variance"], witness["spread"] = setting.tuned_variance, spread
        assumptions = ("bounded-range",)
    return Certificate(
        claim=f"With confidence {confidence_percent(setting.confidence)}, at every look, the {what} is "
        f"{bounded(value, setting.side, shown)} ({seen}{plural(rows, 'row')} so far).",
        quantity=setting.quantity,
        direction="interval" if setting.side == "both" else setting.side,
        value=value,
        trivial=one_or_both(setting.low, setting.high, setting.side),
        confidence=setting.confidence,
        kind="anytime",
        theorem=THEOREMS[setting.method],
        rule=f"sequence-{setting.method}",
        assumptions=assumptions,
        inputs=inputs,
        witness=witness,
    )


def _setting(certificate: Certificate) -> SequenceSetting:
    inputs = certificate.inputs
    low, high = check_range(inputs["low"], inputs["high"])
    prior = inputs.get("prior")
    if prior is not None and not (len(prior) == 2 and min(prior) >= 0.5):
        raise CertificateError(f"{certificate.quantity}: the prior {prior!r} is not a pair of weights.")
    tuned = float(inputs.get("tuned_variance", 1.0))
    if not 1e-3 <= tuned <= 1e9:
        raise CertificateError(f"{certificate.quantity}: the tuned variance {tuned!r} is not allowed.")
    return SequenceSetting(
        method=check_choice(certificate.rule.removeprefix("sequence-"), "method", METHODS),
        low=low,
        high=high,
        confidence=check_confidence(certificate.confidence),
        side=check_choice(inputs["side"], "side", SIDES),
        prior=prior,
        tuned_variance=tuned,
        quantity=str(certificate.quantity),
    )


def _check_sequence(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """`data` are the losses in the order in which they came."""
    setting, witness = _setting(certificate), certificate.witness
    rows, total = check_count(witness["rows"], "rows"), float(witness["total"])
    spread = float(witness.get("spread", 0.0))
    if not (0.0 <= total <= rows and 0.0 <= spread <= rows):
        raise CertificateError(f"{setting.quantity}: total and spread do not belong to {rows} rows.")
    if data is not None:
        _recount(setting, data, rows, total, spread)
    ends = _beta_ends if setting.method == "beta-binomial" else _gamma_ends
    low, high = setting.scaled(*(ends(setting, rows, total, spread) if rows else (0.0, 1.0)))
    value: Value = (low, high) if setting.side == "both" else high if setting.side == "upper" else low
    return Derivation(
        value,
        error=1e-8,
        slack=1e-5,
        scale=1e-3 * setting.width,
        record=record(certificate.value, setting, rows, total, spread),
    )


def _recount(setting: SequenceSetting, data: ArrayLike | None, rows: int, total: float, spread: float) -> None:
    """One loss after the other, as the definition says."""
    losses = np.asarray(data, dtype=float)
    if losses.shape != (rows,) or not ((losses >= setting.low) & (losses <= setting.high)).all():
        raise CertificateError(f"{setting.quantity}: data must be the {rows} losses behind the certificate, in order.")
    unit = ((losses - setting.low) / setting.width).tolist()
    seen, again = 0.0, 0.0
    for row, loss in enumerate(unit):
        again += (loss - (0.5 + seen) / (row + 1)) ** 2
        seen += loss
    wrong_spread = setting.method == "gamma-exponential" and not math.isclose(again, spread, rel_tol=1e-9)
    if not math.isclose(seen, total, rel_tol=1e-9, abs_tol=1e-9) or wrong_spread:
        raise CertificateError(f"{setting.quantity}: these are not the losses behind the certificate.")


def _beta_ends(setting: SequenceSetting, rows: int, total: float, _spread: float) -> tuple[float, float]:
    level, center, prior = setting.log_level, total / rows, setting.beta_prior

    def kept(rate: float) -> bool:
        return 0.0 < rate < 1.0 and quadrature.log_evidence(total, rows, rate, prior) < level

    def kept_below(events: float, exponent: float) -> float:
        if events <= 0.0:
            return 0.0
        return bisect(
            lambda p: p >= 1.0 or (p > 0.0 and quadrature.log_evidence_above(events, rows, p, exponent) < level),
            events / rows,
            0.0,
        )

    if setting.side == "both":
        low = bisect(kept, center, 0.0) if center > 0.0 else 0.0
        return low, bisect(kept, center, 1.0) if center < 1.0 else 1.0
    if setting.side == "lower":
        return kept_below(total, prior[1]), 1.0
    return 0.0, 1.0 - kept_below(rows - total, prior[0])


def _gamma_ends(setting: SequenceSetting, rows: int, total: float, spread: float) -> tuple[float, float]:
    level, outside = setting.log_level, 1.0
    while quadrature.log_gamma_mixture(outside, spread, setting.rho) < level:
        outside *= 2.0
    reach = bisect(lambda s: quadrature.log_gamma_mixture(s, spread, setting.rho) < level, 0.0, outside)
    low = max(0.0, (total - reach) / rows) if setting.side != "upper" else 0.0
    return low, min(1.0, (total + reach) / rows) if setting.side != "lower" else 1.0


for _method in METHODS:
    rules.checker(f"sequence-{_method}")(_check_sequence)
