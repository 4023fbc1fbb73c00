"""Rows that somebody gave to check a certificate with: what a model gets wrong on them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, Report
from certus.guarantees.holdout import certify
from certus.guarantees.records import (
    ERROR,
    LARGE_ERRORS,
    OUTSIDE_INTERVAL,
    OUTSIDE_SET,
    PRECISION,
    RECALL,
    Quantity,
)
from certus.guarantees.rows import fingerprint, table_hashes


class GivenRows:
    """Rows with their targets, and what a model predicts for them.

    Parameters
    ----------
    model : fitted model
        What is checked.
    X, y : array-like
        The rows and their targets.
    """

    def __init__(self, model: Any, X: Any, y: Any) -> None:
        self.model, self.X = model, X
        self.predicted, self.truth = np.asarray(model.predict(X)), np.asarray(y)
        if self.predicted.shape != self.truth.shape:
            raise ValueError(
                f"data: X gives predictions of shape {self.predicted.shape}, but y has the shape {self.truth.shape}."
            )
        self._missed = np.asarray(model.missed(X, y)) if getattr(model, "gives_sets", False) else None

    @cached_property
    def fingerprint(self) -> str:
        """The rows as 256 bits, by the columns that the model uses."""
        return fingerprint(table_hashes(self.X, self.truth, getattr(self.model, "feature_names_in_", None)))

    def events(self, certificate: Certificate) -> NDArray[np.bool_] | None:
        """What the certificate counts, one truth value per row; None if such rows do not tell."""
        if certificate.quantity.matches(OUTSIDE_SET, OUTSIDE_INTERVAL):
            return self._missed
        return _events(certificate.quantity, self.predicted, self.truth)

    def certified_again(self, certificate: Certificate) -> Certificate | None:
        """What `certus.certify` says about the quantity on these rows at the same level; None if it does not."""
        report = self._report(certificate.confidence, certificate.inputs.get("uses", 1))
        return next((item for item in report if item.quantity == certificate.quantity), None)

    def _report(self, confidence: float, uses: Any) -> Report:
        known = hasattr(self.model, "classes_") and self.truth.ndim == 1 and 0.0 < confidence < 1.0 and uses == 1
        if not known:
            return Report()
        return certify(self.model, self.X, self.truth, confidence=confidence, allow_training_rows=True)


def is_counted(quantity: Quantity) -> bool:
    """Whether a certificate of this quantity counts events among rows that somebody can give."""
    if quantity.matches(OUTSIDE_SET, OUTSIDE_INTERVAL, ERROR):
        return True
    return quantity.matches(LARGE_ERRORS, having={"threshold"}) or quantity.matches(RECALL, PRECISION, having={"of"})


def _events(quantity: Quantity, predicted: NDArray[Any], truth: NDArray[Any]) -> NDArray[np.bool_] | None:
    if quantity.matches(ERROR):  # of several labels per row, any
        return np.asarray(np.any((predicted != truth).reshape(len(truth), -1), axis=1))
    if quantity.matches(LARGE_ERRORS, having={"threshold"}):
        return np.asarray(np.abs(truth.astype(float) - predicted.astype(float)) > quantity.threshold)
    if quantity.matches(RECALL, PRECISION, having={"of"}):
        real, called = truth.astype(str) == quantity.of, predicted.astype(str) == quantity.of
        return called[real] if quantity.name == RECALL else real[called]
    return None
