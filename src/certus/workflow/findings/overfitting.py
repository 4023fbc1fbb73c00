"""Does the model know its own rows better than new ones: two intervals that do not meet.

A training loss of 0 says nothing: neighbors weighted by distance and fully grown trees have it by construction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.holdout import RateSetting, rate_bound

CONFIDENCE = 0.975  # of each interval, so that both hold together with 95 %
WIDTH = 2.2414  # standard errors of a normal interval of that confidence


def overfitting(own: NDArray[Any], fresh: NDArray[Any]) -> str:
    """A sentence where the loss on validation rows is clearly above that on the rows learned from, else nothing.

    Parameters
    ----------
    own : array
        Losses on rows that the model was trained on.
    fresh : array
        Out-of-fold losses of the same settings.
    """
    if not np.any(own):
        return ""
    (_, high), (low, _) = _interval(own), _interval(fresh)
    if low <= high:
        return ""
    return (
        f"over-fitting: on rows that it learned from the loss is at most {high:.3g}, on others at least {low:.3g}; "
        "a simpler model, or fewer columns, may lose nothing"
    )


def _interval(losses: NDArray[Any]) -> tuple[float, float]:
    """Of the mean: exact for 0/1 losses, by the normal approximation for others."""
    if np.isin(losses, (0.0, 1.0)).all():
        found = rate_bound(int(losses.sum()), len(losses), RateSetting(confidence=CONFIDENCE, side="both")).value
        assert isinstance(found, tuple)
        return found
    error = WIDTH * float(np.std(losses)) / np.sqrt(len(losses))
    return float(np.mean(losses)) - error, float(np.mean(losses)) + error
