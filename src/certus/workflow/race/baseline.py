"""What every learner must beat: the best prediction that looks at no column."""

from __future__ import annotations

import numpy as np

from certus.workflow.measures import Measure
from certus.workflow.race.learning import Learning


def baseline_value(learning: Learning, measure: Measure) -> float:
    """The measure of the best constant prediction over all divisions, each time learned from the rows to fit on."""
    predictions, probabilities = [], []
    for division in learning.divisions[-1:] if learning.rungs else learning.divisions:
        weights = None if learning.weights is None else learning.weights[division.fit]
        constant = learning.kind.best_constant(learning.y[division.fit], measure, learning.classes, weights)
        rows = len(division.validation)
        predictions.append(_repeated(constant.prediction, rows))
        if constant.probabilities is not None:
            probabilities.append(_repeated(constant.probabilities, rows))
    truth = learning.y[learning.validated(len(learning.divisions))]
    return measure.value(truth, np.concatenate(predictions), np.concatenate(probabilities) if probabilities else None)


def _repeated(one: object, rows: int) -> np.ndarray:
    values = np.asarray(one)
    return np.broadcast_to(values, (rows, *values.shape))
