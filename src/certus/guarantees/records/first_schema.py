"""Certificates of the first schema, whose quantity was a sentence: read here, and nowhere else, from its words."""

import re
from collections.abc import Mapping
from typing import Any

from certus.guarantees.records.quantity import LARGE_ERRORS, PRECISION, RECALL, Quantity

_PER_GROUP = re.compile(r"mean over groups of the (?P<rest>.*)", re.DOTALL)
_OF_A_CLASS = re.compile(rf"(?P<name>{RECALL}|{PRECISION}|F1) of (?P<of>.*)", re.DOTALL)
_LARGE_ERRORS = re.compile(rf"(?P<name>{re.escape(LARGE_ERRORS)}) > (?P<threshold>\S+)")


def quantity_of(sentence: object) -> Quantity:
    """The fields behind a sentence that the first schema wrote; any other sentence is a name.

    Examples
    --------
    >>> quantity_of("precision of yes").of, quantity_of("share of rows with |error| > 0.5").threshold
    ('yes', 0.5)
    """
    if not isinstance(sentence, str):
        raise ValueError(f"quantity must be a non-empty string, got {sentence!r}.")
    grouped = _PER_GROUP.fullmatch(sentence)
    rest = grouped["rest"] if grouped else sentence
    found: dict[str, Any] = {"name": rest, "per": "group" if grouped else None}
    if match := _OF_A_CLASS.fullmatch(rest) or _LARGE_ERRORS.fullmatch(rest):
        found |= match.groupdict()
    try:
        read = Quantity(**{**found, "threshold": float(found["threshold"]) if "threshold" in found else None})
    except ValueError:
        return Quantity(sentence)
    return read if str(read) == sentence else Quantity(sentence)


def upgraded(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record of the first schema as one of the second; so are the certificates in its witness."""
    plain = {name: value for name, value in record.items() if name != "schema"}
    if "quantity" in plain:
        plain["quantity_fields"] = quantity_of(plain["quantity"]).to_dict()
    if "witness" in plain:
        plain["witness"] = _upgraded_parts(plain["witness"])
    return {"schema": 2, **plain}


def _upgraded_parts(value: Any) -> Any:
    """The witness of a combination holds the records that it combines."""
    if isinstance(value, Mapping):
        inner = {key: _upgraded_parts(item) for key, item in value.items()}
        return upgraded(inner) if inner.get("schema") == 1 and {"claim", "quantity"} <= set(inner) else inner
    return [_upgraded_parts(item) for item in value] if isinstance(value, (list, tuple)) else value
