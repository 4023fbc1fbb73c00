"""The record that every guarantee is handed over as."""

import html
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from certus.guarantees.records import first_schema, rules
from certus.guarantees.records.assumptions import check_assumptions
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import failure_of
from certus.guarantees.records.json_document import JsonDocument
from certus.guarantees.records.plain_values import FrozenDict, decode, encode, freeze
from certus.guarantees.records.quantity import QUANTITY_FIELD, Quantity, QuantityField
from certus.guarantees.records.wording import confidence_percent, number, plural

SCHEMA_VERSION = 2  # 1: the quantity was a sentence without fields
DIRECTIONS = ("upper", "lower", "interval", "set")
KINDS = ("exact", "probable", "anytime", "expectation", "estimate")

# The claim of a fixed sample states its confidence itself, but for those of these rules.
SILENT_RULES = frozenset({"conformal-floor", "guard-monotone", "guard-search"})


@dataclass(frozen=True, kw_only=True)
class Certificate(JsonDocument):
    """One guarantee: what is claimed, how surely, by which theorem, and all that is needed to check it.

    Parameters
    ----------
    claim : str
        The guarantee as one English sentence.
    quantity : Quantity or str
        What is bounded, such as "error" or "optimality gap"; kept as a `Quantity`.
    direction : {"upper", "lower", "interval", "set"}
        Which side is bounded.
    value : float or (float, float)
        The bound, rounded to the safe side; an interval has two ends.
    trivial : float or (float, float)
        What could have been said without any data; a bound that is no better is vacuous.
    confidence : float
        Probability with which the claim holds: 1 for "exact" and "expectation", strictly between 0 and 1 for
        "probable" and "anytime", 0 for an "estimate", which promises nothing.
    kind : {"exact", "probable", "anytime", "expectation", "estimate"}
        Holds always; with the confidence for a fixed sample; with the confidence at every look; on average
        over samples; not guaranteed.
    theorem : str
        Title and year of the theorem.
    rule : str
        Key of the checker that derives the value again.
    assumptions : tuple of str
        Tokens of `certus.guarantees.records.assumptions.ASSUMPTIONS`.
    inputs : dict
        What the caller declared (levels, ranges, seeds, counts of uses).
    witness : dict
        The smallest thing from which the value can be derived again.
    fingerprint : str, optional
        The rows behind it, as 64 hexadecimal digits (`certus.guarantees.rows.fingerprint`): whoever has rows can tell
        whether they are these.

    Examples
    --------
    >>> from certus.guarantees import error_bound
    >>> certificate = error_bound(15, 500)
    >>> round(certificate.value, 4), certificate.check()
    (0.0458, True)
    """

    claim: str
    quantity: QuantityField = QUANTITY_FIELD
    direction: str
    value: float | tuple[float, float]
    trivial: float | tuple[float, float]
    confidence: float
    kind: str
    theorem: str
    rule: str
    assumptions: tuple[str, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    witness: Mapping[str, Any] = field(default_factory=dict)
    fingerprint: str | None = None

    def __post_init__(self) -> None:
        for name in ("claim", "theorem", "rule"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip():
                raise ValueError(f"{name} must be a non-empty string, got {text!r}.")
        for name, allowed in (("direction", DIRECTIONS), ("kind", KINDS)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {getattr(self, name)!r}.")
        store = object.__setattr__
        store(self, "value", _bound(self.value, "value", self.direction))
        store(self, "trivial", _bound(self.trivial, "trivial", self.direction))
        store(self, "confidence", _confidence(self.confidence, self.kind))
        store(self, "assumptions", check_assumptions(self.assumptions))
        for name in ("inputs", "witness"):
            given = getattr(self, name)
            if not isinstance(given, Mapping):
                raise ValueError(f"{name} must be a dictionary, got {type(given).__name__}.")
            store(self, name, freeze(given, name))
        if self.fingerprint is not None and not _is_fingerprint(self.fingerprint):
            raise ValueError(f"fingerprint must be 64 hexadecimal digits, got {self.fingerprint!r}.")

    @property
    def vacuous(self) -> bool:
        """True when the bound says no more than the trivial one."""
        value, trivial = self.value, self.trivial
        if isinstance(value, tuple) and isinstance(trivial, tuple):
            return value[0] <= trivial[0] and value[1] >= trivial[1]
        if isinstance(value, tuple) or isinstance(trivial, tuple):
            return False  # cannot happen: __post_init__ demands the same shape
        if self.direction == "upper":
            return value >= trivial
        return value <= trivial if self.direction == "lower" else value == trivial

    @property
    def single_value(self) -> float:
        """The value of a bound that is one number; an interval is a `CertificateError`."""
        if isinstance(self.value, tuple):
            raise CertificateError(f"{self.quantity}: the bound must be one number, got {self.value!r}.")
        return self.value

    @property
    def failure(self) -> float:
        """Probability with which the claim may fail: 1 - confidence of the decimal that was declared."""
        return failure_of(self.confidence)

    @property
    def guaranteed(self) -> bool:
        """False for estimates."""
        return self.kind != "estimate"

    def check(self, data: Any = None) -> bool:
        """Derive the value again by a second route; return True or raise `CertificateError`.

        Parameters
        ----------
        data : optional
            The rows behind the witness, in the form that the rule documents (losses, labels and
            predictions, ``(X, y)``). Without them the witness is trusted, and only the step from it to the
            value is checked.
        """
        rules.verify(self, data)
        return True

    def to_dict(self) -> dict[str, Any]:
        """The record as plain JSON values, with the schema version."""
        plain = {entry.name: encode(getattr(self, entry.name)) for entry in fields(self)}
        if self.fingerprint is None:
            del plain["fingerprint"]
        parts = {key: encode(part) for key, part in self.quantity.to_dict().items()}
        return {"schema": SCHEMA_VERSION, **plain, "quantity": str(self.quantity), "quantity_fields": parts}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; anything unknown or malformed is a `CertificateError`."""
        if not isinstance(record, Mapping):
            raise CertificateError(f"a certificate must be a JSON object, got {type(record).__name__}.")
        check_schema(record.get("schema"))
        try:
            if record["schema"] == 1:
                record = first_schema.upgraded(record)
            names = {entry.name for entry in fields(cls)} - ({"fingerprint"} - record.keys())
            if odd := sorted(map(str, (names | {"schema", "quantity_fields"}).symmetric_difference(record))):
                raise CertificateError(f"a certificate has unknown or missing fields: {', '.join(odd)}.")
            quantity = Quantity.from_dict(decode(record["quantity_fields"], "quantity_fields"))
            if record["quantity"] != str(quantity):
                raise CertificateError(f"the quantity is {record['quantity']!r}, its fields say {str(quantity)!r}.")
            plain = {name: _decoded(name, record[name]) for name in names - {"quantity"}}
            return cls(quantity=quantity, **plain)
        except (ValueError, TypeError, RecursionError) as error:
            raise CertificateError(f"malformed certificate: {error}") from error

    @property
    def standing(self) -> str:
        """How sure the claim is, in words: "always", "confidence 95%", "estimate, not a guarantee" ..."""
        if self.kind == "probable":
            return f"confidence {confidence_percent(self.confidence)}"
        if self.kind == "anytime":
            return f"confidence {confidence_percent(self.confidence)} at every look"
        words = {"exact": "always", "expectation": "on average", "estimate": "estimate, not a guarantee"}
        return words[self.kind]

    def why_vacuous(self) -> str:
        """Why the bound says nothing, and the rows that would help where a formula knows."""
        value = self.value
        shown = f"({number(value[0])}, {number(value[1])})" if isinstance(value, tuple) else number(value)
        text = f"{self.quantity}: the bound {shown} says no more than could be said without data"
        needed = rules.rows_needed(self)
        if needed is not None:
            text += f"; about {plural(needed, 'row')} would help"
        return f"{text} [{self.standing}; {self.theorem}]"

    def __str__(self) -> str:
        stated = self.kind == "probable" and self.rule not in SILENT_RULES
        return f"{self.claim} [{self.theorem}]" if stated else f"{self.claim} [{self.standing}; {self.theorem}]"

    def _repr_html_(self) -> str:
        rows = (
            ("claim", self.claim),
            ("standing", self.standing + (" (vacuous)" if self.vacuous else "")),
            ("value", str(self.value)),
            ("theorem", self.theorem),
            ("assumptions", ", ".join(self.assumptions) or "none"),
        )
        cells = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in rows)
        return f'<table class="certus-certificate">{cells}</table>'


def _is_fingerprint(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) is not None


def check_schema(version: object) -> None:
    """Refuse a record of a schema that this release cannot read."""
    if isinstance(version, bool) or version not in range(1, SCHEMA_VERSION + 1):
        raise CertificateError(
            f"schema version {version!r} is not supported.\n"
            f"Hint: this release reads the versions up to {SCHEMA_VERSION}."
        )


def _bound(value: Any, name: str, direction: str) -> float | tuple[float, float]:
    """One number, or two ascending ones for an interval; never NaN."""
    if direction == "interval":
        if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != 2:
            raise ValueError(f"{name} of an interval must be a pair (low, high), got {value!r}.")
        low, high = (_number(end, name) for end in value)
        if low > high:
            raise ValueError(f"{name} of an interval must have low <= high, got {value!r}.")
        return (low, high)
    return _number(value, name)


def _number(value: Any, name: str) -> float:
    try:
        result = float(value) if not isinstance(value, (bool, str, bytes)) else math.nan
    except (TypeError, ValueError):
        result = math.nan
    if math.isnan(result):
        raise ValueError(f"{name} must be a number, got {value!r}.")
    return result


def _confidence(confidence: Any, kind: str) -> float:
    level = _number(confidence, "confidence")
    if kind in ("probable", "anytime"):
        if not 0.0 < level < 1.0:
            raise ValueError(f"confidence of kind {kind!r} must lie strictly between 0 and 1, got {confidence!r}.")
    elif level != (0.0 if kind == "estimate" else 1.0):
        raise ValueError(
            f"confidence of kind {kind!r} must be {0 if kind == 'estimate' else 1}, got {confidence!r}.\n"
            "Hint: a nominal level that nothing proves belongs in the inputs."
        )
    return level


def _decoded(name: str, value: Any) -> Any:
    plain = decode(value, name)
    if name in ("inputs", "witness") and not isinstance(plain, FrozenDict):
        raise ValueError(f"{name} must be a JSON object.")
    if name == "assumptions" and not isinstance(plain, tuple):
        raise ValueError("assumptions must be a JSON array.")
    return plain
