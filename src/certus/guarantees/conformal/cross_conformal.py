"""Cross-conformal prediction: CV+, jackknife+ and minmax, with the level that is proven, not the nominal one.

Row i is scored by the model that did not see its fold, R_i = s(x_i, y_i; model without fold(i)). With the
rank k = ceil((n + 1) p) a candidate y at x is left out of the set when

    plus:    #{i : R_i < s(x, y; model without fold(i))} >= k
    minmax:  #{i : R_i < min over folds of s(x, y; model without that fold)} >= k

For s = |y - prediction| the plus set lies in the interval between the (n + 1 - k)-th smallest of
prediction_i(x) - R_i and the k-th smallest of prediction_i(x) + R_i.

What is proven (n rows, K folds of sizes m_1 ... m_K, m if all are equal), writing u = n - k:

* plus, any folds:    miscoverage <= 2 (u + K) / (n + K). Each fold gives a valid p-value and twice a weighted
  mean of p-values is one. Slightly sharper than 2 alpha + 2 (1 - 1/K) / (n/K + 1).
* plus, equal folds:  miscoverage <= (2 u + m) / (n + m), by counting in the tournament of n + m rows;
  m = 1 is the jackknife+ with its 2 alpha. Needs a learner that ignores the order of rows.
* minmax, equal folds: miscoverage <= (u + m) / (n + m), m = 1 being the jackknife-minmax with its alpha.
  Needs a learner that ignores the order of rows. The bound of `plus` for any folds holds as well.

Reference: Barber, Candes, Ramdas, Tibshirani, Predictive inference with the jackknife+ (2021); Vovk, Wang,
Combining p-values via averaging (2020).
"""

import math
from collections.abc import Sequence, Sized
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.conformal.conformal_ranks import Level, exact_level, rounded_down, rows_for_split, split_rank
from certus.guarantees.conformal.rank_certificate import SUBJECT_ASSUMPTIONS, SUBJECTS
from certus.guarantees.records import rules
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.wording import percent, plural

METHODS = ("plus", "minmax")
_BLOCK_ELEMENTS = 4_000_000
_BISECTIONS = 64

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]


def proven_miscoverage(rank: int, fold_sizes: Sequence[int], method: str = "plus") -> tuple[Fraction, str]:
    """Smallest proven bound on the miscoverage, and which of the arguments above gives it."""
    check_method(method)
    rows, folds = sum(fold_sizes), len(fold_sizes)
    if rank > rows:
        return Fraction(0), "infinite"
    above = rows - rank
    bounds = [(Fraction(2 * (above + folds), rows + folds), "averaged-p-values")]
    if len(set(fold_sizes)) == 1:
        size = fold_sizes[0]
        pairs = 2 if method == "plus" else 1
        bounds.append((Fraction(pairs * above + size, rows + size), "tournament"))
    bound, argument = min(bounds)
    return min(bound, Fraction(1)), argument


def check_method(method: str) -> None:
    """Refuse an unknown cross-conformal method."""
    if method not in METHODS:
        raise ValueError(
            f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}.\n"
            "Hint: 'plus' is CV+, or jackknife+ with one row per fold; 'minmax' is wider and promises more."
        )


def outward(center: Floats, radius: Floats) -> Floats:
    """Center + radius, enlarged so that rounding excludes no value whose computed score was <= radius."""
    return center + radius + 2.0**-51 * (np.abs(center) + np.abs(radius))


def cross_interval(
    predictions: Floats, residuals: Floats, fold_of_row: Integers, rank: int, method: str = "plus"
) -> Floats:
    """Intervals from fold predictions of shape (points, folds) and the out-of-fold residuals of the rows."""
    check_method(method)
    if rank > len(residuals):
        return np.tile([-np.inf, np.inf], (len(predictions), 1))
    if method == "minmax":
        radius = np.full(len(predictions), np.partition(residuals, rank - 1)[rank - 1])
        upper = outward(predictions.max(axis=1), radius)
        lower = -outward(-predictions.min(axis=1), radius)
    else:
        upper = _ranked_sums(predictions, residuals, fold_of_row, rank)
        lower = -_ranked_sums(-predictions, residuals, fold_of_row, rank)
    return np.column_stack([lower, upper])


def _ranked_sums(predictions: Floats, residuals: Floats, fold_of_row: Integers, rank: int) -> Floats:
    """For each point the rank-th smallest of prediction_i + R_i over the rows i, rounded up."""
    few_folds = _BISECTIONS * predictions.shape[1] < len(residuals)
    if few_folds and np.isfinite(residuals).all() and np.isfinite(predictions).all():
        return _bisected_sums(predictions, residuals, fold_of_row, rank)
    result = np.empty(len(predictions))
    block = max(1, _BLOCK_ELEMENTS // len(residuals))
    for start in range(0, len(predictions), block):
        centers = predictions[start : start + block, fold_of_row]
        sums = outward(centers, residuals)
        result[start : start + block] = np.partition(sums, rank - 1, axis=1)[:, rank - 1]
    return result


def _bisected_sums(predictions: Floats, residuals: Floats, fold_of_row: Integers, rank: int) -> Floats:
    """The same by bisection on the value: within a fold the sums are the sorted residuals, shifted."""
    folds = [np.sort(residuals[fold_of_row == fold]) for fold in range(predictions.shape[1])]
    largest = float(residuals.max())
    low, high = predictions.min(axis=1), predictions.max(axis=1) + largest
    for _ in range(_BISECTIONS):
        middle = low + 0.5 * (high - low)
        counts = np.zeros(len(predictions), dtype=np.int64)
        for fold, ordered in enumerate(folds):
            counts += np.searchsorted(ordered, middle - predictions[:, fold], side="right")
        reached = counts >= rank
        high, low = np.where(reached, middle, high), np.where(reached, low, middle)
    return outward(high, 2.0**-50 * (np.abs(predictions).max(axis=1) + largest))


def cross_set(
    candidate_scores: Floats, scores: Floats, fold_of_row: Integers, rank: int, method: str = "plus"
) -> NDArray[np.bool_]:
    """Sets from candidate scores (points, candidates, folds) and the out-of-fold scores of the rows."""
    check_method(method)
    if rank > len(scores):
        return np.ones(candidate_scores.shape[:2], dtype=bool)
    if method == "minmax":
        return candidate_scores.min(axis=2) <= np.partition(scores, rank - 1)[rank - 1]
    smaller = np.zeros(candidate_scores.shape[:2], dtype=np.int64)
    for fold in range(candidate_scores.shape[2]):
        ordered = np.sort(scores[fold_of_row == fold])
        smaller += np.searchsorted(ordered, candidate_scores[:, :, fold], side="left")
    return smaller < rank


def equal_folds(rows: int, folds: int) -> tuple[int, ...]:
    """Sizes of `folds` folds that differ by at most one row."""
    small, larger = divmod(rows, folds)
    return (small + 1,) * larger + (small,) * (folds - larger)


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
        theorem="Predictive inference with the jackknife+ (Barber et al. 2021)",
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
def _check_cross(certificate: Certificate, data: Sized | None) -> rules.Derivation:
    """Count the folds again; `data`, if given, is the vector of out-of-fold scores."""
    sizes = tuple(size for size, count in certificate.witness["folds"] for _ in range(count))
    rows, rank = sum(sizes), certificate.witness["rank"]
    level, method = Fraction(certificate.inputs["level"]), certificate.inputs["method"]
    if data is not None and len(data) != rows:
        raise CertificateError(f"coverage: {len(data)} out-of-fold scores given, the witness speaks of {rows}.")
    if method not in METHODS or not (rank - 1) / level < rows + 1 <= rank / level:
        raise CertificateError(f"coverage: rank {rank} of {rows} does not belong to the level {level}.")
    symmetric = "symmetric-learner" in certificate.assumptions
    derived = 1.0 if rank > rows else 1.0 - min(1.0, _recounted_miscoverage(rank, sizes, method, symmetric))
    subject = certificate.inputs["subject"]
    record = _record(certificate.single_value, rank, sizes, level, method, subject, symmetric)
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
