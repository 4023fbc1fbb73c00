"""Certificates of conformal calibration and their checkers.

The checkers do not use the formulas that made the value: a rank is confirmed by comparing whole numbers, the
floor by bisection on a sum of binomial probabilities. With data (the calibration scores, or a pair
``(scores, groups)``) the threshold is recounted as well.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.conformal.conformal_ranks import ConformalRank, rows_for_assured, rows_for_split
from certus.guarantees.holdout.binomial_tail import bisect, log_upper_tail
from certus.guarantees.records import rules
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.wording import percent, plural

SUBJECTS = {"interval": "value", "set": "label"}
# A set of labels is drawn from the known ones; an interval leaves nothing out.
SUBJECT_ASSUMPTIONS: dict[str, tuple[str, ...]] = {"interval": (), "set": ("known-labels",)}


def rank_certificate(
    rank: ConformalRank, threshold: float, subject: str, group: str | None, value: float | None = None
) -> Certificate:
    """Average coverage k / (n + 1) over calibration sets; a checker passes the stated `value`."""
    value = rank.delivered if value is None else value
    return Certificate(
        claim=_rank_claim(rank, value, subject, group),
        value=value,
        confidence=1.0,
        kind="expectation",
        theorem="Inductive Confidence Machines for Regression (Papadopoulos et al. 2002)",
        rule="conformal-rank",
        assumptions=("exchangeable", "independent-holdout", *SUBJECT_ASSUMPTIONS[subject]),
        **_common_fields(rank, threshold, subject, group),
    )


def floor_certificate(
    rank: ConformalRank, threshold: float, subject: str, group: str | None, value: float | None = None
) -> Certificate:
    """Coverage of the sets that come from this calibration set: quantile of Beta(k, n + 1 - k)."""
    value = rank.floor if value is None else value
    return Certificate(
        claim=_floor_claim(rank, value, subject, group),
        value=value,
        confidence=float(rank.floor_assurance),
        kind="probable",
        theorem="Conditional Validity of Inductive Conformal Predictors (Vovk 2012)",
        rule="conformal-floor",
        assumptions=("iid", "independent-holdout", *SUBJECT_ASSUMPTIONS[subject]),
        **_common_fields(rank, threshold, subject, group),
    )


def _common_fields(rank: ConformalRank, threshold: float, subject: str, group: str | None) -> dict[str, Any]:
    return {
        "quantity": "coverage" if group is None else f"coverage of {group}",
        "direction": "lower",
        # An infinite threshold covers everything, which needs no data: the promise is then the trivial one.
        "trivial": 0.0 if rank.finite else 1.0,
        "inputs": {
            "level": str(rank.confidence),
            "assurance": None if rank.assurance is None else str(rank.assurance),
            "subject": subject,
            "group": group,
        },
        "witness": {"rank": rank.rank, "rows": rank.rows, "threshold": threshold},
    }


def _rank_claim(rank: ConformalRank, value: float, subject: str, group: str | None) -> str:
    where = "" if group is None else f" of {group}"
    asked = percent(float(rank.confidence))
    if not rank.finite:
        return (
            f"The {subject} of a new row{where} contains everything: {plural(rank.rows, 'calibration row')} "
            f"cannot support {asked}."
        )
    return (
        f"The {subject} of a new row{where} contains its {SUBJECTS[subject]} with probability at least "
        f"{percent(value, 'lower')}, on average over calibration sets (rank {rank.rank} of {rank.rows}, "
        f"{asked} asked)."
    )


def _floor_claim(rank: ConformalRank, value: float, subject: str, group: str | None) -> str:
    where = "" if group is None else f" of {group}"
    if not rank.finite:
        return f"Given this calibration set, the {subject}s{where} contain everything."
    return (
        f"Given this calibration set, the {subject}s{where} contain the {SUBJECTS[subject]} of at least "
        f"{percent(value, 'lower')} of new rows (rank {rank.rank} of {rank.rows})."
    )


def _stated_rank(certificate: Certificate) -> ConformalRank:
    """Read the rank from the witness and confirm, in whole numbers, that the declared level gives it."""
    rank, rows = certificate.witness["rank"], certificate.witness["rows"]
    level = Fraction(certificate.inputs["level"])
    if not (isinstance(rank, int) and isinstance(rows, int) and 0 < level < 1 and 1 <= rank <= rows + 1):
        raise CertificateError(f"{certificate.quantity}: rank {rank!r} of {rows!r} at level {level} is impossible.")
    declared = certificate.inputs["assurance"]
    assurance = None if declared is None else Fraction(declared)
    if assurance is None:
        # k is the ceiling of (n + 1) p: k reaches it and k - 1 does not.
        goal, scale = level.numerator * (rows + 1), level.denominator
        right = rank * scale >= goal and (rank - 1) * scale < goal
    else:
        limit, rate = math.log(1 - assurance), float(level)
        reaches = rank > rows or log_upper_tail(rank, rows, rate) <= limit + 1e-6
        right = reaches and log_upper_tail(rank - 1, rows, rate) > limit - 1e-6
    if not right:
        raise CertificateError(f"{certificate.quantity}: rank {rank} of {rows} does not belong to the level {level}.")
    stated = Fraction(str(certificate.confidence))
    return ConformalRank(rank, rows, level, assurance, stated if assurance is None else assurance)


def _recount(certificate: Certificate, data: ArrayLike | None) -> None:
    """Count in the calibration scores whether the threshold has the stated rank."""
    if data is None:
        return
    scores, groups = data if isinstance(data, tuple) else (data, None)
    scores = np.asarray(scores, dtype=float)
    group = certificate.inputs["group"]
    if group is not None:
        if groups is None:
            raise CertificateError(
                f"{certificate.quantity}: the data must be a pair (scores, groups).\n"
                "Hint: pass the group of every calibration row."
            )
        scores = scores[np.array([group.split(" ", 1)[1] == str(label) for label in np.asarray(groups).tolist()])]
    rank, rows = certificate.witness["rank"], certificate.witness["rows"]
    threshold = certificate.witness["threshold"]
    if len(scores) != rows:
        raise CertificateError(f"{certificate.quantity}: {len(scores)} scores given, the witness speaks of {rows}.")
    if rank <= rows and not np.sum(scores < threshold) < rank <= np.sum(scores <= threshold):
        raise CertificateError(f"{certificate.quantity}: {threshold!r} is not the score of rank {rank} of {rows}.")


@rules.checker("conformal-rank")
def _check_rank(certificate: Certificate, data: ArrayLike | None) -> rules.Derivation:
    rank = _stated_rank(certificate)
    _recount(certificate, data)
    derived = min(1.0, rank.rank / (rank.rows + 1))
    return rules.Derivation(derived, error=1e-15, slack=1e-12, record=_again(rank_certificate, rank, certificate))


@rules.checker("conformal-floor")
def _check_floor(certificate: Certificate, data: ArrayLike | None) -> rules.Derivation:
    rank = _stated_rank(certificate)
    _recount(certificate, data)
    derived, limit = 1.0, math.log(certificate.failure)
    if rank.finite:
        derived = bisect(lambda p: log_upper_tail(rank.rank, rank.rows, p) > limit, rank.rank / rank.rows, 0.0)
    return rules.Derivation(derived, error=1e-11, record=_again(floor_certificate, rank, certificate))


def _again(write: Callable[..., Certificate], rank: ConformalRank, certificate: Certificate) -> Certificate:
    """Write the certificate anew from its witness, with the value that it states."""
    inputs, threshold = certificate.inputs, certificate.witness["threshold"]
    if not rank.finite and threshold != math.inf:
        raise CertificateError(f"{certificate.quantity}: rank {rank.rank} of {rank.rows} needs an infinite threshold.")
    return write(rank, threshold, inputs["subject"], inputs["group"], certificate.single_value)


@rules.rows_that_help("conformal-rank")
@rules.rows_that_help("conformal-floor")
def _rows_needed(certificate: Certificate) -> int | None:
    level, assurance = certificate.inputs["level"], certificate.inputs["assurance"]
    if assurance is None:
        return rows_for_split(Fraction(level))
    return rows_for_assured(Fraction(level), Fraction(assurance))
