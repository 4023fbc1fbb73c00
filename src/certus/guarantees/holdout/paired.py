"""Two models on the same rows: the sign of the difference, and its size."""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.holdout.exact_tests import TestResult, mcnemar, mcnemar_power, mcnemar_rows
from certus.guarantees.holdout.mean_loss import mean_bound
from certus.guarantees.holdout.selection import summed_half_tail
from certus.guarantees.records import rules
from certus.guarantees.records.assumptions import holdout_tokens
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import check_confidence, exact, failure_of
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import confidence_percent

MCNEMAR = "Note on the sampling error of the difference between correlated proportions (McNemar 1947)"


class Verdict(StrEnum):
    """Which of two models is proven better."""

    FIRST = "first"
    SECOND = "second"
    CANNOT_TELL = "cannot tell"


VERDICTS = {1.0: Verdict.SECOND, -1.0: Verdict.FIRST, 0.0: Verdict.CANNOT_TELL}  # by the value of a sign


@dataclass(frozen=True)
class Pair:
    """A compared with B on the same rows.

    Attributes
    ----------
    verdict : Verdict
        Which of the two is proven better, if any.
    test : TestResult or None
        Exact McNemar test, for 0/1 losses.
    difference : Certificate
        Interval for mean loss of the first minus that of the second.
    power : float or None
        Chance of a verdict on as many new rows if the observed rates are the true ones (an estimate).
    rows_needed : int or None
        About how many rows would give a verdict with probability 0.8 then (an estimate).
    """

    first: str
    second: str
    rows: int
    verdict: Verdict
    test: TestResult | None
    difference: Certificate
    sign: Certificate | None
    power: float | None
    rows_needed: int | None

    @property
    def pvalue(self) -> float | None:
        """p-value of the exact test, if there is one."""
        return None if self.test is None else self.test.pvalue

    @property
    def better(self) -> str | None:
        """Name of the one that is proven better, if any."""
        return {Verdict.FIRST: self.first, Verdict.SECOND: self.second}.get(self.verdict)

    @property
    def outcome(self) -> str:
        """Who is better than whom, or that nobody can tell."""
        if self.better is None:
            more = "" if self.rows_needed is None else f"; about {self.rows_needed} rows would"
            return f"cannot tell {self.first} and {self.second} apart on {self.rows} rows{more}"
        return f"{self.better} is better than {self.second if self.better == self.first else self.first}"

    @property
    def finding(self) -> str:
        """The outcome with the p-value of the exact test, if there is one."""
        return self.outcome if self.test is None else f"{self.outcome} (p = {self.test.pvalue:.4g})"

    def __str__(self) -> str:
        return f"{self.finding}. {self.difference.claim}"


def compare_mistakes(
    wrong_a: np.ndarray,
    wrong_b: np.ndarray,
    *,
    names: tuple[str, str] = ("A", "B"),
    confidence: float = 0.95,
    uses: int = 1,
    seed: int = 0,
) -> Pair:
    """Compare two classifiers by the rows on which they err.

    The verdict is the exact McNemar test at level (1 - confidence)/uses; the size of the difference is bounded
    by betting on the paired differences, which lie in [-1, 1].
    """
    a, b = np.asarray(wrong_a, dtype=bool), np.asarray(wrong_b, dtype=bool)
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    test, rows = mcnemar(only_a, only_b), len(a)
    sign = sign_certificate(only_a, only_b, rows, names=names, confidence=confidence, uses=uses)
    difference = _difference(a.astype(float) - b.astype(float), 1.0, "error", names, confidence, uses, seed)
    level = float(1 - (1 - exact(confidence)) / uses)
    return Pair(
        *names,
        rows=rows,
        verdict=VERDICTS[sign.value],  # type: ignore[index]
        test=test,
        difference=difference,
        sign=sign,
        power=mcnemar_power(rows, only_a / rows, only_b / rows, confidence=level),
        rows_needed=mcnemar_rows(only_a / rows, only_b / rows, confidence=level),
    )


def compare_losses(
    losses_a: np.ndarray,
    losses_b: np.ndarray,
    *,
    low: float,
    high: float,
    names: tuple[str, str] = ("A", "B"),
    confidence: float = 0.95,
    uses: int = 1,
    seed: int = 0,
    loss: str = "mean loss",
) -> Pair:
    """Compare two models by bounded losses on the same rows: a two-sided betting interval for the difference."""
    difference = np.asarray(losses_a, dtype=float) - np.asarray(losses_b, dtype=float)
    bound = _difference(difference, high - low, loss, names, confidence, uses, seed)
    below, above = bound.value  # type: ignore[misc]
    verdict = Verdict.SECOND if below > 0 else Verdict.FIRST if above < 0 else Verdict.CANNOT_TELL
    mean, spread = float(difference.mean()), float(difference.std())
    needed = None
    if mean != 0.0:
        # Width of the interval at small variance, plus the normal 80% point for its fluctuation.
        reach = math.sqrt(2.0 * math.log(2.0 * uses / failure_of(confidence))) + 0.8416
        needed = math.ceil((reach * spread / mean) ** 2)
    return Pair(
        *names,
        rows=len(difference),
        verdict=verdict,
        test=None,
        difference=bound,
        sign=None,
        power=None,
        rows_needed=needed,
    )


def _difference(
    values: np.ndarray, reach: float, loss: str, names: tuple[str, str], confidence: float, uses: int, seed: int
) -> Certificate:
    return mean_bound(
        values,
        low=-reach,
        high=reach,
        confidence=confidence,
        side="both",
        method="betting",
        seed=seed,
        uses=uses,
        quantity=f"{loss} of {names[0]} minus {loss} of {names[1]}",
    )


def sign_certificate(
    only_a: int, only_b: int, rows: int, *, names: tuple[str, str], confidence: float = 0.95, uses: int = 1
) -> Certificate:
    """Certify which of two classifiers has the smaller error, by the exact McNemar test.

    `value` is 1 if the second is better, -1 if the first is, and 0 (vacuous) if nobody can tell.
    """
    check_confidence(confidence)
    rejected = exact(mcnemar(only_a, only_b).pvalue) <= (1 - exact(confidence)) / uses
    value = 0.0 if not rejected else 1.0 if only_a > only_b else -1.0
    return _sign_record(value, only_a, only_b, rows, names, confidence, uses)


def _sign_record(
    value: float, only_a: int, only_b: int, rows: int, names: tuple[str, str], confidence: float, uses: int
) -> Certificate:
    seen = f"only {names[0]} wrong on {only_a}, only {names[1]} on {only_b} of {rows} rows"
    if value == 0.0:
        claim = f"It cannot be told which of {names[0]} and {names[1]} has the smaller error ({seen})."
    else:
        better, other = names if value < 0 else (names[1], names[0])
        claim = (
            f"With confidence {confidence_percent(confidence)} the error of {better} is smaller than that of "
            f"{other} ({seen})."
        )
    return Certificate(
        claim=claim,
        quantity=f"which of {names[0]} and {names[1]} errs less",
        direction="set",
        value=value,
        trivial=0.0,
        confidence=confidence,
        kind="probable",
        theorem=MCNEMAR,
        rule="mcnemar",
        assumptions=holdout_tokens(uses, "paired-rows"),
        inputs={"names": list(names), "uses": uses},
        witness={"only_first": only_a, "only_second": only_b, "rows": rows},
    )


@rules.checker("mcnemar")
def _check_sign(certificate: Certificate, data: tuple[ArrayLike, ArrayLike] | None) -> Derivation:
    """`data`, if given, is the pair of vectors of mistakes."""
    witness, uses = certificate.witness, certificate.inputs["uses"]
    only_a, only_b, rows = witness["only_first"], witness["only_second"], witness["rows"]
    if not 0 <= only_a + only_b <= rows:
        raise CertificateError(f"{certificate.quantity}: the counts do not fit into {rows} rows.")
    if data is not None:
        a, b = (np.asarray(part, dtype=bool) for part in data)
        if (int((a > b).sum()), int((b > a).sum()), len(a)) != (only_a, only_b, rows):
            raise CertificateError(f"{certificate.quantity}: the mistakes do not give the counts of the witness.")
    tail = min(1.0, 2.0 * summed_half_tail(max(only_a, only_b), min(only_a, only_b)))
    rejected = tail <= float((1 - exact(certificate.confidence)) / uses)
    value = 0.0 if not rejected else 1.0 if only_a > only_b else -1.0
    names = tuple(certificate.inputs["names"])
    record = _sign_record(value, only_a, only_b, rows, names, certificate.confidence, uses)
    return Derivation(value, error=0.0, slack=0.0, record=record)
