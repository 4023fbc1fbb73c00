"""From scores of the classes to their probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax


def probabilities_of(scores: NDArray[Any]) -> NDArray[Any]:
    """The logistic function of one score per row (for the second of two classes), or the softmax of one per class.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Logarithms of odds, or of probabilities up to a constant per row.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Every row sums to 1.
    """
    if scores.ndim == 1:
        second = expit(scores)
        return np.column_stack([1.0 - second, second])
    return np.asarray(softmax(scores, axis=1))
