"""Does the model know how sure it may be: predicted probabilities against what happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.holdout import RateSetting, rate_bound

BINS = 10
FEWEST_ROWS = 10


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


def reliability(probabilities: NDArray[Any], right: NDArray[np.bool_], confidence: float) -> list[Bin]:
    """Rows in order of the probability of their prediction, in up to ten parts of equal size."""
    given = probabilities.max(axis=1)
    order = np.argsort(given, kind="stable")
    count = max(1, min(BINS, len(order) // FEWEST_ROWS))
    each = 1.0 - (1.0 - confidence) / count
    found = []
    for part in np.array_split(order, count):
        setting = RateSetting(confidence=each, side="both", noun="right prediction")
        bound = rate_bound(int(right[part].sum()), len(part), setting).value
        assert isinstance(bound, tuple)
        # Nine digits: the last bits of probabilities may differ from run to run on some machines.
        found.append(Bin(len(part), round(float(given[part].mean()), 9), float(right[part].mean()), *bound))
    return found


def remark(bins: list[Bin]) -> str:
    """In words whether the probabilities can be taken at their word."""
    boasting = sum(one.probability > one.high for one in bins)
    timid = sum(one.probability < one.low for one in bins)
    if not boasting and not timid:
        return "nothing speaks against the probabilities that the model gives"
    wrong = "too sure of itself" if boasting >= timid else "less sure of itself than it could be"
    return f"the model is {wrong}: {boasting + timid} of {len(bins)} groups of rows lie outside their interval"
