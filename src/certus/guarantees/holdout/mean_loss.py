"""Bounds on the mean of losses that lie in a declared range."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from certus.guarantees import _native_calls
from certus.guarantees.holdout import concentration
from certus.guarantees.records import packing
from certus.guarantees.records.assumptions import holdout_tokens
from certus.guarantees.records.bound_arguments import SIDES, check_choice, check_count, check_losses, check_range
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.confidence_levels import check_confidence, failure_of
from certus.guarantees.records.rules import Value
from certus.guarantees.records.wording import confidence_percent, number, plural

THEOREMS = {
    "hoeffding": "Probability Inequalities for Sums of Bounded Random Variables (Hoeffding 1963)",
    "kl": "Tutorial on Practical Prediction Theory for Classification: Chernoff bound (Langford 2005)",
    "bernstein": "Concentration Inequalities: Bernstein's inequality (Boucheron, Lugosi, Massart 2013)",
    "empirical-bernstein": "Empirical Bernstein Bounds and Sample-Variance Penalization (2009)",
    "hoeffding-bentkus": "Distribution-Free, Risk-Controlling Prediction Sets (Bates et al. 2021)",
    "betting": "Estimating means of bounded random variables by betting (Waudby-Smith, Ramdas 2023)",
    "star": "STaR-Bets: Sequential Target-Recalculating Bets for Tighter Confidence Intervals (2025)",
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
    quantity: str

    @property
    def parts(self) -> int:
        """Into how many equal parts the failure probability is split."""
        return self.uses * (2 if self.side == "both" else 1)

    @property
    def log_level(self) -> float:
        """log(1/delta) of each part."""
        return math.log(self.parts) - math.log(failure_of(self.confidence))


def mean_bound(
    losses: Any,
    *,
    low: Any = 0.0,
    high: Any = 1.0,
    confidence: float = 0.95,
    side: str = "upper",
    method: str = "auto",
    seed: int = 0,
    variance: float | None = None,
    uses: int = 1,
    quantity: str = "mean loss",
) -> Certificate:
    """Bound the expected loss from losses on independent held-out rows.

    Betting: the smallest m at which a gambler who bets that the mean is below m multiplies the stake by
    1/(1 - confidence). It adapts to the variance, and is several times tighter than Hoeffding's bound when
    losses vary little.

    Parameters
    ----------
    losses : array-like of shape (rows,)
        One loss per row, inside the range.
    low, high : float, default 0.0 and 1.0
        The range of the loss, known without looking at these losses. For method="hoeffding" also arrays with
        one range per row.
    confidence : float, default=0.95
        Probability with which the bound holds; both ends together for side="both".
    side : {"upper", "lower", "both"}, default="upper"
        Which side to bound.
    method : {"auto", "hoeffding", "kl", "bernstein", "empirical-bernstein", "hoeffding-bentkus", "betting", \
"star"}, default="auto"
        "auto" is betting for every finite range: never chosen by looking at the losses.
    seed : int, default=0
        Order in which betting goes through the rows. Fix it before seeing results.
    variance : float, optional
        For method="bernstein": a known upper bound on the variance of one loss.
    uses : int, default=1
        How many candidates or questions these rows have served, this one included; the bound pays for all.
    quantity : str, default="mean loss"
        Name under which a report lists the bound.

    Returns
    -------
    Certificate
        `value` is the bound (a pair for side="both").

    Examples
    --------
    >>> import numpy as np
    >>> losses = np.random.default_rng(0).beta(1, 9, size=1000)
    >>> round(mean_bound(losses).value, 2), round(mean_bound(losses, method="hoeffding").value, 2)
    (0.11, 0.14)
    """
    check_choice(side, "side", SIDES)
    check_choice(method, "method", ("auto", *METHODS))
    method = "betting" if method == "auto" else method
    confidence, uses = check_confidence(confidence), check_count(uses, "uses", minimum=1)
    seed = check_count(seed, "seed")
    if np.ndim(low) or np.ndim(high):
        low, high, values, squared = _unequal_ranges(losses, low, high, method)
    else:
        low, high = check_range(low, high)
        values = check_losses(losses, low, high)
        squared = len(values) * (high - low) ** 2
    variance = _check_variance(variance, method)
    setting = Setting(low, high, confidence, side, method, seed, variance, uses, quantity)
    if method in ORDERED:
        return _by_betting(values, setting)
    return _by_summary(values, squared, setting)


def _unequal_ranges(losses: Any, low: Any, high: Any, method: str) -> tuple[float, float, np.ndarray, float]:
    """Average range, losses, and the sum of squared ranges, for ranges that differ between rows."""
    if method != "hoeffding":
        raise ValueError(f"one range per row needs method='hoeffding', got {method!r}")
    values = check_losses(losses, -np.inf, np.inf)
    lows, highs = (np.broadcast_to(np.asarray(end, dtype=float), values.shape) for end in (low, high))
    bad = np.flatnonzero(~((lows <= values) & (values <= highs) & np.isfinite(highs - lows)))
    if bad.size:
        row = int(bad[0])
        raise ValueError(f"losses: row {row} is {values[row]!r}, outside its range [{lows[row]}, {highs[row]}]")
    squared = math.fsum(((highs - lows) ** 2).tolist()) * (1.0 + 1e-14)
    return math.fsum(lows) / len(values), math.fsum(highs) / len(values), values, squared


def _check_variance(variance: float | None, method: str) -> float | None:
    if (variance is None) == (method == "bernstein"):
        raise ValueError(
            f"variance={variance!r} does not go with method={method!r}: Bernstein's bound needs a known "
            "variance, no other uses it. Hint: method='empirical-bernstein' estimates it."
        )
    if variance is not None and not 0.0 <= variance < math.inf:
        raise ValueError(f"variance must be a finite number of at least 0, got {variance!r}")
    return None if variance is None else float(variance)


def _by_betting(values: np.ndarray, setting: Setting) -> Certificate:
    kernel = _native_calls.betting_upper if setting.method == "betting" else _native_calls.star_upper
    ordered = values[_native_calls.seeded_order(setting.seed, len(values))]
    ends = {
        side: float(kernel(unit_losses(ordered, setting, side)[None, :], setting.log_level)[0])
        for side in _sides(setting.side)
    }
    witness: dict[str, Any] = {"rows": len(values), "mean": math.fsum(values.tolist()) / len(values)}
    if len(values) <= packing.LARGEST:
        witness["losses"] = packing.pack(values)
    else:
        witness["sha256"] = packing.digest(values)
    return record(scaled(ends, setting), setting, witness)


def _by_summary(values: np.ndarray, squared_ranges: float, setting: Setting) -> Certificate:
    rows, mean = len(values), math.fsum(values.tolist()) / len(values)
    width = setting.high - setting.low
    witness: dict[str, Any] = {"rows": rows, "mean": mean}
    if setting.method == "hoeffding":
        witness["squared_ranges"] = squared_ranges
    if setting.method == "empirical-bernstein":
        spread = math.fsum(((values - mean) ** 2).tolist()) * (1.0 + 1e-13)
        witness["variance"] = spread / (rows - 1) if rows > 1 else 0.0
    ends = {}
    for side in _sides(setting.side):
        center = float(unit_mean(mean, setting, side)) + 1e-15
        ends[side] = _summary_upper(center, witness, setting, width)
    return record(scaled(ends, setting), setting, witness)


def _summary_upper(center: float, witness: dict[str, Any], setting: Setting, width: float) -> float:
    rows, level = witness["rows"], setting.log_level
    if setting.method == "hoeffding":
        return concentration.hoeffding_upper(center, rows, level, witness["squared_ranges"] / width**2)
    if setting.method == "kl":
        return concentration.kl_upper(center, level / rows)
    if setting.method == "hoeffding-bentkus":
        return concentration.hoeffding_bentkus_upper(center, rows, level)
    if setting.method == "bernstein":
        assert setting.variance is not None
        return concentration.bernstein_upper(center, rows, level, setting.variance / width**2)
    return concentration.empirical_bernstein_upper(center, rows, level, witness["variance"] / width**2)


def _sides(side: str) -> tuple[str, ...]:
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


def record(value: float | tuple[float, float], setting: Setting, witness: dict[str, Any]) -> Certificate:
    """The certificate of a mean bound."""
    if isinstance(value, tuple):
        said = f"between {number(value[0], 'lower')} and {number(value[1], 'upper')}"
    else:
        said = f"at {'most' if setting.side == 'upper' else 'least'} {number(value, setting.side)}"
    paid = f"; {setting.uses} uses of these rows paid for" if setting.uses > 1 else ""
    trivials: dict[str, Value] = {
        "both": (setting.low, setting.high),
        "upper": setting.high,
        "lower": setting.low,
    }
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
    return Certificate(
        claim=f"With confidence {confidence_percent(setting.confidence)} the {setting.quantity} is {said} "
        f"(mean {number(witness['mean'])} on {plural(witness['rows'], 'row')}{paid}).",
        quantity=setting.quantity,
        direction="interval" if setting.side == "both" else setting.side,
        value=value,
        trivial=trivials[setting.side],
        confidence=setting.confidence,
        kind="probable",
        theorem=THEOREMS[setting.method],
        rule=f"mean-{setting.method}",
        assumptions=holdout_tokens(setting.uses, *more),
        inputs=inputs,
        witness=witness,
    )
