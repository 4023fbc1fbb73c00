"""Several certificates at once: failure probabilities add."""

from collections.abc import Sequence
from fractions import Fraction

from certus.guarantees.records import rules
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import exact
from certus.guarantees.records.plain_values import decode
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import bounded, confidence_percent

UNION_BOUND = "Union bound (Boole 1847)"


def union(certificates: Sequence[Certificate]) -> Certificate:
    """One certificate that says: all of these hold together. Failure probabilities add.

    Parameters
    ----------
    certificates : sequence of Certificate
        At least one; estimates are refused, since nothing can be promised about them.

    Returns
    -------
    Certificate
        `value` is the number of statements that hold together.

    Examples
    --------
    >>> from certus.guarantees import error_bound, union
    >>> union([error_bound(15, 500), error_bound(3, 100)]).confidence
    0.9
    """
    parts = _parts(certificates)
    return _joint(
        parts,
        claim="All of these hold together: " + " ".join(part.claim for part in parts),
        quantity="all of: " + ", ".join(str(part.quantity) for part in parts),
        direction="set",
        value=float(len(parts)),
        trivial=0.0,
        rule="union",
    )


def intersection(certificates: Sequence[Certificate]) -> Certificate:
    """The tightest statement about one quantity that several certificates support together.

    Upper bounds give their minimum, lower bounds their maximum, both together an interval. Failure
    probabilities add, so combine only what was planned to be combined.

    Examples
    --------
    >>> from certus.guarantees import error_bound, intersection
    >>> both = intersection([error_bound(15, 500), error_bound(15, 500, side="lower")])
    >>> both.direction, both.confidence
    ('interval', 0.9)
    """
    parts = _parts(certificates)
    quantities = {part.quantity for part in parts}
    if len(quantities) > 1:
        raise ValueError(
            f"intersection needs one quantity, got {', '.join(sorted(map(str, quantities)))}.\nHint: use union."
        )
    direction, value, trivial = _intersected(parts)
    return _joint(
        parts,
        claim=_claim(parts, direction, value),
        quantity=parts[0].quantity,
        direction=direction,
        value=value,
        trivial=trivial,
        rule="intersection",
    )


def _parts(certificates: Sequence[Certificate]) -> tuple[Certificate, ...]:
    parts = tuple(certificates)
    if not parts:
        raise ValueError("at least one certificate is needed, got none.")
    for part in parts:
        if not isinstance(part, Certificate):
            raise ValueError(f"certificates are needed, got a {type(part).__name__}.")
        if not part.guaranteed:
            raise ValueError(f"an estimate cannot be part of a guarantee: {part.claim}")
    return parts


def _joint(parts: tuple[Certificate, ...], **fields: object) -> Certificate:
    confidence = float(1 - sum((1 - exact(part.confidence) for part in parts), Fraction(0)))
    if confidence <= 0:
        raise ValueError("the failure probabilities add up to 1 or more: nothing can be promised together.")
    kinds = {part.kind for part in parts}
    if "expectation" in kinds and len(kinds - {"exact"}) > 1:
        raise ValueError("a statement on average and one with a confidence cannot be joined into one certificate.")
    weakest = next(kind for kind in ("expectation", "probable", "anytime", "exact") if kind in kinds)
    return Certificate(
        confidence=confidence,
        kind=weakest,
        theorem=UNION_BOUND,
        assumptions=tuple(dict.fromkeys(token for part in parts for token in part.assumptions)),
        witness={"certificates": [decode(part.to_dict(), "witness") for part in parts]},
        **fields,  # type: ignore[arg-type]
    )


def _intersected(
    parts: tuple[Certificate, ...],
) -> tuple[str, float | tuple[float, float], float | tuple[float, float]]:
    lows: list[tuple[float, float]] = []  # (bound, trivial)
    highs: list[tuple[float, float]] = []
    for part in parts:
        if isinstance(part.value, tuple) and isinstance(part.trivial, tuple):
            lows.append((part.value[0], part.trivial[0]))
            highs.append((part.value[1], part.trivial[1]))
        elif part.direction in ("upper", "lower"):
            (highs if part.direction == "upper" else lows).append((part.value, part.trivial))  # type: ignore[arg-type]
        else:
            raise ValueError(f"a certificate of direction {part.direction!r} cannot be intersected.")
    if lows and highs:
        low, high = max(bound for bound, _ in lows), min(bound for bound, _ in highs)
        if low > high:
            raise ValueError(
                f"the bounds contradict each other (at least {low:g}, at most {high:g}): one of them failed, "
                "or its assumptions do not hold."
            )
        return "interval", (low, high), (min(t for _, t in lows), max(t for _, t in highs))
    if highs:
        return "upper", min(bound for bound, _ in highs), max(t for _, t in highs)
    return "lower", max(bound for bound, _ in lows), min(t for _, t in lows)


def _claim(parts: tuple[Certificate, ...], direction: str, value: float | tuple[float, float]) -> str:
    confidence = float(1 - sum((1 - exact(part.confidence) for part in parts), Fraction(0)))
    opening = "Always" if confidence == 1 else f"With confidence {confidence_percent(confidence)}"
    return f"{opening} the {parts[0].quantity} is {bounded(value, direction)} ({len(parts)} certificates together)."


def _check_parts(certificate: Certificate, data: object) -> tuple[Certificate, ...]:
    parts = tuple(map(part_of, certificate.witness["certificates"]))
    for part in parts:
        part.check(data)
    return parts


def part_of(record: object) -> Certificate:
    """The certificate that a witness holds."""
    if not isinstance(record, dict):
        raise CertificateError("the witness of a combination must hold certificates.")
    return Certificate.from_dict(dict(record))


@rules.checker("union")
def _check_union(certificate: Certificate, data: object) -> Derivation:
    again = union(_check_parts(certificate, data))
    return Derivation(again.value, error=0.0, slack=0.0, record=again)


@rules.checker("intersection")
def _check_intersection(certificate: Certificate, data: object) -> Derivation:
    again = intersection(_check_parts(certificate, data))
    return Derivation(again.value, error=0.0, slack=0.0, record=again)
