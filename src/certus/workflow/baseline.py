"""What every learner must beat: the best answer that looks at no column."""

from __future__ import annotations

import numpy as np

from certus.workflow.label_sets import constant_answer
from certus.workflow.learning import Learning
from certus.workflow.measures import Measure


def baseline_value(learning: Learning, measure: Measure) -> float:
    """The measure of the best answer that looks at no column, over all divisions; of clusters, that of one."""
    if learning.clustering:
        return 1.0  # nothing tells a row's cluster from a second one
    answers, shares = [], []
    for division in learning.divisions[-1:] if learning.rungs else learning.divisions:
        fit, count = learning.y[division.fit], len(division.validation)
        if learning.several:
            answers.append(np.tile(constant_answer(fit, measure), (count, 1)))
            shares.append(np.tile(fit.mean(axis=0), (count, 1)))
        elif learning.classes:
            frequency = np.bincount(fit.astype(np.intp), minlength=learning.classes) / len(fit)
            answers.append(np.full(count, int(measure.decide(frequency[None, :])[0])))
            shares.append(np.tile(frequency, (count, 1)))
        else:
            answers.append(np.full(count, float(np.median(fit) if measure.name == "mae" else np.mean(fit))))
    truth = learning.y[learning.validated(len(learning.divisions))]
    return measure.value(truth, np.concatenate(answers), np.concatenate(shares) if shares else None)
