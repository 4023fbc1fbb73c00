"""A report: all certificates of a model, in the order in which a careful reader wants them."""

import html
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from certus.guarantees.records.certificate import SCHEMA_VERSION, Certificate, check_schema
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import exact
from certus.guarantees.records.json_document import JsonDocument
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.wording import confidence_percent, plural


class Report(JsonDocument):
    """An immutable, ordered collection of certificates.

    Per quantity the tightest comes first; across quantities the error, then the worst news first; vacuous ones are
    folded to the end with the reason. Estimates are marked and, but for those of the error, come after all guarantees.

    Parameters
    ----------
    certificates : iterable of Certificate, default=()
        In any order.
    training_overlap : Overlap, optional
        What the rows behind the certificates have in common with those that the model was trained on. It is told,
        but is no part of what is saved or compared.
    look : Look, optional
        Which look at these rows it is, if looks are counted; told in the same way.

    Examples
    --------
    >>> from certus.guarantees import Report, error_bound
    >>> report = Report([error_bound(15, 500)])
    >>> len(report), report["error"].kind, report.check()
    (1, 'probable', True)
    """

    __slots__ = ("_certificates", "look", "training_overlap")

    def __init__(
        self, certificates: Iterable[Certificate] = (), training_overlap: Any = None, look: Any = None
    ) -> None:
        found = tuple(certificates)
        for item in found:
            if not isinstance(item, Certificate):
                raise ValueError(f"a report holds certificates, got a {type(item).__name__}.")
        object.__setattr__(self, "_certificates", _ordered(found))
        object.__setattr__(self, "training_overlap", training_overlap)
        object.__setattr__(self, "look", look)

    _certificates: tuple[Certificate, ...]
    training_overlap: Any
    look: Any

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a report cannot be changed.\nHint: use with_(certificates).")

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._certificates, self.training_overlap, self.look))

    def __len__(self) -> int:
        return len(self._certificates)

    def __iter__(self) -> Iterator[Certificate]:
        return iter(self._certificates)

    def __getitem__(self, key: Quantity | str | int) -> Certificate:
        """The tightest certificate of a quantity, or the certificate at a position."""
        if isinstance(key, (Quantity, str)):
            for item in self._certificates:
                if item.quantity == key:
                    return item
            known = ", ".join(map(str, self.quantities)) or "none"
            raise KeyError(f"no certificate bounds {str(key)!r}; quantities in this report: {known}")
        return self._certificates[key]

    def __contains__(self, key: object) -> bool:
        return key in self._certificates if isinstance(key, Certificate) else key in self.quantities

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self._certificates == other._certificates

    def __hash__(self) -> int:
        return hash(self._certificates)

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Bounded quantities in the order of the report."""
        return tuple(dict.fromkeys(item.quantity for item in self._certificates))

    def all(self, quantity: Quantity | str) -> tuple[Certificate, ...]:
        """All certificates of one quantity, the tightest first."""
        return tuple(item for item in self._certificates if item.quantity == quantity)

    @property
    def vacuous(self) -> tuple[Certificate, ...]:
        """Certificates that say no more than could be said without data."""
        return tuple(item for item in self._certificates if item.vacuous)

    @property
    def confidence(self) -> float:
        """Confidence with which all guarantees of the report hold together (failure probabilities add)."""
        failures = sum(1 - exact(item.confidence) for item in self._certificates if item.guaranteed)
        return float(max(0, 1 - failures))

    def with_(self, certificates: Iterable[Certificate]) -> "Report":
        """A new report with these certificates added."""
        told = certificates if isinstance(certificates, Report) else self
        return Report((*self._certificates, *certificates), told.training_overlap, told.look)

    def check(self, data: Any = None) -> bool:
        """Check every certificate; the first that fails raises `CertificateError`.

        Parameters
        ----------
        data : optional
            Either the one data set behind all certificates, or a dictionary from quantity to its data. Training rows
            ``(X, y[, sample_weight])`` are for the rules of a family; rules that take numbers about rows instead, such
            as margins, are then checked without data.
        """
        by_quantity = isinstance(data, Mapping) and bool(data) and set(data) <= set(self.quantities)
        rows = isinstance(data, tuple) and len(data) in (2, 3) and len(getattr(data[0], "shape", ())) == 2
        for item in self._certificates:
            item.check(data.get(item.quantity) if by_quantity else None if rows and "/" not in item.rule else data)
        return True

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values with the schema version."""
        return {"schema": SCHEMA_VERSION, "certificates": [item.to_dict() for item in self._certificates]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; anything unknown or malformed is a `CertificateError`."""
        if not isinstance(record, Mapping) or set(record) != {"schema", "certificates"}:
            raise CertificateError("a report must be a JSON object with the fields schema and certificates.")
        check_schema(record["schema"])
        if not isinstance(record["certificates"], (list, tuple)):
            raise CertificateError("the field certificates must be a JSON array.")
        return cls(Certificate.from_dict(item) for item in record["certificates"])

    def text(self) -> str:
        """One line per certificate; vacuous ones are folded with the reason."""
        if not self._certificates:
            return "No guarantees."
        lines = self._claims()
        lines += [f"(vacuous) {item.why_vacuous()}" for item in self.vacuous]
        promises = [item for item in self._certificates if item.guaranteed]
        if len(promises) > 1 and 0 < self.confidence < 1:
            lines.append(
                f"All {len(promises)} guarantees hold together with confidence {confidence_percent(self.confidence)}."
            )
        lines += [str(told) for told in (self.training_overlap, self.look) if told is not None]
        if self.look is not None and not self.look.promised:
            lines.append(self.look.ways_out())
        return "\n".join(lines)

    def _claims(self) -> list[str]:
        """What is claimed, with its source; a source that all claims have follows them once."""
        shown = [item for item in self._certificates if not item.vacuous]
        sources = {str(item).removeprefix(item.claim) for item in shown}
        if len(shown) == 1 or len(sources) != 1:
            return [str(item) for item in shown]
        return [*(item.claim for item in shown), *(source.strip() for source in sources)]

    __str__ = text

    def __repr__(self) -> str:
        folded = f", {len(self.vacuous)} vacuous" if self.vacuous else ""
        return f"<Report: {plural(len(self), 'certificate')}{folded}>"

    def _repr_html_(self) -> str:
        if not self._certificates:
            return '<p class="certus-report">No guarantees.</p>'
        rows = "".join(
            f"<tr><td>{html.escape(item.claim)}</td><td>{html.escape(item.standing)}</td>"
            f"<td>{html.escape(item.theorem)}</td></tr>"
            for item in self._certificates
            if not item.vacuous
        )
        table = f"<table><tr><th>claim</th><th>standing</th><th>theorem</th></tr>{rows}</table>" if rows else ""
        folded = "".join(f"<li>{html.escape(item.why_vacuous())}</li>" for item in self.vacuous)
        fold = f"<details><summary>{len(self.vacuous)} vacuous</summary><ul>{folded}</ul></details>" if folded else ""
        return f'<div class="certus-report">{table}{fold}</div>'


def _badness(certificate: Certificate) -> float:
    """How bad the news is, from 0 (as good as can be) to 1 (vacuous)."""
    if certificate.vacuous:
        return 1.0
    value, trivial = certificate.value, certificate.trivial
    if isinstance(value, tuple) and isinstance(trivial, tuple):
        return _ratio(value[1] - value[0], trivial[1] - trivial[0])
    if isinstance(value, tuple) or isinstance(trivial, tuple):
        return 1.0
    if certificate.direction == "upper":
        return _ratio(value, trivial)
    return 1.0 / (1.0 + abs(value - trivial)) if abs(value) > 1 else 1.0 - abs(value - trivial)


def _ratio(part: float, whole: float) -> float:
    if math.isinf(whole):
        return abs(part) / (1.0 + abs(part)) if math.isfinite(part) else 1.0
    return min(1.0, max(0.0, part / whole)) if whole > 0 else 1.0


def _ordered(certificates: tuple[Certificate, ...]) -> tuple[Certificate, ...]:
    """Vacuous last, before them estimates of anything but the error.

    Else the error first, then the worst quantity by its tightest guarantee; within it the tightest first.
    """
    groups: dict[Quantity, list[Certificate]] = {}
    for item in certificates:
        groups.setdefault(item.quantity, []).append(item)
    for group in groups.values():
        group.sort(key=lambda item: (not item.guaranteed, _badness(item)))
    by_news = sorted(groups.values(), key=lambda group: (group[0].quantity != "error", -_badness(group[0])))
    flat = [item for group in by_news for item in group]
    return tuple(sorted(flat, key=lambda item: (item.vacuous, not item.guaranteed and item.quantity != "error")))
