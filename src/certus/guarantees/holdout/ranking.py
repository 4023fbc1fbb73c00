"""A guarantee for the area under the ROC curve."""

import math

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.holdout import concentration
from certus.guarantees.records import rules
from certus.guarantees.records.assumptions import holdout_tokens
from certus.guarantees.records.bases import Basis
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import check_confidence, exact
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import confidence_percent, percent

THEOREM = "Probability Inequalities for Sums of Bounded Random Variables: U-statistics (Hoeffding 1963)"


def won_half_pairs(positive_scores: np.ndarray, negative_scores: np.ndarray) -> int:
    """Twice the number of (positive, negative) pairs in the right order, ties counting once; exact."""
    order = np.sort(negative_scores)
    below = np.searchsorted(order, positive_scores, side="left")
    up_to = np.searchsorted(order, positive_scores, side="right")
    return int(below.sum()) + int(up_to.sum())


def compared_half_pairs(positive_scores: np.ndarray, negative_scores: np.ndarray) -> int:
    """The same, every row compared with every other: the second route of the checks."""
    return sum(int((2 * (up > negative_scores) + (up == negative_scores)).sum()) for up in positive_scores)


def log_level(confidence: float, uses: int) -> float:
    """log(1/delta) with the failure probability shared among the uses."""
    return -math.log(float((1 - exact(confidence)) / uses))


def auc_bound(
    positive_scores: ArrayLike, negative_scores: ArrayLike, *, confidence: float = 0.95, uses: int = 1
) -> Certificate:
    """Lower bound on the probability that a random positive row scores above a random negative one.

    The empirical area A is a two-sample U-statistic. By Hoeffding's averaging argument its exponential
    moments are at most those of the mean of k = min(positives, negatives) independent pairs, so the Chernoff
    bound holds with k rows: the limit is the smallest q with kl(A, q) <= log(1/delta)/k.

    Parameters
    ----------
    positive_scores, negative_scores : array-like
        Scores of the rows of either class; higher means more positive.

    Examples
    --------
    >>> bound = auc_bound([0.9, 0.8, 0.7, 0.6] * 25, [0.1, 0.2, 0.3, 0.65] * 25)
    >>> round(bound.value, 3), bound.check()
    (0.861, True)
    """
    groups = []
    for name, given in (("positive_scores", positive_scores), ("negative_scores", negative_scores)):
        scores = np.asarray(given, dtype=float)
        if scores.ndim != 1 or scores.size == 0 or np.isnan(scores).any():
            raise ValueError(f"{name} must be a non-empty vector of numbers without NaN.")
        groups.append(scores)
    check_confidence(confidence)
    check_count(uses, "uses", minimum=1)
    halves = won_half_pairs(*groups)
    return _record(*_limit(halves, len(groups[0]), len(groups[1]), confidence, uses), confidence, uses)


def _limit(halves: int, positives: int, negatives: int, confidence: float, uses: int) -> tuple[float, dict[str, int]]:
    witness = {"won_half_pairs": halves, "positives": positives, "negatives": negatives}
    lost = 2 * positives * negatives - halves
    level = log_level(confidence, uses)
    mirrored = concentration.kl_upper(
        min(1.0, lost / (2 * positives * negatives) + 1e-16), level / min(positives, negatives)
    )
    return max(0.0, 1.0 - mirrored - 1e-15), witness


def _record(value: float, witness: dict[str, int], confidence: float, uses: int) -> Certificate:
    pairs = 2 * witness["positives"] * witness["negatives"]
    claim = (
        f"With confidence {confidence_percent(confidence)} the area under the ROC curve is at least "
        f"{percent(value, 'lower')} ({percent(witness['won_half_pairs'] / pairs)} on {witness['positives']} "
        f"positive and {witness['negatives']} negative rows)."
    )
    return Basis("auc-kl", THEOREM, holdout_tokens(uses, "class-counts-given")).probable(
        confidence, claim, "area under the ROC curve", "lower", value, 0.0, {"uses": uses}, witness
    )


@rules.checker("auc-kl")
def _check_auc(certificate: Certificate, data: tuple[ArrayLike, ArrayLike] | None) -> Derivation:
    """`data`, if given, is the pair (scores of positive rows, scores of negative rows)."""
    names = ("won_half_pairs", "positives", "negatives")
    halves, positives, negatives = (check_count(certificate.witness[name], name) for name in names)
    if data is not None:
        ups, downs = (np.asarray(part, dtype=float) for part in data)
        wins = compared_half_pairs(ups, downs)
        if (wins, len(ups), len(downs)) != (halves, positives, negatives):
            raise CertificateError("area under the ROC curve: the scores do not give the counts of the witness.")
    uses = check_count(certificate.inputs["uses"], "uses", minimum=1)
    level = concentration.log_level_decimal(certificate.confidence, uses)
    lost = (2 * positives * negatives - halves) / (2 * positives * negatives)
    value = 1.0 - concentration.chernoff_in_decimals(lost, min(positives, negatives), level)
    record = _record(certificate.single_value, dict(certificate.witness), certificate.confidence, uses)
    return Derivation(value, error=1e-11, scale=1e-2, record=record)
