"""Scores that are linear in the features, with weights that may be minus infinity."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.bayes import _native_calls

Floats = NDArray[np.float64]


def linear_scores(X: Any, weights: Floats, constant: Floats, threshold: float | None = None) -> Floats:
    """``constant_c + sum_j x_ij weights_cj``, minus infinity where a positive x_ij meets a weight of minus infinity.

    A feature that is 0 adds nothing, whatever its weight: 0 times infinity is 0 here.
    """
    never = np.isneginf(weights)
    if not never.any():
        return _native_calls.linear_log_joint(X, weights, constant, threshold)
    scores = _native_calls.linear_log_joint(X, np.where(never, 0.0, weights), constant, threshold)
    met = _native_calls.linear_log_joint(X, never.astype(np.float64), np.zeros_like(constant), threshold)
    return np.where(met > 0, -np.inf, scores)


def log_share(above: Floats, below: Floats) -> Floats:
    """``log(above / below)``, minus infinity for 0 and for a class without rows; ``below`` may have one column.

    Written over ``above``: for many words a second table would cost more time than the logarithms.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.log(above, out=above)
        found -= np.log(below)
    if (below == 0).any():
        found[np.isnan(found)] = -np.inf
    return found


def check_log_probabilities(table: Floats) -> None:
    """Raise a ValueError unless the entries, which may come from a file, are logarithms of probabilities."""
    if not (table <= 1e-9).all():
        raise ValueError("feature_log_prob_ must be logarithms of probabilities.")
