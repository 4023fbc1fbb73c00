"""Who leaves a race early: rules for what a candidate loses beside the leader.

Losses of a known range are compared by a confidence sequence of the differences, row by row: its lower bounds hold at
all looks together, so that nobody has to say beforehand after how many parts a candidate is looked at. The leader is
chosen by the same rows, so that every pair of candidates pays: the pairs of the j-th that enters with those before it
share ``DROP_LEVEL / (j (j + 1))``, which sums to less than ``DROP_LEVEL``. For other measures there are heuristics,
which are called so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import ConfidenceSequence
from certus.workflow.measures import Measure
from certus.workflow.race.learning import Division
from certus.workflow.race.outcome import Outcome
from certus.workflow.race.trials import Trial

# How many candidates go on after the first, second, … division; later ones like the last.
KEPT = (12, 8, 6, 5)
# Probability with which any candidate of a race is dropped wrongly as "surely worse".
DROP_LEVEL = 0.05
# Losses without a known range cannot be bounded; so many standard errors behind the leader is far behind.
FAR_BEHIND = 4.0
FEWEST_TO_COMPARE = 30
# So many standard errors of its gain must columns made from others help a candidate to be kept.
GAIN = 2.0
FEWEST_PARTS = 3  # to know how a measure without losses of rows varies from part to part


def kept_after(index: int) -> int:
    """How many candidates go on after a division."""
    return KEPT[min(index, len(KEPT) - 1)]


def pair_level(place: int, looks: int = 1) -> float:
    """The chance of error that a comparison with the candidate at this place of the race (from 2) may take.

    Both directions of ``place - 1`` pairs share the place's part of `DROP_LEVEL`; with several looks at rows that are
    judged anew each time, the looks share it too.
    """
    return DROP_LEVEL / (place * (place + 1) * 2.0 * (place - 1) * looks)


def surely_worse(differences: NDArray[Any], measure: Measure, level: float) -> bool:
    """Whether the mean difference of losses is above zero, by a bound that may fail with this chance at any look."""
    if measure.range is None or differences.mean() <= 0.0:
        return False  # only losses of a known range can be bounded
    reach = measure.range[1] - measure.range[0]
    sequence = ConfidenceSequence(
        "gamma-exponential",
        low=-reach,
        high=reach,
        side="lower",
        confidence=1.0 - level,
        quantity="difference of losses",
    )
    return sequence.update(differences).interval()[0] > 0.0


def far_behind(differences: NDArray[Any], measure: Measure) -> bool:
    """The same for losses without a known range, by the normal approximation: a heuristic, not a promise."""
    if measure.range is not None or len(differences) < FEWEST_TO_COMPARE:
        return False
    error = float(np.std(differences)) / np.sqrt(len(differences))
    return float(np.mean(differences)) > FAR_BEHIND * error


def far_behind_on_parts(differences: Sequence[float], parts: int) -> bool:
    """The same for measures that rows have no losses of, by their differences on every part of so many: a heuristic.

    Models of two folds share most of their rows, so that the variance of a mean of k differences is not s^2 / k but
    s^2 (1 / k + 1 / (parts - 1)) (Nadeau and Bengio 2003).
    """
    if len(differences) < FEWEST_PARTS:
        return False
    spread = float(np.std(differences, ddof=1)) * np.sqrt(1.0 / len(differences) + 1.0 / (parts - 1))
    return float(np.mean(differences)) > FAR_BEHIND * spread > 0.0


def clearly_better(differences: NDArray[Any]) -> bool:
    """Whether a mean gain, of paired losses, is beyond chance: more than two of its standard errors."""
    gains = -np.asarray(differences, dtype=np.float64)
    error = float(np.std(gains)) / np.sqrt(len(gains))
    return float(np.mean(gains)) > GAIN * error and bool(gains.any())


def clearly_better_on_parts(differences: Sequence[float], parts: int) -> bool:
    """The same for measures that rows have no losses of, by their differences on every part."""
    if len(differences) < FEWEST_PARTS:
        return False
    spread = float(np.std(differences, ddof=1)) * np.sqrt(1.0 / len(differences) + 1.0 / max(1, parts - 1))
    return -float(np.mean(differences)) > GAIN * spread and any(differences)


def differences_of_parts(
    trial: Trial, leader: Trial, folds: Sequence[Division], y: NDArray[Any], measure: Measure
) -> list[float]:
    """By how much a trial's measure exceeds the leader's on each fold alone."""
    return [
        _value_of_part(trial.outcomes[part], y[fold.validation], measure)
        - _value_of_part(leader.outcomes[part], y[fold.validation], measure)
        for part, fold in enumerate(folds)
    ]


def _value_of_part(outcome: Outcome, truth: NDArray[Any], measure: Measure) -> float:
    predictions = measure.predictions(np.asarray(outcome.predictions), outcome.probabilities)
    return measure.value(truth, predictions, outcome.probabilities)
