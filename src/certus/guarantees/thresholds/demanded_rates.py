"""The rates that a threshold can be asked to keep, all read as a share of successes that must be high enough.

A row is flagged when its score is at least the threshold t.

| rate          | asked    | trials        | success     | true for all t on one side |
| ------------- | -------- | ------------- | ----------- | -------------------------- |
| `recall`      | at least | positive rows | flagged     | low                        |
| `false_alarm` | at most  | negative rows | not flagged | high                       |
| `alarm_rate`  | at most  | all rows      | not flagged | high                       |
| `precision`   | at least | flagged rows  | positive    | neither                    |

With p the wanted share of successes, P(Bin(trials, p) >= successes) is an exact p-value for "the share is
below p". Given the labels (or, for precision, given which rows are flagged) the trials are independent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.conformal.conformal_ranks import Level, exact_level

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class Rate:
    """One kind of rate: see the table above."""

    name: str
    words: str
    at_least: bool
    safe_side: str | None
    trials: str


RATES = {
    rate.name: rate
    for rate in (
        Rate("recall", "recall", True, "low", "positive rows"),
        Rate("false_alarm", "false-alarm rate", False, "high", "negative rows"),
        Rate("alarm_rate", "alarm rate", False, "high", "rows"),
        Rate("precision", "precision", True, None, "flagged rows"),
    )
}


@dataclass(frozen=True)
class Demand:
    """A rate, the target that was asked for, and the share of successes that it amounts to."""

    rate: Rate
    target: Fraction

    @property
    def share(self) -> Fraction:
        """Share of successes that must be reached."""
        return self.target if self.rate.at_least else 1 - self.target

    def relevant(self, scores: Floats, positive: Truths) -> Floats:
        """Scores of the rows that count as trials of a rate with a safe side."""
        if self.rate.name == "alarm_rate":
            return scores
        return scores[positive] if self.rate.name == "recall" else scores[~positive]

    def counts(self, scores: Floats, positive: Truths, thresholds: Floats) -> tuple[NDArray, NDArray]:
        """Successes and trials at each threshold."""
        if self.rate.name == "precision":
            flagged_positive = _at_least(scores[positive], thresholds)
            return flagged_positive, flagged_positive + _at_least(scores[~positive], thresholds)
        relevant = self.relevant(scores, positive)
        flagged = _at_least(relevant, thresholds)
        trials = np.full(len(thresholds), len(relevant))
        return (flagged if self.rate.at_least else trials - flagged), trials


def demands(rates: Mapping[str, Level | None]) -> tuple[Demand, ...]:
    """Turn keyword targets into demands; at least one must be given."""
    found = []
    for name, target in rates.items():
        if name not in RATES:
            raise ValueError(
                f"rates: {name!r} is not a rate that can be guarded; allowed are {', '.join(RATES)}.\n"
                "Hint: the specificity is 1 - false_alarm, the miss rate is 1 - recall."
            )
        if target is not None:
            found.append(Demand(RATES[name], exact_level(target, name)))
    if not found:
        raise ValueError(
            f"rates: at least one of {', '.join(RATES)} must be given, got none.\nHint: for example recall=0.95."
        )
    return tuple(found)


def _at_least(values: Floats, thresholds: Floats) -> NDArray:
    """How many values reach each threshold."""
    return len(values) - np.searchsorted(np.sort(values), thresholds, side="left")
