"""Who leaves a race early: rules for the differences between a candidate's losses and the leader's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import mean_bound
from certus.workflow.measures import Measure

# How many candidates go on after the first, second, … division; later ones like the last.
KEPT = (12, 8, 6, 5)
# Probability with which any candidate of a race is dropped wrongly as "surely worse".
DROP_LEVEL = 0.05
# Losses without a known range cannot be bounded; so many standard errors behind the leader is far behind.
FAR_BEHIND = 4.0
FEWEST_TO_COMPARE = 30


def kept_after(index: int) -> int:
    """How many candidates go on after a division."""
    return KEPT[min(index, len(KEPT) - 1)]


def surely_worse(differences: NDArray[Any], measure: Measure, looks: int) -> bool:
    """Whether the mean difference of losses is above zero with the confidence left after all looks."""
    if measure.range is None or differences.mean() <= 0.0:
        return False  # only losses of a known range can be bounded
    reach = measure.range[1] - measure.range[0]
    bound = mean_bound(differences, low=-reach, high=reach, side="lower", confidence=1.0 - DROP_LEVEL / looks)
    return isinstance(bound.value, float) and bound.value > 0.0


def far_behind(differences: NDArray[Any], measure: Measure) -> bool:
    """The same for losses without a known range, by the normal approximation: a plan, not a promise."""
    if measure.range is not None or len(differences) < FEWEST_TO_COMPARE:
        return False
    error = float(np.std(differences)) / np.sqrt(len(differences))
    return float(np.mean(differences)) > FAR_BEHIND * error
