"""How far a convex training objective can be from its minimum: one form of evidence, one record, one checker.

Evidence is an upper bound on the objective P at the stored solution and one of a few kinds of numbers from which a
theorem bounds P - min P: the value of a dual point, the slope where P is strongly convex, a Newton decrement. A family
declares a `GapRule` with the kinds that it uses; the rule writes certificates and checks them. It is here, in the
lowest layer, because it needs certificates only. Computing the bound again from data needs losses and penalties, and
is one layer up, in `certus.losses.gap`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, MISSING, dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from certus.guarantees.records import rules
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.rules import Derivation
from certus.guarantees.training.optimality_gap import gap_record

KEPT = 20_000  # numbers up to which a solution is kept in the witness, so that data can be checked against it
UP = 1.0 + 8.0 * 2.0**-52  # covers the roundings of every formula below
DUALITY = "Fenchel duality gap (Rockafellar 1970, theorem 31.1)"
SELF_CONCORDANT = "Newton decrement of a generalized self-concordant loss (Bach 2010, proposition 1)"


@dataclass(frozen=True)
class GapBound:
    """Numbers from which a theorem bounds the gap; their names are those in the witness."""

    may_be_negative: ClassVar[tuple[str, ...]] = ()

    @property
    def objective_error(self) -> Any:
        """By how much rounding may have left the objective too small; 0 where it is an upper bound already."""
        return 0

    def bound(self, objective: Any) -> Any:
        """Bound on P - min P in the arithmetic of the numbers, floats or fractions; None where it says nothing."""
        raise NotImplementedError

    def numbers(self) -> dict[str, Any]:
        """The numbers by name."""
        return dict(vars(self))


@dataclass(frozen=True)
class DualValue(GapBound):
    """The value of a dual point, and a bound on the rounding errors of it and of the objective."""

    dual: float
    rounding: float = 0.0

    may_be_negative: ClassVar[tuple[str, ...]] = ("dual",)

    @property
    def objective_error(self) -> Any:
        """The rounding errors of the objective are among those that are bounded."""
        return self.rounding

    def bound(self, objective: Any) -> Any:
        """Rounding may leave the dual value above the objective; the difference is then 0 within "rounding"."""
        return max(objective - self.dual, 0) + self.rounding


@dataclass(frozen=True)
class Slope(GapBound):
    """The slope of a strongly convex function, and what the best intercept would gain."""

    slope: float
    center_share: float
    strength: float

    def bound(self, objective: Any) -> Any:
        """The formula slope^2 / (2 strength) + share."""
        return self.slope**2 / (2 * self.strength) + self.center_share if self.strength > 0 else None


@dataclass(frozen=True)
class ScaledGradient(GapBound):
    """The same for a quadratic with Hessian 2 in the metric of the norms, and what they may lack by rounding."""

    gradient_norm: float
    gradient_error: float
    intercept_gap: float = 0.0

    def bound(self, objective: Any) -> Any:
        """The formula (norm + error)^2 + share."""
        return (self.gradient_norm + self.gradient_error) ** 2 + self.intercept_gap


@dataclass(frozen=True)
class FenchelTerms(GapBound):
    """The terms of Fenchel's inequality for the losses, and the residual of its equation for the penalty."""

    slack: float
    residual: float
    alpha: float

    def bound(self, objective: Any) -> Any:
        """The formula slack + residual^2 / (2 alpha)."""
        if not self.alpha > 0:
            raise CertificateError("optimality gap: alpha must be above 0.")
        return self.slack + self.residual**2 / (2 * self.alpha)


@dataclass(frozen=True)
class ComplementaryTerms(GapBound):
    """Primal minus dual objective of a quadratic problem with bounds, as a sum of terms that cannot be negative."""

    gap: float
    rounding: float

    def bound(self, objective: Any) -> Any:
        """Their sum."""
        return self.gap + self.rounding


@dataclass(frozen=True)
class Decrement(GapBound):
    """The Newton decrement q, and how far r a step of length 1 in the Hessian's metric moves a score; q r < 1."""

    decrement: float
    reach: float

    def bound(self, objective: Any) -> Any:
        """The formula q^2 / (2 (1 - q r))."""
        if self.decrement * self.reach >= 1:
            raise CertificateError("optimality gap: the decrement is not one for which its theorem holds.")
        return self.decrement**2 / (2 * (1 - self.decrement * self.reach))


@dataclass(frozen=True)
class GapEvidence:
    """What a certificate of the gap rests on: no objective is negative, so it bounds the gap as well.

    Parameters
    ----------
    objective : float
        P at the stored solution, an upper bound once the bound's ``objective_error`` is added; infinite where none is
        known.
    objective_at_zero : float
        The objective of the model that does nothing, with which the gap is compared.
    bound : GapBound
        The numbers that bound the gap.
    """

    objective: float
    objective_at_zero: float
    bound: GapBound

    @cached_property
    def gap(self) -> float:
        """Bound on P - min P."""
        error = self.bound.objective_error
        ceiling = (self.objective + error) * UP if error > 0.0 else self.objective
        return min(upper_bound(self.bound, self.objective), ceiling)


def upper_bound(bound: GapBound, objective: float) -> float:
    """The bound in floating-point numbers, rounded up; infinite where it says nothing."""
    if not all(math.isfinite(value) for value in bound.numbers().values()):
        return math.inf
    value = bound.bound(objective)
    return math.inf if value is None or math.isnan(value) else float(value) * UP


def kept(most: int = KEPT, **arrays: Any) -> dict[str, Any]:
    """Those of the arrays that have at most so many entries, for the witness."""
    small = {name: np.asarray(array) for name, array in arrays.items() if np.size(array) <= most}
    return {name: a.astype(np.float64) if a.dtype == np.longdouble else a for name, a in small.items()}


def require_kept(certificate: Certificate, name: str, most: int = KEPT) -> Any:
    """A part of the witness, or an error that says why it is not there."""
    if certificate.witness.get(name) is None:
        raise CertificateError(
            f"{certificate.quantity}: more than {most} numbers are not kept in a certificate, so data cannot be "
            "checked against it."
        )
    return certificate.witness[name]


def kept_array(certificate: Certificate, name: str, most: int = KEPT) -> Any:
    """The same as an array in extended precision."""
    return np.array(require_kept(certificate, name, most), dtype=np.longdouble)


def training_data(data: Any) -> tuple[Any, Any, Any]:
    """(X, y, weights) from ``(X, y)`` or ``(X, y, sample_weight)``; X is dense, weights are all there."""
    X, y, *rest = data
    X = np.asarray(X.toarray() if sparse.issparse(X) else X)
    weights = np.ones(len(X)) if not rest or rest[0] is None else np.broadcast_to(rest[0], (len(X),))
    return X, None if y is None else np.asarray(y), np.asarray(weights, dtype=np.float64)


Recompute = Callable[[Certificate, float, Any], None]


@dataclass(frozen=True)
class GapRule:
    """A rule under which gaps are certified. Making one registers its checker.

    Parameters
    ----------
    name : str
        The rule's name in certificates.
    kinds : mapping
        For every theorem the kind of numbers that it needs.
    recompute : callable
        Gets the certificate, the gap that it states, and data; raises `CertificateError` if they contradict it.
    zero : str
        What the model that does nothing is called.
    ceiling : str or None
        The name in the witness of the upper bound on the objective; None where there is none.
    at_zero : str or None
        The name in the witness of the objective of the model that does nothing; None where the gap is relative to it.
    most : int
        Numbers up to which a solution is kept.
    record : callable
        Writes the certificate; the one of `gap_record` unless the claim is another.
    """

    name: str
    kinds: Mapping[str, type[GapBound]]
    recompute: Recompute
    _: KW_ONLY
    zero: str = "at zero coefficients"
    ceiling: str | None = "objective"
    at_zero: str | None = "objective_at_zero"
    most: int = KEPT
    record: Callable[..., Certificate] = gap_record

    def __post_init__(self) -> None:
        rules.checker(self.name)(self.check)

    def certificate(
        self,
        evidence: GapEvidence,
        inputs: Mapping[str, Any],
        stored: Mapping[str, Any],
        *,
        also: Mapping[str, Any] | None = None,
        assumed: tuple[str, ...] = (),
    ) -> Certificate:
        """The certificate that the stored solution is within the evidence's gap of the optimum.

        ``stored`` holds the arrays of the solution, ``also`` further numbers of the witness, ``assumed`` assumptions
        beyond those of every such certificate.
        """
        named = {self.ceiling: evidence.objective, self.at_zero: evidence.objective_at_zero}
        witness = {**evidence.bound.numbers(), **(also or {})}
        witness |= {name: value for name, value in named.items() if name is not None}
        theorem = next(theorem for theorem, kind in self.kinds.items() if type(evidence.bound) is kind)
        record = self._record(evidence.gap, theorem, inputs, witness | kept(self.most, **stored))
        return replace(record, assumptions=(*record.assumptions, *assumed)) if assumed else record

    def _record(self, gap: float, theorem: str, inputs: Any, witness: Any) -> Certificate:
        return self.record(
            gap,
            0.0 if self.at_zero is None else witness[self.at_zero],
            theorem=theorem,
            rule=self.name,
            inputs=inputs,
            witness=witness,
            zero=self.zero,
        )

    def check(self, certificate: Certificate, data: Any = None) -> Derivation:
        """Derive the gap again from the witness in rational arithmetic; with data also from these.

        Data are ``(X, y[, sample_weight])``, for kernel machines with the matrix of kernel values instead of X.
        """
        witness, quantity = certificate.witness, certificate.quantity
        if certificate.theorem not in self.kinds:
            raise CertificateError(f"{quantity}: the theorem {certificate.theorem!r} is not one of this rule's.")
        if not isinstance(certificate.value, float):
            raise CertificateError(f"{quantity}: the gap must be one number.")
        kind = self.kinds[certificate.theorem]
        numbers = _numbers(kind, witness)
        objective = math.inf if self.ceiling is None else float(witness[self.ceiling])
        bounded = {**numbers, **({} if self.ceiling is None else {self.ceiling: objective})}
        for name, value in bounded.items():
            if not value >= 0.0 and not (name in kind.may_be_negative and not math.isnan(value)):
                raise CertificateError(f"{quantity}: {name} must be at least 0, the witness has {value!r}.")
        gap = _exact_gap(kind, numbers, objective, kind(**numbers).objective_error)
        if certificate.value < gap:  # version 0.1.0 took the objective as it was computed; data tell whether it holds
            gap = _exact_gap(kind, numbers, objective, 0.0)
        if data is not None:
            self.recompute(certificate, certificate.value, data)
        record = self._record(certificate.value, certificate.theorem, certificate.inputs, witness)
        return Derivation(gap, error=1e-15, slack=1e-6 if gap > 1e-300 else math.inf, record=record)


def _numbers(kind: type[GapBound], witness: Mapping[str, Any]) -> dict[str, float]:
    """The numbers that the kind needs; those with a default may be missing."""
    given = {entry.name: entry.default for entry in fields(kind) if entry.default is not MISSING}
    return {entry.name: float({**given, **witness}[entry.name]) for entry in fields(kind)}


def _exact_gap(kind: type[GapBound], numbers: Mapping[str, float], objective: float, error: float) -> float:
    """The gap in rational arithmetic, with an error of the objective; infinite numbers bound nothing."""
    ceiling = Fraction(objective) if math.isfinite(objective) else None
    bounds = [] if ceiling is None or not math.isfinite(error) else [ceiling + Fraction(error)]
    if all(math.isfinite(value) for value in numbers.values()):
        found = kind(**{name: Fraction(value) for name, value in numbers.items()}).bound(ceiling)
        bounds += [] if found is None else [found]
    return float(min(bounds, default=math.inf))
