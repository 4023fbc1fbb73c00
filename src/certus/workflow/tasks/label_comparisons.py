"""Whether predicted labels are better than every constant, by what is exact for the measure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import error_bound
from certus.guarantees.records import ERROR
from certus.workflow.measures import BoundedBy
from certus.workflow.tasks.judged import Constant, Judged
from certus.workflow.verdict import Comparison, Rival, against_bound, against_labels, against_mean

if TYPE_CHECKING:
    from certus.workflow.tasks.label_task import LabelTask

Array = NDArray[Any]
LARGEST_RIVAL_COUNT = 10  # constants that a mean cost is compared with: the best ones on the learning rows


def _above(task: LabelTask, judged: Judged, _learned: Array) -> Comparison:
    """A bound on the AUC or the balanced accuracy above what every constant has: 1/2, and 1 over the classes."""
    certificate = task.certify(judged)
    if certificate.quantity.name == ERROR:  # a class is missing from the test rows
        return against_labels(judged.truth, judged.predictions, None, judged.level)
    reached = 0.5 if task.measure.bounded_by is BoundedBy.AUC else 1.0 / len(task.labels)
    return against_bound(certificate.single_value > reached)


def _above_f1(task: LabelTask, judged: Judged, _learned: Array) -> Comparison:
    """A bound on F1 above that of every constant.

    Whoever always answers a class of share p has F1 = 2p/(1 + p) there and 0 elsewhere. Half of the failure
    probability is for the winner's F1, the other half for the shares of all classes.
    """
    certificate = task.certify(replace(judged, confidence=1.0 - judged.level / 2))
    if certificate.quantity.name == ERROR:
        return against_labels(judged.truth, judged.predictions, None, judged.level)
    classes = [1] if task.measure.bounded_by is BoundedBy.F1 else list(range(len(task.labels)))
    each = 1.0 - judged.level / (2 * len(classes))
    counts = [int(np.sum(judged.truth == label)) for label in classes]
    shares = [error_bound(count, len(judged.truth), confidence=each).single_value for count in counts]
    reached = max(2.0 * share / (1.0 + share) for share in shares) / len(classes)
    return against_bound(certificate.single_value > reached)


def _below_mean(task: LabelTask, judged: Judged, learned: Array) -> Comparison:
    """The mean loss below that of the constants that cost least on the learning rows.

    The log-loss reaches so far that few rows bound its mean badly: half of the level is for the 0/1 loss instead.
    """
    measure = task.measure
    assert measure.rows is not None
    assert measure.range is not None
    if measure.needs == "probabilities":
        judged = replace(judged, confidence=1.0 - judged.level / 2)
        by_labels = against_labels(judged.truth, judged.predictions, None, judged.level)
        if by_labels.shown:
            return by_labels
    own = measure.rows(judged.truth, judged.predictions, judged.probabilities)
    if measure.needs == "probabilities":
        constants = [task.best_constant(learned, measure, task.classes)]
    else:
        constants = [Constant(label) for label in range(len(task.labels))]
        constants.sort(key=lambda one: measure.value(learned, np.full(len(learned), one.prediction), None))
    rivals = [_rival(task, constant, judged) for constant in constants[:LARGEST_RIVAL_COUNT]]
    return against_mean(own, measure.range, rivals, judged.level)


def _rival(task: LabelTask, constant: Constant, judged: Judged) -> Rival:
    """A constant with its loss for every true label, of which its losses on the test rows are some."""
    assert task.measure.rows is not None
    once = replace(judged, truth=np.arange(len(task.labels))).always(constant)
    by_label = task.measure.rows(once.truth, once.predictions, once.probabilities)
    ends = float(by_label.min()), float(by_label.max())
    return Rival(constant.prediction, by_label[judged.truth.astype(np.intp)], ends)


COMPARED = {
    BoundedBy.BALANCED_ACCURACY: _above,
    BoundedBy.AUC: _above,
    BoundedBy.F1: _above_f1,
    BoundedBy.MACRO_F1: _above_f1,
    BoundedBy.MEAN: _below_mean,
}
