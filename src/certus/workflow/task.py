"""Step 1, the task: what is to be predicted, and how success is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.workflow import label_sets
from certus.workflow.declared_costs import cost_measure, declared_measure, rank_measure
from certus.workflow.measures import MEASURES, Measure, find_measure
from certus.workflow.ordinal_labels import in_levels, known_order
from certus.workflow.study_error import StudyError

Kind = Literal["binary", "multiclass", "ordinal", "multi-label", "regression", "clustering"]

# A whole-number target with at most this many different values is read as labels.
LARGEST_LABEL_COUNT = 20
# With more classes than this, or classes as rare as rows, the target is more likely a number or a name.
LARGEST_CLASS_COUNT = 1000
# The squares of larger numbers to predict, added up over many rows, would overflow.
LARGEST_NUMBER = 1e140


@dataclass(frozen=True)
class Task:
    """What a study is asked to do.

    Attributes
    ----------
    kind : {"binary", "multiclass", "ordinal", "multi-label", "regression", "clustering"}
        What is predicted.
    targets : tuple of str
        The columns to predict: one, several with two values each, or none.
    measure : Measure
        What success means; lower is better.
    labels : array
        The classes in the order of their positions: sorted, the positive one of two last, levels from the least to
        the greatest; empty for numbers. Of several targets the two values of each, one row per target.
    guess : str
        What was inferred, and the options that override it.
    """

    kind: Kind
    targets: tuple[str, ...]
    measure: Measure
    labels: NDArray[Any]
    guess: str

    @property
    def target(self) -> str:
        """The columns to predict, as a text."""
        return ", ".join(self.targets)

    @property
    def several(self) -> bool:
        """Whether a row has several labels."""
        return self.kind == "multi-label"

    @property
    def classification(self) -> bool:
        """Whether labels are predicted rather than numbers."""
        return self.kind not in ("regression", "clustering")

    @property
    def clustering(self) -> bool:
        """Whether groups of rows are looked for, without a target."""
        return self.kind == "clustering"

    def positions(self, values: NDArray[Any]) -> NDArray[Any]:
        """Targets as positions among the labels, or the numbers themselves."""
        if not self.classification:
            return values
        if self.several:
            return label_sets.positions(values, self.labels)
        order = np.argsort(self.labels, kind="stable")
        return order[np.searchsorted(self.labels, values, sorter=order)]

    def to_learn(self, values: NDArray[Any]) -> NDArray[Any]:
        """Targets as learners take them: as they are, or several labels as a 0/1 matrix."""
        return self.positions(values) if self.several else values


def infer_task(
    frame: pl.DataFrame,
    target: str | Sequence[str] | None,
    *,
    kind: str | None = None,
    measure: str | None = None,
    positive: str | None = None,
    levels: Sequence[Any] = (),
    costs: Mapping[tuple[Any, Any], float] | None = None,
    loss_range: tuple[float, float] | None = None,
) -> Task:
    """Decide between classification and regression from the target column, unless the user says which."""
    targets = label_sets.named_targets(target, frame.columns)
    if not targets:
        raise StudyError(f"Which column is to be predicted?\nHint: --target NAME with one of {frame.columns}.")
    for name in targets:
        if name not in frame.columns:
            raise StudyError(f"The table has no column {name!r}.\nHint: its columns are {frame.columns}.")
    if len(targets) > 1:
        unfit = {"--positive": positive, "--levels": levels, "--cost": costs, "--range": loss_range}
        return _label_sets(frame, targets, kind, measure, [option for option, given in unfit.items() if given])
    target = targets[0]
    column = frame[target].drop_nulls()
    values = column.n_unique()
    if values < 2:
        raise StudyError(
            f"The target column {target!r} has {values} different value(s); there is nothing to learn.\n"
            "Hint: choose another --target."
        )
    labels = _wants_labels(column, values, target, kind)
    if not labels:
        if costs:
            raise StudyError("--cost is for labels, but a number is to be predicted.\nHint: --task classification.")
        _check_numbers(frame[target])
        chosen = _measure(measure, "regression", np.empty(0), {}, loss_range)
        guess = f"regression on {target!r}, measured by {chosen.name} (--task, --measure override)"
        return Task("regression", (target,), chosen, np.empty(0), guess)
    if values > LARGEST_CLASS_COUNT or (values > LARGEST_LABEL_COUNT and 2 * values > column.len()):
        raise StudyError(
            f"The target column {target!r} has {values} different labels in {column.len()} rows.\n"
            "Hint: is it an identifier, or a number (--task regression)?"
        )
    exact, found = _labels(column, kind, positive, levels)
    chosen = _measure(measure, exact, found, costs or {}, loss_range)
    told = {
        "binary": f"2 classes, positive is {found[-1]}",
        "multiclass": f"{values} classes",
        "ordinal": " < ".join(map(str, found)),
    }[exact]
    option = {"binary": ", --positive", "multiclass": "", "ordinal": ", --levels"}[exact]
    guess = (
        f"{exact} classification of {target!r}, {told}, measured by {chosen.name} (--task, --measure{option} override)"
    )
    return Task(exact, (target,), chosen, found, guess)


def _label_sets(
    frame: pl.DataFrame, targets: list[str], kind: str | None, measure: str | None, unfit: list[str]
) -> Task:
    """The task of predicting several columns with two values each."""
    if kind not in (None, "classification", label_sets.KIND):
        raise StudyError(f"--task: {kind!r} has one target. Got {len(targets)} instead.\nHint: name one --target.")
    if unfit:
        raise StudyError(f"{unfit[0]} is for one target. Got {len(targets)} instead.\nHint: name one --target.")
    values = label_sets.two_values(frame, targets)
    chosen = label_sets.find_label_measure(measure)
    meaning = " (of any label of a row)" if chosen.name == "error" else ""
    guess = (
        f"{label_sets.KIND} classification of {', '.join(targets)}, measured by {chosen.name}{meaning} "
        "(--target, --measure override)"
    )
    return Task("multi-label", tuple(targets), chosen, values, guess)


def _labels(
    column: pl.Series, kind: str | None, positive: str | None, levels: Sequence[Any]
) -> tuple[Kind, NDArray[Any]]:
    """What kind of labels these are, and in which order."""
    sorted_labels = np.unique(labels_of(column))
    order = in_levels(sorted_labels, levels) if levels else known_order(column) if kind != "classification" else None
    if kind == "ordinal" or (order is not None and len(sorted_labels) > 2):
        if positive is not None:
            raise StudyError("--positive is for two classes; these are levels.\nHint: --task classification.")
        return "ordinal", sorted_labels if order is None else np.asarray(order)
    exact: Kind = "binary" if len(sorted_labels) == 2 else "multiclass"
    return exact, _in_order(sorted_labels, positive, exact)


def _measure(
    name: str | None,
    kind: Kind,
    labels: NDArray[Any],
    costs: Mapping[tuple[Any, Any], float],
    loss_range: tuple[float, float] | None,
) -> Measure:
    """A measure by its name, from declared costs, or declared as an expression."""
    if costs or name == "cost":
        if name not in (None, "cost"):
            raise StudyError(f"--cost and --measure {name} exclude each other.\nHint: leave --measure out.")
        if not costs:
            raise StudyError("--measure cost needs the costs.\nHint: --cost 'sick as healthy=10'.")
        return cost_measure(costs, labels)
    if name is not None and name not in MEASURES and "prediction" in name:
        return declared_measure(name, loss_range, labels)
    found = find_measure(name, kind)
    return rank_measure(labels) if found.name == "mae" and len(labels) else found


def _check_numbers(column: pl.Series) -> None:
    """Numbers to predict must be finite, and small enough that their squares are."""
    too_large = (column.cast(pl.Float64).abs() > LARGEST_NUMBER).fill_null(False)
    if too_large.any():
        row = int(too_large.arg_max() or 0)
        raise StudyError(
            f"The target column {column.name!r} is {column[row]!r} in row {row + 1}; at most {LARGEST_NUMBER:g} can be "
            "learned.\nHint: leave the row out, or choose another unit."
        )


def labels_of(column: pl.Series) -> NDArray[Any]:
    """Labels as an array: whole numbers and truth values as they are, everything else as text."""
    if column.dtype.is_integer() or column.dtype == pl.Boolean:
        return column.to_numpy()
    return np.asarray(column.cast(pl.String).to_list())


def target_values(frame: pl.DataFrame, task: Task) -> NDArray[Any]:
    """The target as the model is to give it: labels or floats; zeros where there is none."""
    if task.clustering:
        return np.zeros(frame.height)
    if task.several:
        return label_sets.label_matrix(frame, task.targets, task.labels)
    column = frame[task.target]
    return labels_of(column) if task.classification else column.cast(pl.Float64).to_numpy()


def _wants_labels(column: pl.Series, values: int, target: str, kind: str | None) -> bool:
    if kind == label_sets.KIND:
        raise StudyError(f"--task {kind} needs several targets.\nHint: --target first,second,third.")
    if kind not in (None, "classification", "ordinal", "regression"):
        raise StudyError(
            f"--task must be 'classification', 'ordinal', {label_sets.KIND!r}, 'regression' or 'clustering'. "
            f"Got {kind!r} instead."
        )
    numeric = column.dtype.is_numeric()
    if kind == "regression" and not numeric:
        raise StudyError(
            f"Regression needs numbers, but the target column {target!r} holds {column.dtype}.\n"
            "Hint: --task classification, or mend the column."
        )
    if kind is None:
        return not numeric or (column.dtype.is_integer() and values <= LARGEST_LABEL_COUNT) or values == 2
    return kind != "regression"


def _in_order(labels: NDArray[Any], positive: str | None, kind: Kind) -> NDArray[Any]:
    """The labels sorted, the positive one of two last."""
    if positive is None:
        return labels
    if kind != "binary":
        raise StudyError(f"--positive is for two classes; there are {len(labels)}.")
    by_text = {str(label): label for label in labels}
    if positive not in by_text:
        raise StudyError(f"--positive: {positive!r} is not among the labels.\nHint: they are {', '.join(by_text)}.")
    return labels if str(labels[1]) == positive else labels[::-1]
