"""What held-out labels and predictions support, as a list of certificates."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from certus.guarantees.holdout.confusion_measures import balanced_accuracy_bound, f_bound
from certus.guarantees.holdout.ranking import auc_bound
from certus.guarantees.holdout.rate import RateSetting, rate_bound
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.confidence_levels import share
from certus.guarantees.records.quantity import ERROR, PRECISION, RECALL, Quantity


def certify_labels(
    truth: np.ndarray,
    predicted: np.ndarray,
    *,
    confidence: float = 0.95,
    uses: int = 1,
    positive: object = None,
    scores: np.ndarray | None = None,
    jointly: bool = False,
    classes: Sequence[object] | np.ndarray = (),
) -> list[Certificate]:
    """Certificates of a classifier: its error first, then every rate of the confusion matrix.

    Parameters
    ----------
    truth, predicted : array of shape (rows,)
        True and predicted labels of held-out rows.
    confidence : float, default=0.95
        Of each certificate, or of all together if `jointly`.
    uses : int, default=1
        How many candidates or questions these rows have served, this one included.
    positive : label, optional
        With two classes: the one that recall, precision and F1 are about. Default: the larger label.
    scores : array of shape (rows,), optional
        With two classes: scores that are higher for the positive class; they add the area under the ROC curve.
    jointly : bool, default=False
        Split the failure probability evenly, so that all certificates hold together.
    classes : array, optional
        All labels there are, if the rows may lack some.

    Returns
    -------
    list of Certificate
    """
    known = [np.asarray(classes)] if len(classes) else []
    classes = np.unique(np.concatenate([truth, predicted, *known]))
    counts = _Counts(truth, predicted, classes, uses)
    plan = _planned(counts, positive, scores)
    level = share(confidence, _most(len(classes))) if jointly else confidence
    return [make(level) for make in plan]


def _most(classes: int) -> int:
    """Certificates that a confusion matrix can give, whether or not every class is seen in these rows.

    The share of each must not depend on what the rows happen to show.
    """
    error_and_balance, recalls_and_precisions = 2, 2 * classes
    return error_and_balance + recalls_and_precisions + (2 if classes == 2 else classes)


class _Counts:
    """Confusion counts, and rate bounds made from them."""

    def __init__(self, truth: np.ndarray, predicted: np.ndarray, classes: np.ndarray, uses: int) -> None:
        self.truth, self.predicted, self.classes, self.uses = truth, predicted, classes, uses
        rows = np.searchsorted(classes, truth)
        columns = np.searchsorted(classes, predicted)
        size = len(classes)
        self.table = np.bincount(rows * size + columns, minlength=size * size).reshape(size, size)

    def rate(self, quantity: Quantity, noun: str, events: int, rows: int, *, side: str = "lower") -> Any:
        def make(confidence: float) -> Certificate:
            conditional = noun != "error"
            setting = RateSetting(confidence, side, "clopper-pearson", self.uses, quantity, noun, conditional)
            return rate_bound(int(events), int(rows), setting)

        return make

    def f1(self, position: int, quantity: Quantity) -> Any:
        hits = int(self.table[position, position])
        alarms = int(self.table[:, position].sum()) - hits
        misses = int(self.table[position].sum()) - hits
        return lambda level: f_bound(hits, alarms, misses, confidence=level, uses=self.uses, quantity=quantity)


def _planned(counts: _Counts, positive: object, scores: np.ndarray | None) -> list[Any]:
    table, classes = counts.table, counts.classes
    rows = int(table.sum())
    plan = [counts.rate(Quantity(ERROR), "error", rows - int(np.trace(table)), rows, side="upper")]
    present = np.flatnonzero(table.sum(axis=1))
    for position in present:
        hits, total = table[position, position], table[position].sum()
        plan.append(counts.rate(Quantity(RECALL, of=str(classes[position])), "hit", hits, total))
    for position in np.flatnonzero(table.sum(axis=0)):
        hits, total = table[position, position], table[:, position].sum()
        plan.append(counts.rate(Quantity(PRECISION, of=str(classes[position])), "hit", hits, total))
    if len(present) > 1:
        correct, totals = table[present, present].tolist(), table[present].sum(axis=1).tolist()
        plan.append(lambda level: balanced_accuracy_bound(correct, totals, confidence=level, uses=counts.uses))
    if len(classes) == 2:
        plan += _binary(counts, positive, scores)
    else:
        plan += [counts.f1(int(i), Quantity("F1", of=str(classes[i]))) for i in present]
    return plan


def _binary(counts: _Counts, positive: object, scores: np.ndarray | None) -> list[Any]:
    found = np.flatnonzero(counts.classes == (counts.classes[1] if positive is None else positive))
    if len(found) != 1:
        raise ValueError(f"positive must be one of the labels {counts.classes.tolist()}, got {positive!r}.")
    yes = int(found[0])
    matters = counts.table[yes].sum() + counts.table[:, yes].sum()
    plan = [counts.f1(yes, Quantity("F1", of=str(counts.classes[yes])))] if matters else []
    is_yes = counts.truth == counts.classes[yes]
    if scores is not None and is_yes.any() and not is_yes.all():
        ups, downs = scores[is_yes], scores[~is_yes]
        plan.append(lambda level: auc_bound(ups, downs, confidence=level, uses=counts.uses))
    return plan
