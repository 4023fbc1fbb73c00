"""Predictions on the test rows, and the bounds that follow from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.records import ERROR, Quantity, failure_of
from certus.verbs import certify
from certus.workflow.unit_bounds import bound_mean

Array = NDArray[Any]


@dataclass(frozen=True)
class Constant:
    """A prediction that looks at no column, and the probabilities that go with it."""

    prediction: Any
    probabilities: Array | None = None


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
    groups : array of int or None
        The group of every row, from 0, where whole groups were drawn.
    """

    truth: Array
    predictions: Array
    probabilities: Array | None
    confidence: float
    threshold: float | None = None
    loss_range: tuple[float, float] | None = None
    groups: Array | None = None

    @property
    def level(self) -> float:
        """Probability with which a statement may be wrong."""
        return failure_of(self.confidence)

    def always(self, constant: Constant) -> Judged:
        """The same rows with a constant prediction."""
        shape = (len(self.truth), *np.shape(constant.prediction))
        given = constant.probabilities
        likely = None if given is None else np.broadcast_to(given, (len(self.truth), *np.shape(given)))
        return replace(self, predictions=np.broadcast_to(constant.prediction, shape), probabilities=likely)

    def perfect(self, copies: int, probabilities: Callable[[Array], Array | None]) -> Judged:
        """A perfect record on so many copies of the rows; ``probabilities`` makes certain ones of truths."""
        truth, groups = np.concatenate([self.truth] * copies), self.groups
        if groups is not None:
            groups = np.concatenate([groups + copy * (groups.max() + 1) for copy in range(copies)])
        return replace(self, truth=truth, predictions=truth, probabilities=probabilities(truth), groups=groups)

    def bound_mean(self, losses: Array, ends: tuple[float, float], quantity: Quantity) -> Certificate:
        """The bound on the mean of losses of a known range."""
        return bound_mean(losses, ends, quantity, self.confidence)

    def bound_error(self, wrong: Array) -> Certificate:
        """The bound on the share of wrong rows."""
        flags = np.asarray(wrong, dtype=np.intp)
        return certify(y_true=np.zeros_like(flags), y_pred=flags, loss="error", confidence=self.confidence)[ERROR]
