"""Several labels per row: each target column has two values, and a row's answer is one value for each.

Truths and answers are 0/1 matrices with one column per target; 1 stands for the second (larger) value of a column.
Shares are matrices of the same shape: how probable that second value is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.workflow.measures import Measure
from certus.workflow.study_error import StudyError

Array = NDArray[Any]
KIND = "multi-label"


class LabelMeasure(Measure):
    """A measure of label sets: every label is decided by its own probability."""

    def decide(self, shares: Array) -> Array:
        """For every row and target whether the second value is the more probable one."""
        return (np.asarray(shares) > 0.5).astype(np.intp)


def _any_wrong(truth: Array, answers: Array, _shares: Array | None) -> Array:
    return np.any(truth != answers, axis=1).astype(float)


def _share_wrong(truth: Array, answers: Array, _shares: Array | None) -> Array:
    return np.mean(truth != answers, axis=1)


def _mean(rows: Any) -> Any:
    return lambda truth, answers, shares: float(np.mean(rows(truth, answers, shares)))


_KINDS = frozenset({KIND})
_MEASURES = {
    "error": LabelMeasure("error", _KINDS, "answers", _mean(_any_wrong), _any_wrong, (0.0, 1.0)),
    "hamming": LabelMeasure(
        "hamming", _KINDS, "answers", _mean(_share_wrong), _share_wrong, (0.0, 1.0), said="mean share of wrong labels"
    ),
}


def find_label_measure(name: str | None) -> Measure:
    """``error``: a row is wrong if any of its labels is (the default); ``hamming``: the share of its wrong labels."""
    if name is not None and name not in _MEASURES:
        raise StudyError(f"--measure: {name!r} does not fit a {KIND} task.\nHint: choose among {', '.join(_MEASURES)}.")
    return _MEASURES[name or "error"]


def named_targets(target: str | Sequence[str] | None, columns: Sequence[str]) -> list[str]:
    """The target columns that the user names: a column, names with commas, or a list of either."""
    if target is None:
        return []
    given = [target] if isinstance(target, str) else list(target)
    named: list[str] = []
    for text in given:
        named += [text] if text in columns else [part.strip() for part in text.split(",")]
    return list(dict.fromkeys(named))


def two_values(frame: pl.DataFrame, targets: Sequence[str]) -> Array:
    """The two values of every target, smaller first, as one array: numbers if all columns hold them, else texts."""
    columns = [frame[name].drop_nulls() for name in targets]
    for name, column in zip(targets, columns, strict=True):
        if column.n_unique() != 2:
            raise StudyError(
                f"Several targets must have two values each, but column {name!r} has {column.n_unique()}.\n"
                "Hint: choose one --target, or only columns with two values."
            )
    numbers = all(column.dtype.is_integer() or column.dtype == pl.Boolean for column in columns)
    return np.stack([np.unique(_values(column, numbers)) for column in columns])


def label_matrix(frame: pl.DataFrame, targets: Sequence[str], values: Array) -> Array:
    """The targets of all rows in the type of their ``two_values``, one column each."""
    return np.stack([_values(frame[name], values.dtype.kind in "biu") for name in targets], axis=1)


def _values(column: pl.Series, numbers: bool) -> Array:
    return column.to_numpy() if numbers else np.asarray(column.cast(pl.String).to_list())


def positions(matrix: Array, values: Array) -> Array:
    """For every row and target 1 for the second value, 0 for the first."""
    return (np.asarray(matrix) == values[:, 1]).astype(np.intp)


def constant_answer(truth: Array, measure: Measure) -> Array:
    """The best answer that looks at no column: the most frequent set of labels, or the majority of each label."""
    if measure.name == "hamming":
        return measure.decide(truth.mean(axis=0))
    sets, counts = np.unique(truth, axis=0, return_counts=True)
    return np.asarray(sets[np.argmax(counts)])
