"""Scores for regression: how odd a value is for a row, and the interval of values that are not too odd.

The response of a model is a table with the columns that a score needs; bare predictions are such a table.

| score      | columns        | s(x, y)                         | interval for the threshold q    |
| ---------- | -------------- | ------------------------------- | ------------------------------- |
| absolute   | center         | abs(y - center)                 | center -+ q                     |
| normalized | center, scale  | abs(y - center) / scale         | center -+ q scale               |
| quantile   | lower, upper   | max(lower - y, y - upper)       | lower - q to upper + q          |

Ends are rounded outward, so that no value falls out whose computed score is within the threshold.

Reference: Lei et al., Distribution-Free Predictive Inference for Regression (2018); Romano, Patterson, Candes,
Conformalized Quantile Regression (2019).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certus.base import TableLike
from certus.guarantees.conformal import outward

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class IntervalScore:
    """A score together with its interval."""

    name: str
    columns: tuple[str, ...]
    score: Callable[[Floats, Floats], Floats]
    interval: Callable[[Floats, Floats], Floats]

    def check(self, response: TableLike) -> Floats:
        """The response as a table of doubles with the right columns and usable values."""
        table = np.asarray(response, dtype=np.float64)
        if table.ndim == 1:
            table = table.reshape(-1, 1)
        if table.ndim != 2 or table.shape[1] != len(self.columns):
            raise ValueError(
                f"the {self.name} score needs predictions with the columns {', '.join(self.columns)}, "
                f"got shape {np.shape(response)}.\n"
                f"Hint: pass an array of shape (rows, {len(self.columns)})."
            )
        bad = np.isnan(table).any(axis=1)
        if bad.any():
            raise ValueError(
                f"predictions must not be NaN; row {int(np.argmax(bad))} is.\n"
                "Hint: impute or drop the rows that the model cannot predict."
            )
        if "scale" in self.columns and not (table[:, 1] > 0).all():
            row = int(np.argmin(table[:, 1] > 0))
            raise ValueError(
                f"scale must be greater than 0; row {row} has {table[row, 1]}.\n"
                "Hint: add a small constant to the predicted scale."
            )
        return table


def _absolute(response: Floats, y: Floats) -> Floats:
    return np.abs(y - response[:, 0])


def _around_center(response: Floats, threshold: Floats) -> Floats:
    center = response[:, 0]
    return np.column_stack([-outward(-center, threshold), outward(center, threshold)])


def _normalized(response: Floats, y: Floats) -> Floats:
    return np.abs(y - response[:, 0]) / response[:, 1]


def _around_scaled(response: Floats, threshold: Floats) -> Floats:
    # The division in the score may have rounded down once; the product may do so again.
    return _around_center(response, threshold * response[:, 1] * (1.0 + 2.0**-50))


def _quantile(response: Floats, y: Floats) -> Floats:
    return np.maximum(response[:, 0] - y, y - response[:, 1])


def _around_quantiles(response: Floats, threshold: Floats) -> Floats:
    ends = np.column_stack([-outward(-response[:, 0], threshold), outward(response[:, 1], threshold)])
    # A negative threshold may turn the ends around: the set is empty, and a point contains it.
    crossed = ends[:, 0] > ends[:, 1]
    ends[crossed] = ends[crossed].mean(axis=1, keepdims=True)
    return ends


INTERVAL_SCORES = {
    score.name: score
    for score in (
        IntervalScore("absolute", ("center",), _absolute, _around_center),
        IntervalScore("normalized", ("center", "scale"), _normalized, _around_scaled),
        IntervalScore("quantile", ("lower", "upper"), _quantile, _around_quantiles),
    )
}
