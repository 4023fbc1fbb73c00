"""Weights of rows in the training of learners that take them."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter

from certus.workflow.models.scaled_target import ScaledTarget


def takes_weights(learner: Any) -> bool:
    """Whether a learner can be trained with weights of rows."""
    inner = learner.regressor if isinstance(learner, ScaledTarget) else learner
    return bool(has_fit_parameter(inner, "sample_weight"))


def fit_rows(learner: Any, X: Any, y: NDArray[Any], weights: NDArray[Any] | None) -> Any:
    """Train a learner, with the weights if there are any and it takes them."""
    if weights is None or not takes_weights(learner):
        return learner.fit(X, y)
    return learner.fit(X, y, sample_weight=weights)
