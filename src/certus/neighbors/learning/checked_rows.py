"""Rows and labels of the functions that are no learners."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets


def checked_rows(X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """A finite table in double and one label per row."""
    table, labels = check_X_y(X, y, dtype=np.float64)
    check_classification_targets(labels)
    return table, labels
