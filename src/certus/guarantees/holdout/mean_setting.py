"""What a bound on a mean is asked for, and its record: what betting and formulas share."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.records import packing
from certus.guarantees.records.assumptions import holdout_tokens
from certus.guarantees.records.bound_arguments import SIDES, check_choice, check_count, check_range, one_or_both
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import failure_of
from certus.guarantees.records.quantity import ERROR, Quantity
from certus.guarantees.records.wording import bounded, confidence_percent, number, percent, plural, uses_paid

THEOREMS = {
    "hoeffding": "Probability Inequalities for Sums of Bounded Random Variables (Hoeffding 1963)",
    "kl": "Tutorial on Practical Prediction Theory for Classification: Chernoff bound (Langford 2005)",
    "bernstein": "Concentration Inequalities: Bernstein's inequality (Boucheron, Lugosi, Massart 2013)",
    "empirical-bernstein": "Empirical Bernstein Bounds and Sample-Variance Penalization (Maurer, Pontil 2009)",
    "hoeffding-bentkus": "Distribution-Free, Risk-Controlling Prediction Sets (Bates et al. 2021)",
    "betting": "Estimating means of bounded random variables by betting (Waudby-Smith, Ramdas 2023)",
    "star": "STaR-Bets: Sequential Target-Recalculating Bets for Tighter Confidence Intervals (Voráček, Orabona 2025)",
}
METHODS = tuple(THEOREMS)
ORDERED = ("betting", "star")  # these depend on the order of the rows


@dataclass(frozen=True)
class Setting:
    """What the caller declared about a mean bound, without the losses."""

    low: float
    high: float
    confidence: float
    side: str
    method: str
    seed: int
    variance: float | None
    uses: int
    quantity: Quantity | str
    unit: str = "row"

    @property
    def parts(self) -> int:
        """Into how many equal parts the failure probability is split."""
        return self.uses * (2 if self.side == "both" else 1)

    @property
    def log_level(self) -> float:
        """log(1/delta) of each part."""
        return math.log(self.parts) - math.log(failure_of(self.confidence))


def sides(side: str) -> tuple[str, ...]:
    """The sides that are bounded."""
    return ("lower", "upper") if side == "both" else (side,)


def unit_losses(values: np.ndarray, setting: Setting, side: str) -> np.ndarray:
    """Losses moved to [0, 1]; for the lower side mirrored, so that an upper bound serves both."""
    width = setting.high - setting.low
    moved = (values - setting.low) / width if side == "upper" else (setting.high - values) / width
    return np.clip(moved, 0.0, 1.0)


def unit_mean(mean: float, setting: Setting, side: str) -> Fraction:
    """The mean moved to [0, 1], exactly; mirrored for the lower side."""
    low, high = Fraction(setting.low), Fraction(setting.high)
    moved = (Fraction(mean) - low) if side == "upper" else (high - Fraction(mean))
    return min(max(moved / (high - low), Fraction(0)), Fraction(1))


def scaled(ends: dict[str, float], setting: Setting) -> float | tuple[float, float]:
    """Unit bounds back on the scale of the losses, clipped to the range, rounded outward."""
    width = setting.high - setting.low
    slip = 4e-16 * (abs(setting.low) + abs(setting.high))
    found = {}
    if "upper" in ends:
        found["upper"] = min(setting.high, setting.low + width * ends["upper"] + slip)
    if "lower" in ends:
        found["lower"] = max(setting.low, setting.high - width * ends["lower"] - slip)
    if setting.side == "both":
        return (found["lower"], found["upper"])
    return found[setting.side]


def _written(setting: Setting) -> Callable[[float, str], str]:
    """Shares of rows that were averaged over larger units are percentages, everything else is a plain number."""
    name = Quantity.of_text(setting.quantity).name
    share = setting.unit != "row" and (name == ERROR or name.startswith("share of "))
    return percent if share else number


def record(value: float | tuple[float, float], setting: Setting, witness: dict[str, Any]) -> Certificate:
    """The certificate of a mean bound."""
    paid = uses_paid(setting.uses)
    special = {"bernstein": ("known-variance",), "betting": ("fixed-order",), "star": ("fixed-order",)}
    more = ("bounded-range", *special.get(setting.method, ()))
    inputs: dict[str, Any] = {
        "low": setting.low,
        "high": setting.high,
        "side": setting.side,
        "uses": setting.uses,
    }
    if setting.method in ORDERED:
        inputs["seed"] = setting.seed
    if setting.variance is not None:
        inputs["variance"] = setting.variance
    if setting.unit != "row":
        inputs["unit"] = setting.unit
    shown = _written(setting)
    return Certificate(
        claim=f"With confidence {confidence_percent(setting.confidence)} the {setting.quantity} is "
        f"{bounded(value, setting.side, shown)} (mean {shown(witness['mean'], 'nearest')} on "
        f"{plural(witness['rows'], setting.unit)}{paid}).",
        quantity=setting.quantity,
        direction="interval" if setting.side == "both" else setting.side,
        value=value,
        trivial=one_or_both(setting.low, setting.high, setting.side),
        confidence=setting.confidence,
        kind="probable",
        theorem=THEOREMS[setting.method],
        rule=f"mean-{setting.method}",
        assumptions=holdout_tokens(setting.uses, *more),
        inputs=inputs,
        witness=witness,
    )


def setting_of(certificate: Certificate) -> Setting:
    """The setting that a certificate was made with."""
    inputs = certificate.inputs
    low, high = check_range(inputs["low"], inputs["high"])
    return Setting(
        low=low,
        high=high,
        confidence=certificate.confidence,
        side=check_choice(inputs["side"], "side", SIDES),
        method=check_choice(certificate.rule.removeprefix("mean-"), "method", METHODS),
        seed=check_count(inputs.get("seed", 0), "seed"),
        variance=inputs.get("variance"),
        uses=check_count(inputs["uses"], "uses", minimum=1),
        quantity=certificate.quantity,
        unit=str(inputs.get("unit", "row")),
    )


def losses_of(certificate: Certificate, data: ArrayLike | None, setting: Setting) -> np.ndarray | None:
    """The losses from the data or the witness, proven to belong to the witness; None if there are none."""
    witness = certificate.witness
    rows = check_count(witness["rows"], "rows", minimum=1)
    packed = packing.unpack(witness["losses"], rows) if "losses" in witness else None
    if data is None and packed is None:
        return None
    values = packed if data is None else np.asarray(data, dtype=np.float64)
    if values is None or values.shape != (rows,):
        raise CertificateError(f"{setting.quantity}: data must be the {rows} losses behind the certificate.")
    if (packed is not None and not np.array_equal(values, packed)) or (
        "sha256" in witness and packing.digest(values) != witness["sha256"]
    ):
        raise CertificateError(f"{setting.quantity}: these are not the losses behind the certificate.")
    if not math.isclose(math.fsum(values.tolist()) / rows, witness["mean"], rel_tol=1e-12, abs_tol=1e-300):
        raise CertificateError(f"{setting.quantity}: the mean of the losses is not the one in the witness.")
    return values
