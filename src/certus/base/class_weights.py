"""Weights of classes, as the parameter ``class_weight`` asks for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight


def class_weights(
    class_weight: Any, classes: NDArray[Any], y: NDArray[Any], sample_weight: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """One factor per class: 1 (None), given by a dict, or inverse to the weight of its rows ("balanced")."""
    if class_weight is None:
        return np.ones(len(classes))
    weights = compute_class_weight(class_weight, classes=classes, y=y, sample_weight=sample_weight)
    return np.asarray(weights, dtype=np.float64)
