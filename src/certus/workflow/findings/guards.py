"""How sure the model must be for its answers to be right as often as somebody needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import control_rates

# Shares of right answers that are aimed at; those that the model reaches anyway are left out.
GOALS = (0.8, 0.9, 0.95, 0.98, 0.99)


@dataclass(frozen=True)
class GuardedAnswers:
    """Answering only when sure enough.

    Attributes
    ----------
    accuracy : float
        With the confidence of the study at least this share of the given answers is right, for all goals together.
    threshold : float
        Answers are given where the probability (or vote) of the answer is at least this.
    answered : float
        Share of the rows that the model has not seen for which an answer is given.
    """

    accuracy: float
    threshold: float
    answered: float


def guards(shares: NDArray[Any], right: NDArray[np.bool_], confidence: float) -> list[GuardedAnswers]:
    """Thresholds for the goals above the usual accuracy, from rows that the model has not seen.

    The failure probability is shared among all goals, also those that are left out: how many there are of these
    depends on the rows.
    """
    sure, each = shares.max(axis=1), 1.0 - (1.0 - confidence) / len(GOALS)
    found = []
    for goal in (goal for goal in GOALS if goal > right.mean()):
        guard = control_rates(sure, right, {"precision": goal}, confidence=each, prefer="low")
        if guard.threshold is not None:
            found.append(GuardedAnswers(goal, float(guard.threshold), float(np.mean(sure >= guard.threshold))))
    return found


def remark(found: list[GuardedAnswers]) -> str:
    """The most useful goal in words."""
    best = found[0]
    return (
        f"answers are right {100 * best.accuracy:g} % of the time if only those are given whose probability is at "
        f"least {best.threshold:.3g}: {100 * best.answered:.0f} % of the rows"
    )
