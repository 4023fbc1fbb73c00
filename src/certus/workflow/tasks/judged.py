"""Predictions on the test rows, and the bounds that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.records import ERROR, Quantity
from certus.verbs import certify
from certus.workflow.unit_bounds import bound_mean

Array = NDArray[Any]


@dataclass(frozen=True)
class Judged:
    """Predictions on the test rows, and what is asked about them.

    Attributes
    ----------
    truth, predictions : arrays
        Indices of classes, or numbers; of clusters, zeros and the ratios of distances.
    probabilities : array or None
        Probabilities of the labels in the order of the task; of several targets, of each one's second label.
    confidence : float
        With which the bound must hold.
    threshold : float or None
        Of numbers: the size of an error that counts as large.
    loss_range : (float, float) or None
        Of numbers: the declared range of the loss.
    """

    truth: Array
    predictions: Array
    probabilities: Array | None
    confidence: float
    threshold: float | None = None
    loss_range: tuple[float, float] | None = None

    def bound_mean(self, losses: Array, ends: tuple[float, float], quantity: Quantity) -> Certificate:
        """The bound on the mean of losses of a known range."""
        return bound_mean(losses, ends, quantity, self.confidence)

    def bound_error(self, wrong: Array) -> Certificate:
        """The bound on the share of wrong rows."""
        flags = np.asarray(wrong, dtype=np.intp)
        return certify(y_true=np.zeros_like(flags), y_pred=flags, loss="error", confidence=self.confidence)[ERROR]
