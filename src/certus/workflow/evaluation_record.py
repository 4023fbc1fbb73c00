"""What the test rows tell about the winner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from certus.guarantees import Certificate


@dataclass(frozen=True)
class Evaluation:
    """What the test rows tell about the winner; of a sealed test the certificate alone, all else is of validation rows.

    Attributes
    ----------
    value : float
        The measure on the test rows.
    baseline : float
        The measure of the constant prediction that is best on the same test rows: as good as guessing can be there.
    certificate : Certificate
        What is promised about new rows; its trivial value is what the baseline has there.
    truth, predictions : arrays
        Targets and predictions of the test rows; of clusters, zeros and the ratios of distances.
    probabilities : array or None
        Probabilities of the labels in the order of the task; of several targets, of each one's second label.
    rows : {"test", "validation"}
        Which rows all of these but the certificate are about.
    """

    value: float
    baseline: float
    certificate: Certificate
    truth: NDArray[Any]
    predictions: NDArray[Any]
    probabilities: NDArray[Any] | None
    rows: str = "test"
