"""Guarantees for measures that combine several rates of a confusion matrix: F-measure, balanced accuracy."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from numpy.typing import ArrayLike

from certus.guarantees.holdout import clopper_pearson
from certus.guarantees.holdout.binomial_tail import bisect, log_lower_tail, log_upper_tail
from certus.guarantees.holdout.rate import THEOREMS
from certus.guarantees.records import rules
from certus.guarantees.records.assumptions import holdout_tokens
from certus.guarantees.records.bases import Basis
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.confidence_levels import check_confidence, exact
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import confidence_percent, percent, plural

CLOPPER_PEARSON = THEOREMS["clopper-pearson"]


def f_bound(
    true_positives: int,
    false_positives: int,
    false_negatives: int,
    *,
    beta: float = 1.0,
    confidence: float = 0.95,
    uses: int = 1,
    quantity: Quantity | str = "F1",
) -> Certificate:
    """Lower bound on the F-measure of the population from counts on held-out rows.

    F = (1+b^2) TP / ((1+b^2) TP + b^2 FN + FP). Among the rows that are positive or called so, let q be the
    share of true positives and r the share of misses among the mistakes; then

        F = (1+b^2) q / ((1+b^2) q + (1-q) (b^2 r + 1 - r)),

    where both counts are binomial given how many such rows and mistakes there are. For b = 1, F = 2q/(1+q)
    depends on q alone and the bound is exact; otherwise the failure probability is split between q and r.

    Examples
    --------
    >>> bound = f_bound(90, 5, 10)
    >>> round(bound.value, 4), bound.check()
    (0.8818, True)
    """
    hits, alarms, misses = (
        check_count(value, name)
        for value, name in (
            (true_positives, "true_positives"),
            (false_positives, "false_positives"),
            (false_negatives, "false_negatives"),
        )
    )
    if hits + alarms + misses == 0:
        raise ValueError("F-measure: no row is positive or called positive, so there is nothing to bound.")
    if not beta > 0:
        raise ValueError(f"beta must be greater than 0, got {beta!r}.")
    check_confidence(confidence)
    delta = (1 - exact(confidence)) / check_count(uses, "uses", minimum=1)
    mistakes = alarms + misses
    share = float(delta if beta == 1.0 else delta / 2)
    q = clopper_pearson.lower(hits, hits + mistakes, share)
    r = 0.5
    if beta != 1.0:
        limit = clopper_pearson.upper if beta > 1.0 else clopper_pearson.lower
        r = limit(misses, mistakes, share) if mistakes else float(beta > 1.0)
    value = max(0.0, _f_measure(q, r, beta) * (1.0 - 1e-14))
    counts = {"true_positives": hits, "false_positives": alarms, "false_negatives": misses}
    return _f_record(value, counts, beta, confidence, uses, quantity)


def _f_measure(q: float, r: float, beta: float) -> float:
    weight = beta * beta
    if beta == 1.0:
        return 2.0 * q / (1.0 + q)
    return (1.0 + weight) * q / ((1.0 + weight) * q + (1.0 - q) * (weight * r + 1.0 - r))


def _f_record(
    value: float, counts: dict[str, int], beta: float, confidence: float, uses: int, quantity: Quantity | str
) -> Certificate:
    claim = (
        f"With confidence {confidence_percent(confidence)} the {quantity} is at least "
        f"{percent(value, 'lower')} ({plural(counts['true_positives'], 'hit')}, "
        f"{plural(counts['false_positives'], 'false alarm')}, {counts['false_negatives']} missed)."
    )
    return Basis("f-measure", CLOPPER_PEARSON, holdout_tokens(uses, "class-counts-given")).probable(
        confidence, claim, quantity, "lower", value, 0.0, {"beta": float(beta), "uses": uses}, counts
    )


@rules.checker("f-measure")
def _check_f(certificate: Certificate, _data: ArrayLike | None) -> Derivation:
    witness, beta, uses = certificate.witness, certificate.inputs["beta"], certificate.inputs["uses"]
    counts = {name: check_count(witness[name], name) for name in sorted(witness)}
    hits, alarms, misses = (
        counts["true_positives"],
        counts["false_positives"],
        counts["false_negatives"],
    )
    delta = (1 - exact(certificate.confidence)) / check_count(uses, "uses", minimum=1)
    share = _log(delta if beta == 1.0 else delta / 2)
    q, r = summed_lower(hits, hits + alarms + misses, share), 0.5
    if beta != 1.0:
        limit = summed_upper if beta > 1.0 else summed_lower
        r = limit(misses, alarms + misses, share) if alarms + misses else float(beta > 1.0)
    record = _f_record(
        certificate.single_value,
        {name: counts[name] for name in ("true_positives", "false_positives", "false_negatives")},
        beta,
        certificate.confidence,
        uses,
        certificate.quantity,
    )
    return Derivation(_f_measure(q, r, beta), error=1e-11, record=record)


def balanced_accuracy_bound(
    correct: Sequence[int], rows: Sequence[int], *, confidence: float = 0.95, uses: int = 1
) -> Certificate:
    """Lower bound on the mean of the per-class recalls.

    (1/K) sum_c L_c, where L_c is the Clopper-Pearson lower limit of class c at failure probability delta/K.

    Parameters
    ----------
    correct, rows : sequence of int
        Correctly predicted rows, and rows, of each class.

    Examples
    --------
    >>> round(balanced_accuracy_bound([95, 90], [100, 100]).value, 3)
    0.855
    """
    right = [check_count(value, "correct") for value in correct]
    totals = [check_count(value, "rows", minimum=1) for value in rows]
    if not right or len(right) != len(totals) or any(a > b for a, b in zip(right, totals, strict=True)):
        raise ValueError("correct and rows need one entry per class with correct <= rows and rows >= 1.")
    check_confidence(confidence)
    delta = float((1 - exact(confidence)) / (check_count(uses, "uses", minimum=1) * len(right)))
    limits = [clopper_pearson.lower(a, b, delta) for a, b in zip(right, totals, strict=True)]
    value = sum(limits) / len(limits) * (1.0 - 1e-14)
    return _balanced_record(value, right, totals, confidence, uses)


def _balanced_record(value: float, correct: list[int], rows: list[int], confidence: float, uses: int) -> Certificate:
    claim = (
        f"With confidence {confidence_percent(confidence)} the balanced accuracy over {len(rows)} classes "
        f"is at least {percent(value, 'lower')} ({plural(sum(rows), 'row')})."
    )
    return Basis("balanced-accuracy", CLOPPER_PEARSON, holdout_tokens(uses, "class-counts-given")).probable(
        confidence, claim, "balanced accuracy", "lower", value, 0.0, {"uses": uses}, {"correct": correct, "rows": rows}
    )


@rules.checker("balanced-accuracy")
def _check_balanced(certificate: Certificate, _data: ArrayLike | None) -> Derivation:
    correct = [check_count(value, "correct") for value in certificate.witness["correct"]]
    rows = [check_count(value, "rows", minimum=1) for value in certificate.witness["rows"]]
    uses = check_count(certificate.inputs["uses"], "uses", minimum=1)
    share = _log((1 - exact(certificate.confidence)) / (uses * len(rows)))
    limits = [summed_lower(a, b, share) for a, b in zip(correct, rows, strict=True)]
    record = _balanced_record(certificate.single_value, correct, rows, certificate.confidence, uses)
    return Derivation(sum(limits) / len(limits), error=1e-11, record=record)


def macro_f_bound(
    true_positives: Sequence[int],
    false_positives: Sequence[int],
    false_negatives: Sequence[int],
    *,
    confidence: float = 0.95,
    uses: int = 1,
) -> Certificate:
    """Lower bound on the mean over classes of their F1, each class in turn taken as the positive one.

    (1/K) sum_c 2 q_c / (1 + q_c), where q_c is the Clopper-Pearson lower limit, at failure probability delta/K, of
    the share of hits among the rows that are of class c or called so.

    Examples
    --------
    >>> bound = macro_f_bound([90, 80], [20, 10], [10, 20])
    >>> round(bound.value, 3), bound.check()
    (0.787, True)
    """
    counts = {
        "true_positives": [check_count(value, "true_positives") for value in true_positives],
        "false_positives": [check_count(value, "false_positives") for value in false_positives],
        "false_negatives": [check_count(value, "false_negatives") for value in false_negatives],
    }
    if not counts["true_positives"] or len({len(column) for column in counts.values()}) > 1:
        raise ValueError("true_positives, false_positives and false_negatives need one entry per class.")
    check_confidence(confidence)
    check_count(uses, "uses", minimum=1)
    return _macro_record(
        _macro_value(counts, confidence, uses, clopper_pearson.lower) - 1e-14, counts, confidence, uses
    )


def _macro_value(
    counts: dict[str, list[int]], confidence: float, uses: int, limit: Callable[[int, int, float], float]
) -> float:
    """The mean over classes of 2 q/(1 + q); a class that no row has or is called has F1 >= 0, no more."""
    classes = list(zip(counts["true_positives"], counts["false_positives"], counts["false_negatives"], strict=True))
    delta = float((1 - exact(confidence)) / (uses * len(classes)))
    found = [limit(hits, hits + alarms + misses, delta) for hits, alarms, misses in classes if hits]
    return sum(2.0 * q / (1.0 + q) for q in found) / len(classes)


def _macro_record(value: float, counts: dict[str, list[int]], confidence: float, uses: int) -> Certificate:
    value = max(0.0, value)
    claim = (
        f"With confidence {confidence_percent(confidence)} the mean F1 over {len(counts['true_positives'])} "
        f"classes is at least {percent(value, 'lower')}."
    )
    return Basis("macro-f1", CLOPPER_PEARSON, holdout_tokens(uses, "class-counts-given")).probable(
        confidence, claim, "macro F1", "lower", value, 0.0, {"uses": uses}, counts
    )


@rules.checker("macro-f1")
def _check_macro(certificate: Certificate, _data: ArrayLike | None) -> Derivation:
    names = ("true_positives", "false_positives", "false_negatives")
    counts = {name: [check_count(value, name) for value in certificate.witness[name]] for name in names}
    uses = check_count(certificate.inputs["uses"], "uses", minimum=1)
    value = _macro_value(
        counts,
        certificate.confidence,
        uses,
        lambda events, rows, delta: summed_lower(events, rows, math.log(delta)),
    )
    record = _macro_record(certificate.single_value, counts, certificate.confidence, uses)
    return Derivation(value, error=1e-11, scale=1e-2, record=record)


def _log(share: Fraction) -> float:
    return math.log(float(share))


def summed_lower(events: int, rows: int, log_delta: float) -> float:
    """Clopper-Pearson's lower limit by adding up probabilities: the second route."""
    if events == 0:
        return 0.0
    return bisect(lambda p: log_upper_tail(events, rows, p) > log_delta, events / rows, 0.0)


def summed_upper(events: int, rows: int, log_delta: float) -> float:
    """Clopper-Pearson's upper limit by adding up probabilities: the second route."""
    if events == rows:
        return 1.0
    return bisect(lambda p: log_lower_tail(events, rows, p) > log_delta, events / rows, 1.0)
