"""The certificate of cross-conformal sets: the proven level in front, the nominal one beside it."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from certus.guarantees.conformal.conformal_ranks import Level, exact_level, rounded_down, rows_for_split, split_rank
from certus.guarantees.conformal.cross_conformal import METHODS, proven_miscoverage
from certus.guarantees.conformal.rank_certificates import SUBJECT_ASSUMPTIONS, SUBJECTS, one_value
from certus.guarantees.records import rules
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.wording import percent, plural


def cross_certificate(
    fold_sizes: Sequence[int], *, confidence: Level = 0.9, method: str = "plus", subject: str = "set"
) -> Certificate:
    """Promise of CV+, jackknife+ (one row per fold) or minmax sets, on average over samples.

    Parameters
    ----------
    fold_sizes : sequence of int
        Rows of every fold; their sum is the number of rows.
    confidence : number strictly between 0 and 1, default=0.9
        The nominal level, which decides the rank.
    method : {"plus", "minmax"}, default="plus"
        How the folds are combined.
    subject : {"interval", "set"}, default="set"
        Word for the claim.

    Examples
    --------
    >>> from certus.guarantees import cross_certificate
    >>> round(cross_certificate([1] * 100, confidence=0.9).value, 3)
    0.812
    """
    sizes = _fold_sizes(fold_sizes)
    level = exact_level(confidence)
    rank = split_rank(sum(sizes), level)
    bound, argument = proven_miscoverage(rank, sizes, method)
    return _record(rounded_down(1 - bound), rank, sizes, level, method, subject, argument == "tournament")


def _record(
    value: float,
    rank: int,
    sizes: tuple[int, ...],
    level: Fraction,
    method: str,
    subject: str,
    symmetric: bool,
) -> Certificate:
    finite = rank <= sum(sizes)
    learner = ("symmetric-learner",) if symmetric else ()
    return Certificate(
        claim=_claim(value, level, sizes, method, subject, finite),
        quantity="coverage",
        direction="lower",
        value=value,
        trivial=0.0 if finite else 1.0,
        confidence=1.0,
        kind="expectation",
        theorem="Predictive inference with the jackknife+ (2021)",
        rule="cross-conformal",
        assumptions=("exchangeable", "random-folds", *learner, *SUBJECT_ASSUMPTIONS[subject]),
        inputs={"level": str(level), "method": method, "subject": subject},
        witness={"rank": rank, "folds": _counted(sizes)},
    )


def _fold_sizes(fold_sizes: Sequence[int]) -> tuple[int, ...]:
    sizes = tuple(int(size) for size in fold_sizes)
    if len(sizes) < 2 or min(sizes) < 1:
        raise ValueError(
            f"fold_sizes must name at least two folds of at least one row each, got {list(sizes)}.\n"
            "Hint: use no more folds than there are rows."
        )
    return sizes


def _counted(sizes: Sequence[int]) -> list[list[int]]:
    """Folds as pairs (size, how many), so that a jackknife witness stays small."""
    values, counts = np.unique(np.asarray(sizes), return_counts=True)
    return [[int(size), int(count)] for size, count in zip(values, counts, strict=True)]


def _claim(value: float, level: Fraction, sizes: Sequence[int], method: str, subject: str, finite: bool) -> str:
    rows, folds = sum(sizes), len(sizes)
    if not finite:
        return (
            f"The {subject} of a new row contains everything: {plural(rows, 'row')} "
            f"cannot support {percent(float(level))}."
        )
    prefix = {"plus": "", "minmax": "-minmax"}[method]
    plus = "+" if method == "plus" else ""
    name = f"jackknife{prefix}{plus}" if folds == rows else f"{folds}-fold CV{prefix}{plus}"
    remark = "" if value >= level else ", which is not what is proven"
    return (
        f"The {subject} of a new row contains its {SUBJECTS[subject]} with probability at least "
        f"{percent(value, 'lower')}, on average over samples ({name} on {plural(rows, 'row')}; "
        f"nominal level {percent(float(level))}{remark})."
    )


@rules.checker("cross-conformal")
def _check_cross(certificate: Certificate, data: Any) -> rules.Derivation:
    """Count the folds again; `data`, if given, is the vector of out-of-fold scores."""
    sizes = tuple(size for size, count in certificate.witness["folds"] for _ in range(count))
    rows, rank = sum(sizes), certificate.witness["rank"]
    level, method = Fraction(certificate.inputs["level"]), certificate.inputs["method"]
    if data is not None and len(data) != rows:
        raise CertificateError(f"coverage: {len(data)} out-of-fold scores given, the witness speaks of {rows}")
    if method not in METHODS or not (rank - 1) / level < rows + 1 <= rank / level:
        raise CertificateError(f"coverage: rank {rank} of {rows} does not belong to the level {level}")
    symmetric = "symmetric-learner" in certificate.assumptions
    derived = 1.0 if rank > rows else 1.0 - min(1.0, _recounted_miscoverage(rank, sizes, method, symmetric))
    subject = certificate.inputs["subject"]
    record = _record(one_value(certificate), rank, sizes, level, method, subject, symmetric)
    return rules.Derivation(derived, error=1e-12, slack=1e-9, record=record)


def _recounted_miscoverage(rank: int, sizes: tuple[int, ...], method: str, symmetric: bool) -> float:
    rows = sum(sizes)
    # Weighted mean of the fold p-values at the edge of exclusion; each p-value is (1 + hits) / (size + 1).
    weights = [size + 1 for size in sizes]
    by_p_values = 2.0 * (rows - rank + len(sizes)) / math.fsum(weights)
    if not symmetric or len(set(sizes)) != 1:
        return by_p_values
    size, losses = sizes[0], rows - rank
    if method == "minmax":
        # The weakest excluded row beats no other excluded row outside its fold.
        excluded = losses + size
    else:
        # s excluded rows meet in at least s (s - size) / 2 pairs of different folds; each pair has a loser.
        excluded = max(s for s in range(2 * losses + size + 2) if s * (s - size) <= 2 * s * losses)
    return min(by_p_values, excluded / (rows + size))


@rules.rows_that_help("cross-conformal")
def _rows_needed(certificate: Certificate) -> int | None:
    return rows_for_split(Fraction(certificate.inputs["level"]))
