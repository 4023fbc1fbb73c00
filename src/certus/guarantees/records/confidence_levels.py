"""Confidence levels as the decimals that the user wrote.

``1 - 0.95`` is 0.050000000000000044 in floating point. Ranks, unions and Bonferroni splits must not inherit
that, so levels are turned into exact rationals of their shortest decimal form.
"""

from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from numbers import Real


def exact(level: float) -> Fraction:
    """The rational number that the shortest decimal form of `level` denotes.

    Examples
    --------
    >>> exact(0.95)
    Fraction(19, 20)
    """
    return Fraction(repr(float(level)))


def failure_of(confidence: float) -> float:
    """The failure probability that belongs to a confidence, free of cancellation.

    Examples
    --------
    >>> failure_of(0.95), failure_of(0.999999999999)
    (0.05, 1e-12)
    """
    return float(1 - exact(confidence))


def check_confidence(confidence: object, name: str = "confidence") -> float:
    """Return the confidence as a float strictly between 0 and 1."""
    if isinstance(confidence, bool) or not isinstance(confidence, Real) or not 0.0 < float(confidence) < 1.0:
        meaning = "0.95 means that the claim may fail in at most 5 of 100 cases"
        hint = meaning if name == "confidence" else f"a share, such as 0.05 for 5 of 100 ({name})"
        raise ValueError(f"{name} must be a number strictly between 0 and 1, got {confidence!r}.\nHint: {hint}.")
    return float(confidence)


def share(confidence: float, parts: int) -> float:
    """The confidence of each of `parts` claims so that all hold together with `confidence`.

    The failure probability of each is rounded down to four digits, so that it stays readable and the sum safe.

    Examples
    --------
    >>> share(0.95, 2), share(0.95, 11)
    (0.975, 0.995455)
    """
    failure = (1 - exact(confidence)) / parts
    digits = Decimal(failure.numerator) / Decimal(failure.denominator)
    step = Decimal(1).scaleb(digits.adjusted() - 3)
    return float(1 - (digits / step).quantize(Decimal(1), rounding=ROUND_FLOOR) * step)
