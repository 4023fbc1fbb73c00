"""Numbers as words in a claim. A printed bound is rounded to the safe side, never to the nearest digit."""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

from certus.guarantees.records.confidence_levels import exact

_ROUNDING = {"upper": ROUND_CEILING, "lower": ROUND_FLOOR, "nearest": ROUND_HALF_EVEN}


def number(value: float, side: str = "nearest", digits: int = 4) -> str:
    """`value` with `digits` significant digits, rounded up for "upper" and down for "lower".

    Examples
    --------
    >>> number(0.0458119, "upper"), number(0.0458119, "lower"), number(100.0)
    ('0.04582', '0.04581', '100')
    """
    if not math.isfinite(value):
        return "infinity" if value > 0 else "-infinity" if value < 0 else "nan"
    if value == 0:
        return "0"
    amount = Decimal(f"{value:.10e}")  # what was added to stay on the safe side of rounding is not shown
    step = Decimal(1).scaleb(amount.adjusted() - digits + 1)
    rounded = (amount / step).quantize(Decimal(1), rounding=_ROUNDING[side]) * step
    text = f"{rounded.normalize():f}" if 1e-5 <= abs(value) < 1e9 else f"{rounded.normalize():e}".lower()
    return text.replace("e+", "e")


def percent(value: float, side: str = "nearest", digits: int = 4) -> str:
    """A share as a percentage, rounded to the safe side.

    Examples
    --------
    >>> percent(0.0458119, "upper"), percent(1.0)
    ('4.582%', '100%')
    """
    return number(float(Decimal(value) * 100), side, digits) + "%"


def bounded(value: float | tuple[float, float], side: str, shown: Callable[[float, str], str] = number) -> str:
    """A bound in words: between its ends, at most or at least, each end rounded to the safe side.

    Examples
    --------
    >>> bounded(0.0458119, "upper", percent), bounded((1.0, 2.0), "both")
    ('at most 4.582%', 'between 1 and 2')
    """
    if isinstance(value, tuple):
        return f"between {shown(value[0], 'lower')} and {shown(value[1], 'upper')}"
    return f"at {'most' if side == 'upper' else 'least'} {shown(value, side)}"


def confidence_percent(confidence: float) -> str:
    """A confidence level as exactly the percentage that it is.

    Examples
    --------
    >>> confidence_percent(0.95), confidence_percent(0.999999999999)
    ('95%', '99.9999999999%')
    """
    share = exact(confidence) * 100
    return f"{(Decimal(share.numerator) / Decimal(share.denominator)).normalize():f}%"


def count(value: int) -> str:
    """A whole number with thin groups of three.

    Examples
    --------
    >>> count(12000)
    '12 000'
    """
    return f"{value:,}".replace(",", " ")


def ordinal(place: int) -> str:
    """A place in a sequence.

    Examples
    --------
    >>> ordinal(1), ordinal(2), ordinal(3), ordinal(11), ordinal(22)
    ('1st', '2nd', '3rd', '11th', '22nd')
    """
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def uses_paid(uses: int) -> str:
    """How a claim says that earlier uses of its rows are paid for; nothing where there are none.

    Examples
    --------
    >>> uses_paid(1), uses_paid(12), uses_paid(10**40)
    ('', '; 12 uses of these rows paid for', '; 10^40 uses of these rows paid for')
    """
    if uses == 1:
        return ""
    shown = str(uses) if uses < 10**9 else f"10^{len(str(uses - 1))}"
    return f"; {shown} uses of these rows paid for"


def plural(amount: int, noun: str) -> str:
    """`amount` and the noun in the right number.

    Examples
    --------
    >>> plural(1, "error"), plural(12000, "row")
    ('1 error', '12 000 rows')
    """
    return f"{count(amount)} {noun}{'' if amount == 1 else 's'}"
