"""Bounds as people read them: shares as percentages, rounded to the safe side, exactly as their claim says them."""

from __future__ import annotations

from typing import Any

from certus.guarantees import Certificate
from certus.guarantees.records import ERROR, number, percent


def written(certificate: Certificate, value: Any, side: str) -> str:
    """A value of what a certificate bounds, as text; ``side`` says to which side it is rounded."""
    name = certificate.quantity.name
    share = not certificate.rule.startswith("mean-") or name == ERROR or name.startswith("share of ")
    return (percent if share else number)(float(value), side)


def written_bound(certificate: Certificate) -> str:
    """The bound of a certificate with its direction."""
    sign = "≤" if certificate.direction == "upper" else "≥"
    return f"{sign} {written(certificate, certificate.value, certificate.direction)}"
