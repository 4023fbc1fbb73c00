"""How sure the model must be for its predictions to be right as often as somebody needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.verbs import guard

# Fractions of right predictions that are aimed at; those that the model reaches anyway are left out.
GOALS = (0.8, 0.9, 0.95, 0.98, 0.99)


@dataclass(frozen=True)
class GuardedPredictions:
    """Predicting only when sure enough.

    Attributes
    ----------
    accuracy : float
        With the confidence of the study at least this fraction of the given predictions is right, for all goals
        together.
    threshold : float
        Predictions are given where their probability (or vote) is at least this.
    answered : float
        Fraction of the rows that the model has not seen for which a prediction is given.
    """

    accuracy: float
    threshold: float
    answered: float


def guards(response: NDArray[Any], right: NDArray[np.bool_], confidence: float) -> list[GuardedPredictions]:
    """Thresholds for the goals above the usual accuracy, from rows that the model has not seen.

    The failure probability is split among all goals, also those that are left out: how many there are of these
    depends on the rows.
    """
    sure, each = response.max(axis=1), 1.0 - (1.0 - confidence) / len(GOALS)
    found = []
    for goal in (goal for goal in GOALS if goal > right.mean()):
        kept = guard(sure, right, precision=goal, confidence=each, prefer="low")
        if kept.threshold is not None:
            found.append(GuardedPredictions(goal, float(kept.threshold), float(np.mean(sure >= kept.threshold))))
    return found


def remark(found: list[GuardedPredictions]) -> str:
    """The most useful goal in words."""
    best = found[0]
    return (
        f"predictions are right {100 * best.accuracy:g} % of the time if only those are given whose probability is at "
        f"least {best.threshold:.3g}: {100 * best.answered:.0f} % of the rows"
    )
