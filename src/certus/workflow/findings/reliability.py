"""Does the model know how sure it may be: predicted probabilities against what happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import mean_bound
from certus.guarantees.holdout import RateSetting, rate_bound

BINS = 15
FEWEST_ROWS = 20  # of a bin on average
SOUND = "nothing speaks against the probabilities that the model gives"


@dataclass(frozen=True)
class Bin:
    """Rows for which the model gave its prediction a probability in one range."""

    rows: int
    probability: float  # mean probability of the prediction
    right: float  # fraction of right predictions
    low: float  # interval of the true fraction, for all bins at once
    high: float

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values, under the names that ``study.json`` gives them."""
        return {"rows": self.rows, "said": self.probability, "right": self.right, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class CalibrationError:
    """Mean distance between the probability of predictions and how often they are right, bin by bin.

    Attributes
    ----------
    value : float
        On the test rows.
    bound : float
        With the confidence of the study it is at most this for new rows.
    bins : int
        How many bins of equal width between 0 and 1 were fixed beforehand.
    """

    value: float
    bound: float
    bins: int


def reliability(probabilities: NDArray[Any], right: NDArray[np.bool_], confidence: float) -> list[Bin]:
    """Rows by the probability of their prediction, in bins of equal width that were fixed beforehand."""
    given = probabilities.max(axis=1)
    bin_of, count = _bins(given)
    each = 1.0 - (1.0 - confidence) / count
    found = []
    for part in (np.flatnonzero(bin_of == number) for number in range(count)):
        if not len(part):
            continue
        setting = RateSetting(confidence=each, side="both", noun="right prediction")
        bound = rate_bound(int(right[part].sum()), len(part), setting).value
        assert isinstance(bound, tuple)
        # Nine digits: the last bits of probabilities may differ from run to run on some machines.
        found.append(Bin(len(part), round(float(given[part].mean()), 9), float(right[part].mean()), *bound))
    return found


def calibration_error(probabilities: NDArray[Any], right: NDArray[np.bool_], confidence: float) -> CalibrationError:
    """The error over bins b of |E (right - probability) 1_b|, each mean bounded from both sides at once."""
    given = probabilities.max(axis=1)
    bin_of, count = _bins(given)
    each, value, bound = 1.0 - (1.0 - confidence) / count, 0.0, 0.0
    for number in range(count):
        excess = np.where(bin_of == number, right - given, 0.0)
        ends = mean_bound(np.clip(excess, -1.0, 1.0), low=-1.0, high=1.0, side="both", confidence=each).value
        assert isinstance(ends, tuple)
        value += abs(float(np.mean(excess)))
        bound += max(abs(ends[0]), abs(ends[1]))
    return CalibrationError(round(value, 9), float(min(1.0, bound)), count)


def _bins(given: NDArray[Any]) -> tuple[NDArray[np.intp], int]:
    """The bin of every row; how many there are depends on the number of rows alone."""
    count = max(1, min(BINS, len(given) // FEWEST_ROWS))
    return np.minimum((given * count).astype(np.intp), count - 1), count


def remark(bins: list[Bin]) -> str:
    """In words whether the probabilities can be taken at their word."""
    boasting = sum(one.probability > one.high for one in bins)
    timid = sum(one.probability < one.low for one in bins)
    if not boasting and not timid:
        return SOUND
    wrong = "too sure of itself" if boasting >= timid else "less sure of itself than it could be"
    return f"the model is {wrong}: {boasting + timid} of {len(bins)} groups of rows lie outside their interval"
