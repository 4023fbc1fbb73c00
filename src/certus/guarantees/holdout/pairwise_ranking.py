"""A guarantee for the mean area under the ROC curves of all pairs of classes (Hand and Till's measure).

For classes i != j let A_ij be the share of pairs (row of class i, row of class j) in which the row of class i has the
larger score for class i, ties counting half; M is the mean of A_ij over the P ordered pairs of classes.

Given how many rows n_i each class has, A_ij is a two-sample U-statistic: its exponential moments are at most those of
the mean of k_ij = min(n_i, n_j) independent pairs (Hoeffding 1963). The A_ij depend on each other, and Hoelder's
inequality with the weights w_ij proportional to 1/k_ij gives

    E exp(s M) <= prod (1 - mu_ij + mu_ij exp(s/H))^(H/P) <= (1 - mu + mu exp(s/H))^H,

with H the harmonic mean of the k_ij and mu the mean of the mu_ij; the second step is Jensen's for the concave
logarithm. So the Chernoff bound holds with H rows, without a price for the number of pairs: the limit is the smallest
q with kl(M, q) <= log(1/delta)/H. Classes with few rows would make H small; the classes that enter are those with at
least r rows, and every other pair counts as 0. The number r depends on the counts alone, which are given.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.holdout import concentration
from certus.guarantees.holdout.ranking import compared_half_pairs, log_level, won_half_pairs
from certus.guarantees.records import rules
from certus.guarantees.records.assumptions import holdout_tokens
from certus.guarantees.records.bases import Basis
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import check_confidence
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import confidence_percent, percent, plural

THEOREM = "Probability Inequalities for Sums of Bounded Random Variables: U-statistics (Hoeffding 1963)"
QUANTITY = "mean area under the ROC curves of pairs of classes"


def pairwise_auc_bound(truth: ArrayLike, scores: ArrayLike, *, confidence: float = 0.95, uses: int = 1) -> Certificate:
    """Lower bound on the mean, over ordered pairs of classes, of the area under the ROC curve.

    Parameters
    ----------
    truth : array of int of shape (rows,)
        The column of `scores` that belongs to the class of each row.
    scores : array of shape (rows, classes)
        Higher means more of that class.
    confidence : float, default=0.95
        Probability with which the bound holds.
    uses : int, default=1
        How many candidates or questions these rows have served, this one included.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.arange(300) % 3
    >>> scores = np.eye(3)[truth] + 0.4 * np.random.default_rng(0).normal(size=(300, 3))
    >>> bound = pairwise_auc_bound(truth, scores)
    >>> round(bound.value, 3), bound.check()
    (0.908, True)
    """
    labels, table = _rows(truth, scores)
    check_confidence(confidence)
    check_count(uses, "uses", minimum=1)
    counts = np.bincount(labels, minlength=table.shape[1])
    level = log_level(confidence, uses)
    chosen = entering_classes(counts.tolist(), level)
    if len(chosen) < 2:
        raise ValueError("at least two classes need rows, otherwise there is no pair to compare.")
    won = won_pairs_table(labels, table, chosen)
    witness = {"counts": counts.tolist(), "classes": chosen, "won_half_pairs": won}
    lost, effective = _lost_share(won, [int(counts[c]) for c in chosen])
    mirrored = concentration.kl_upper(min(1.0, lost + 1e-15), level / effective)
    share = _share_of_pairs(len(chosen), len(counts))
    value = max(0.0, (1.0 - mirrored) * share * (1.0 - 1e-14) - 1e-15)
    return _record(value, witness, confidence, uses)


def _rows(truth: ArrayLike, scores: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    table, labels = np.asarray(scores, dtype=float), np.asarray(truth)
    if table.ndim != 2 or table.shape[1] < 2 or np.isnan(table).any():
        raise ValueError(f"scores must have one column per class and no NaN, got the shape {table.shape}.")
    fits = labels.shape == table.shape[:1] and np.issubdtype(labels.dtype, np.integer)
    if not fits or labels.min(initial=0) < 0 or labels.max(initial=0) >= table.shape[1]:
        raise ValueError("truth must name, for every row, the column of scores that belongs to its class.")
    return labels.astype(np.intp), table


def entering_classes(counts: Sequence[int], level: float) -> list[int]:
    """The classes with at least r rows, with the r for which a flawless ranking would get the largest bound.

    With all pairs in order the bound is (share of pairs that enter) * exp(-level/H).
    """
    best, kept = 0.0, []
    for least in sorted(set(counts) - {0}):
        classes = [c for c, count in enumerate(counts) if count >= least]
        if len(classes) < 2:
            break
        effective = _harmonic_rows([counts[c] for c in classes])
        promise = _share_of_pairs(len(classes), len(counts)) * math.exp(-level / effective)
        if promise > best:
            best, kept = promise, classes
    return kept


def _share_of_pairs(entering: int, classes: int) -> float:
    return entering * (entering - 1) / (classes * (classes - 1))


def _harmonic_rows(counts: Sequence[int]) -> float:
    """Harmonic mean of the smaller counts of all pairs; with counts descending the i-th is the smaller of i pairs."""
    ordered = np.sort(np.asarray(counts, dtype=float))[::-1]
    pairs = np.arange(len(ordered))
    return float(pairs.sum() / np.sum(pairs / ordered))


def won_pairs_table(
    labels: np.ndarray,
    scores: np.ndarray,
    classes: Sequence[int],
    count: Callable[[np.ndarray, np.ndarray], int] = won_half_pairs,
) -> list[list[int]]:
    """Entry i, j: twice the pairs (row of class i, row of class j) in the right order by the score for i, ties once."""
    own = [labels == c for c in classes]
    return [
        [count(scores[own[i], first], scores[own[j], first]) if i != j else 0 for j in range(len(classes))]
        for i, first in enumerate(classes)
    ]


def _lost_share(won: Sequence[Sequence[int]], counts: Sequence[int]) -> tuple[float, float]:
    """1 - M over the classes that enter, and the number of rows with which it concentrates."""
    rows = np.asarray(counts, dtype=float)
    pairs = 2.0 * np.outer(rows, rows)
    lost = (pairs - np.asarray(won, dtype=float)) / pairs
    np.fill_diagonal(lost, 0.0)
    return float(lost.sum() / (len(rows) * (len(rows) - 1))), _harmonic_rows(counts)


def _record(value: float, witness: dict[str, Any], confidence: float, uses: int) -> Certificate:
    counts, classes = witness["counts"], witness["classes"]
    left_out = len(counts) - len(classes)
    rarest = "rarest class" if left_out == 1 else f"{left_out} rarest classes"
    remark = f"; pairs with the {rarest} count as 0" if left_out else ""
    claim = (
        f"With confidence {confidence_percent(confidence)} the {QUANTITY} is at least "
        f"{percent(value, 'lower')} ({plural(sum(counts), 'row')} of {len(counts)} classes{remark})."
    )
    return Basis("pairwise-auc-kl", THEOREM, holdout_tokens(uses, "class-counts-given")).probable(
        confidence, claim, QUANTITY, "lower", value, 0.0, {"uses": uses}, witness
    )


@rules.checker("pairwise-auc-kl")
def _check_pairwise(certificate: Certificate, data: tuple[ArrayLike, ArrayLike] | None) -> Derivation:
    """`data`, if given, is the pair (truth, scores)."""
    counts = [check_count(count, "counts") for count in certificate.witness["counts"]]
    chosen = [check_count(c, "classes") for c in certificate.witness["classes"]]
    won = [[check_count(one, "won_half_pairs") for one in row] for row in certificate.witness["won_half_pairs"]]
    uses = check_count(certificate.inputs["uses"], "uses", minimum=1)
    level = concentration.log_level_decimal(certificate.confidence, uses)
    if chosen != entering_classes(counts, log_level(certificate.confidence, uses)):
        raise CertificateError(f"{QUANTITY}: the classes of the witness do not follow from its counts.")
    if data is not None:
        _recount(data, counts, chosen, won)
    lost = inverse = 0.0
    for i, first in enumerate(chosen):
        for j, second in enumerate(chosen):
            if i != j:
                pairs = 2 * counts[first] * counts[second]
                lost += (pairs - won[i][j]) / pairs
                inverse += 1.0 / min(counts[first], counts[second])
    ordered = len(chosen) * (len(chosen) - 1)
    limit = 1.0 - concentration.chernoff_in_decimals(lost / ordered, ordered / inverse, level)
    witness = {"counts": counts, "classes": chosen, "won_half_pairs": won}
    record = _record(certificate.single_value, witness, certificate.confidence, uses)
    return Derivation(limit * ordered / (len(counts) * (len(counts) - 1)), error=1e-11, scale=1e-2, record=record)


def _recount(data: tuple[ArrayLike, ArrayLike], counts: list[int], chosen: list[int], won: list[list[int]]) -> None:
    """Compare every pair of rows, one class against another."""
    labels, table = _rows(*data)
    same = np.bincount(labels, minlength=table.shape[1]).tolist() == counts
    if not same or won_pairs_table(labels, table, chosen, compared_half_pairs) != won:
        raise CertificateError(f"{QUANTITY}: the scores do not give the counts of the witness.")
