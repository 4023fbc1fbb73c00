"""Step 6, the evaluation: the winner, already fixed and trained, meets the test rows once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, error_bound
from certus.guarantees.rate import RateSetting, rate_bound
from certus.workflow.task import Task
from certus.workflow.training import loss

# A regression winner promises how often its error exceeds t; t is this quantile of the validation errors.
TOLERATED_QUANTILE = 0.9


@dataclass(frozen=True)
class Evaluation:
    """What the test rows say about the winner."""

    value: float
    certificate: Certificate
    truth: NDArray[Any]
    answers: NDArray[Any]


def tolerance(truth: NDArray[Any], answers: NDArray[Any]) -> float:
    """The error size t, from validation rows, rounded up to two digits so that it can be said aloud."""
    size = float(np.quantile(np.abs(np.asarray(truth, dtype=float) - answers), TOLERATED_QUANTILE))
    if size == 0.0:
        return 0.0
    unit = 10.0 ** (np.floor(np.log10(size)) - 1)
    return float(f"{np.ceil(size / unit) * unit:.2g}")


def evaluate(
    model: Any, X: Any, y: NDArray[Any], *, task: Task, confidence: float, threshold: float | None
) -> Evaluation:
    """Measure the model on the test rows and certify it: Clopper-Pearson on what it gets wrong there."""
    answers = np.asarray(model.predict(X))
    if task.classification:
        certificate = error_bound(int(np.sum(answers != y)), len(y), confidence=confidence)
    else:
        assert threshold is not None
        far = np.abs(np.asarray(y, dtype=float) - answers) > threshold
        quantity = f"share of rows with |error| > {threshold:g}"
        setting = RateSetting(confidence=confidence, quantity=quantity, noun="such row")
        certificate = rate_bound(int(far.sum()), len(y), setting)
    return Evaluation(loss(task, y, answers), certificate, y, answers)
