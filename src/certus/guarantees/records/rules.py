"""The registry of checkers: for every rule, the second, simpler route by which its value is derived again.

A family registers its own with ``@rules.checker("name")``. A rule named ``family/name`` is looked up by
importing ``certus.family`` first, so that a report read from a file can be checked on its own.
"""

import contextlib
import importlib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from certus.guarantees.records.certificate_error import CertificateError

if TYPE_CHECKING:
    from certus.guarantees.records.certificate import Certificate

Value = float | tuple[float, float]


@dataclass(frozen=True)
class Derivation:
    """What the second route found.

    Parameters
    ----------
    value : float or (float, float)
        The bound, derived again.
    error : float, default=1e-9
        Relative error of this route: a certificate may be tighter than `value` by at most that much.
    slack : float, default=1e-6
        How much looser, relatively, the certificate may be before its numbers no longer belong together.
    scale : float, default=0.0
        Size against which `error` and `slack` are taken when the values themselves are smaller.
    record : Certificate, optional
        The certificate that the witness gives when written anew; every field but `value` must be equal.
    """

    value: Value
    error: float = 1e-9
    slack: float = 1e-6
    scale: float = 0.0
    record: "Certificate | None" = None


Checker = Callable[["Certificate", Any], Derivation | Value]
RowsNeeded = Callable[["Certificate"], int | None]

_checkers: dict[str, Checker] = {}
_rows_needed: dict[str, RowsNeeded] = {}
_FAMILY_RULE = re.compile(r"([a-z]+)/[a-z0-9-]+")


def checker(rule: str) -> Callable[[Checker], Checker]:
    """Register the function that derives the value of `rule` again from (certificate, data).

    The function returns the value (or a `Derivation`), or raises `CertificateError`. `data` is None when the
    caller has none; what can be checked from the witness alone must then still be checked.
    """

    def register(function: Checker) -> Checker:
        if rule in _checkers:
            raise ValueError(f"the rule {rule!r} already has a checker.")
        _checkers[rule] = function
        return function

    return register


def rows_that_help(rule: str) -> Callable[[RowsNeeded], RowsNeeded]:
    """Register the formula that says how many rows would make a vacuous certificate of `rule` informative."""

    def register(function: RowsNeeded) -> RowsNeeded:
        _rows_needed[rule] = function
        return function

    return register


def registered() -> tuple[str, ...]:
    """Names of all rules that can be checked now."""
    return tuple(sorted(_checkers))


def rows_needed(certificate: "Certificate") -> int | None:
    """Rows that would make the certificate informative, where a formula gives it."""
    formula = _rows_needed.get(certificate.rule)
    return None if formula is None else formula(certificate)


def load_family(name: str) -> None:
    """Import ``certus.family``, whose checkers and twins register themselves, if `name` is ``family/something``."""
    if match := _FAMILY_RULE.fullmatch(name):
        with contextlib.suppress(ImportError):  # who asked then says that nobody knows the name
            importlib.import_module(f"certus.{match.group(1)}")


def _find(rule: str) -> Checker:
    if rule not in _checkers:
        load_family(rule)
    if rule not in _checkers:
        raise CertificateError(
            f"no checker is registered for the rule {rule!r}.\nHint: import the package that made the "
            f"certificate; known rules are {', '.join(registered())}."
        )
    return _checkers[rule]


def verify(certificate: "Certificate", data: Any = None) -> None:
    """Derive the certificate again; raise `CertificateError` unless it comes out the same."""
    try:
        found = _find(certificate.rule)(certificate, data)
    except CertificateError:
        raise
    except (KeyError, TypeError, IndexError, ArithmeticError, ValueError) as error:
        raise CertificateError(f"{certificate.quantity}: the witness cannot be used: {error!r}.") from error
    derivation = found if isinstance(found, Derivation) else Derivation(found)
    _compare(certificate, derivation)
    if derivation.record is not None:
        _compare_fields(certificate, derivation.record)


def _compare_fields(certificate: "Certificate", again: "Certificate") -> None:
    for entry in fields(certificate):
        stated, found = getattr(certificate, entry.name), getattr(again, entry.name)
        if entry.name == "assumptions" and set(found) <= set(stated):
            continue  # who assumes more than the rule needs claims less
        if entry.name == "trivial" and _asks_more(certificate.direction, stated, found):
            continue  # who compares with more than the rule's trivial value calls more bounds vacuous
        if entry.name == "theorem" and stated == _without_authors(found):
            continue  # records of 0.1.0 give the title and the year
        if entry.name == "fingerprint":
            continue  # of rows, which the witness does not hold
        if entry.name != "value" and stated != found:
            raise CertificateError(
                f"{certificate.quantity}: the field {entry.name} is {stated!r}, the witness gives {found!r}."
            )


def _without_authors(theorem: str) -> str:
    """A title with its year alone: "A theorem (Somebody et al. 1984)" as "A theorem (1984)"."""
    return re.sub(r"\([^()]* (\d{4})\)", r"(\1)", theorem)


def _asks_more(direction: str, stated: Any, found: Any) -> bool:
    """Whether a single trivial value is at least as hard to beat as the rule's own."""
    if isinstance(stated, tuple) or isinstance(found, tuple):
        return False
    return bool(stated <= found if direction == "upper" else stated >= found) and direction in ("upper", "lower")


def _compare(certificate: "Certificate", derivation: Derivation) -> None:
    stated, derived = certificate.value, derivation.value
    if isinstance(stated, tuple) != isinstance(derived, tuple):
        raise CertificateError(f"{certificate.quantity}: states {stated}, the second route gives {derived}.")
    if isinstance(stated, tuple) and isinstance(derived, tuple):
        ends = (("lower", stated[0], derived[0]), ("upper", stated[1], derived[1]))
    else:
        ends = ((certificate.direction, stated, derived),)  # type: ignore[assignment]
    for side, mine, other in ends:
        if not _agrees(side, mine, other, derivation):
            raise CertificateError(
                f"{certificate.quantity}: the certificate states {mine!r} ({side}), the second route gives {other!r}."
            )


def _agrees(side: str, stated: float, derived: float, derivation: Derivation) -> bool:
    if math.isnan(stated) or math.isnan(derived):
        return False
    if stated == derived:
        return True
    if math.isinf(stated) or math.isinf(derived):
        return False
    scale = max(abs(stated), abs(derived), derivation.scale)
    looser = {"upper": stated - derived, "lower": derived - stated}.get(side, -abs(stated - derived))
    return -derivation.error * scale <= looser <= derivation.slack * scale
