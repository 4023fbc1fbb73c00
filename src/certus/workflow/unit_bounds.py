"""Bounds from the test rows, whatever was drawn: single rows, whole groups, or the last rows by time."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.records import Quantity
from certus.verbs import certify
from certus.workflow.split import Split


def bound_mean(losses: NDArray[Any], ends: tuple[float, float], quantity: Quantity, confidence: float) -> Certificate:
    """The bound on the mean of losses of a known range."""
    report = certify(
        y_true=np.zeros(len(losses)),
        y_pred=losses,
        loss=lambda _truth, given: given,
        loss_range=ends,
        confidence=confidence,
        quantity=quantity,
    )
    return report[0]


def group_means(losses: NDArray[Any], split: Split) -> NDArray[np.float64]:
    """The mean loss of every group of the test rows."""
    _, group_of = np.unique(split.test_groups, return_inverse=True)
    return np.asarray(np.bincount(group_of, weights=losses) / np.bincount(group_of))


def bound_by_group(losses: NDArray[Any], quantity: Quantity, split: Split, confidence: float) -> Certificate:
    """The unit is the group: a bound on the mean over groups of each group's mean loss, between 0 and 1."""
    return bound_mean(group_means(losses, split), (0.0, 1.0), dataclasses.replace(quantity, per="group"), confidence)


def with_assumptions(certificate: Certificate, split: Split) -> Certificate:
    """The certificate with what every certificate from these test rows rests on besides its own assumptions."""
    tokens = (("future-like-test-period", split.unit == "time"), ("copies-count-once", split.copies))
    further = (token for token, holds in tokens if holds)
    return dataclasses.replace(certificate, assumptions=(*certificate.assumptions, *further))
