"""Certificates of conformal calibration and their checkers.

The checkers do not use the formulas that made the value: a rank is confirmed by comparing whole numbers, the
floor by bisection on a sum of binomial probabilities. With data (the calibration scores, or a pair
``(scores, groups)``) the threshold is recounted as well.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from certus.guarantees import rules
from certus.guarantees.binomial_tail import bisect, log_upper_tail
from certus.guarantees.certificate import Certificate
from certus.guarantees.conformal_ranks import ConformalRank, rows_for_assured, rows_for_split
from certus.guarantees.errors import CertificateError
from certus.guarantees.wording import percent, plural

SUBJECTS = {"interval": "value", "set": "label"}


def quantity_of(group: str | None) -> str:
    """Name of the bounded quantity."""
    return "coverage" if group is None else f"coverage of {group}"


def rank_certificate(rank: ConformalRank, threshold: float, subject: str, group: str | None) -> Certificate:
    """Average coverage k / (n + 1) over calibration sets."""
    value = rank.delivered if rank.finite else 1.0
    return Certificate(
        claim=_rank_claim(rank.rank, rank.rows, value, rank.confidence, subject, group),
        quantity=quantity_of(group),
        direction="lower",
        value=value,
        # An infinite threshold covers everything, which needs no data: the promise is then the trivial one.
        trivial=0.0 if rank.finite else 1.0,
        confidence=1.0,
        kind="expectation",
        theorem="Inductive Confidence Machines for Regression (2002)",
        rule="conformal-rank",
        assumptions=("exchangeable", "independent-holdout"),
        inputs=_declared(rank, subject, group),
        witness={"rank": rank.rank, "rows": rank.rows, "threshold": threshold},
    )


def floor_certificate(rank: ConformalRank, threshold: float, subject: str, group: str | None) -> Certificate:
    """Coverage of the sets that come from this calibration set: quantile of Beta(k, n + 1 - k)."""
    return Certificate(
        claim=_floor_claim(rank.rank, rank.rows, rank.floor, subject, group),
        quantity=quantity_of(group),
        direction="lower",
        value=rank.floor,
        trivial=0.0 if rank.finite else 1.0,
        confidence=float(rank.floor_assurance),
        kind="probable",
        theorem="Conditional Validity of Inductive Conformal Predictors (2012)",
        rule="conformal-floor",
        assumptions=("iid", "independent-holdout"),
        inputs=_declared(rank, subject, group),
        witness={"rank": rank.rank, "rows": rank.rows, "threshold": threshold},
    )


def _declared(rank: ConformalRank, subject: str, group: str | None) -> dict[str, Any]:
    return {
        "level": str(rank.confidence),
        "assurance": None if rank.assurance is None else str(rank.assurance),
        "subject": subject,
        "group": group,
    }


def _rank_claim(rank: int, rows: int, value: float, level: Fraction, subject: str, group: str | None) -> str:
    where = "" if group is None else f" of {group}"
    if rank > rows:
        return (
            f"The {subject} of a new row{where} contains everything: {plural(rows, 'calibration row')} "
            f"cannot support {percent(float(level))}."
        )
    return (
        f"The {subject} of a new row{where} contains its {SUBJECTS[subject]} with probability at least "
        f"{percent(value, 'lower')}, on average over calibration sets (rank {rank} of {rows}, "
        f"{percent(float(level))} asked)."
    )


def _floor_claim(rank: int, rows: int, value: float, subject: str, group: str | None) -> str:
    where = "" if group is None else f" of {group}"
    if rank > rows:
        return f"Given this calibration set, the {subject}s{where} contain everything."
    return (
        f"Given this calibration set, the {subject}s{where} contain the {SUBJECTS[subject]} of at least "
        f"{percent(value, 'lower')} of new rows (rank {rank} of {rows})."
    )


def _rank_and_rows(certificate: Certificate) -> tuple[int, int]:
    """Read rank and rows from the witness and confirm, in whole numbers, that the rank is the declared one."""
    rank, rows = certificate.witness["rank"], certificate.witness["rows"]
    level = Fraction(certificate.inputs["level"])
    if not (isinstance(rank, int) and isinstance(rows, int) and 0 < level < 1 and 1 <= rank <= rows + 1):
        raise CertificateError(f"{certificate.quantity}: rank {rank!r} of {rows!r} at level {level} is impossible")
    declared = certificate.inputs["assurance"]
    if declared is None:
        # k is the ceiling of (n + 1) p: k reaches it and k - 1 does not.
        goal, scale = level.numerator * (rows + 1), level.denominator
        right = rank * scale >= goal and (rank - 1) * scale < goal
    else:
        limit, rate = math.log(1 - Fraction(declared)), float(level)
        reaches = rank > rows or log_upper_tail(rank, rows, rate) <= limit + 1e-6
        right = reaches and log_upper_tail(rank - 1, rows, rate) > limit - 1e-6
    if not right:
        raise CertificateError(f"{certificate.quantity}: rank {rank} of {rows} does not belong to the level {level}")
    return rank, rows


def _recount(certificate: Certificate, data: Any) -> None:
    """Count in the calibration scores whether the threshold has the stated rank."""
    if data is None:
        return
    scores, groups = data if isinstance(data, tuple) else (data, None)
    scores = np.asarray(scores, dtype=float)
    group = certificate.inputs["group"]
    if group is not None:
        if groups is None:
            raise CertificateError(
                f"{certificate.quantity}: the data must be a pair (scores, groups). "
                "Hint: pass the group of every calibration row."
            )
        scores = scores[np.array([group.split(" ", 1)[1] == str(label) for label in np.asarray(groups).tolist()])]
    rank, rows = certificate.witness["rank"], certificate.witness["rows"]
    threshold = certificate.witness["threshold"]
    if len(scores) != rows:
        raise CertificateError(f"{certificate.quantity}: {len(scores)} scores given, the witness speaks of {rows}")
    if rank > rows:
        if threshold != math.inf:
            raise CertificateError(f"{certificate.quantity}: rank {rank} of {rows} needs an infinite threshold")
    elif not np.sum(scores < threshold) < rank <= np.sum(scores <= threshold):
        raise CertificateError(f"{certificate.quantity}: {threshold!r} is not the score of rank {rank} of {rows}")


def _check_trivial(certificate: Certificate, rank: int, rows: int) -> None:
    if certificate.trivial != (0.0 if rank <= rows else 1.0):
        raise CertificateError(f"{certificate.quantity}: {certificate.trivial!r} is not the trivial coverage")


@rules.checker("conformal-rank")
def _check_rank(certificate: Certificate, data: Any) -> rules.Derivation:
    rank, rows = _rank_and_rows(certificate)
    _recount(certificate, data)
    _check_trivial(certificate, rank, rows)
    declared = certificate.inputs
    claim = _rank_claim(
        rank, rows, float(certificate.value), Fraction(declared["level"]), declared["subject"], declared["group"]
    )
    return rules.Derivation(min(1.0, rank / (rows + 1)), error=1e-15, slack=1e-12, claim=claim)


@rules.checker("conformal-floor")
def _check_floor(certificate: Certificate, data: Any) -> rules.Derivation:
    rank, rows = _rank_and_rows(certificate)
    _recount(certificate, data)
    _check_trivial(certificate, rank, rows)
    value = float(certificate.value)
    limit = math.log(certificate.failure)
    derived = 1.0
    if rank <= rows:
        derived = bisect(lambda p: log_upper_tail(rank, rows, p) > limit, rank / rows, 0.0)
    claim = _floor_claim(rank, rows, value, certificate.inputs["subject"], certificate.inputs["group"])
    return rules.Derivation(derived, error=1e-11, claim=claim)


@rules.rows_that_help("conformal-rank")
@rules.rows_that_help("conformal-floor")
def _rows_needed(certificate: Certificate) -> int | None:
    level, assurance = certificate.inputs["level"], certificate.inputs["assurance"]
    if assurance is None:
        return rows_for_split(Fraction(level))
    return rows_for_assured(Fraction(level), Fraction(assurance))
