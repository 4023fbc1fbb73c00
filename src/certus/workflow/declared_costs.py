"""Losses that the user declares: what each kind of mistake costs, or any bounded expression."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.workflow.measures import BoundedBy, Measure, RowLosses, mean_of
from certus.workflow.study_error import StudyError

Array = NDArray[Any]
_COST = re.compile(r"(?P<true>.+) as (?P<predicted>.+)=(?P<cost>[^=]+)")


def parse_costs(lines: Sequence[str]) -> dict[tuple[str, str], float]:
    """Costs from lines like ``sick as healthy=10``: the true label, the predicted one, what that costs."""
    found = {}
    for line in lines:
        match = _COST.fullmatch(line.strip())
        try:
            assert match is not None
            found[match["true"].strip(), match["predicted"].strip()] = float(match["cost"])
        except (AssertionError, ValueError):
            raise StudyError(
                f"costs must look like 'sick as healthy=10', got {line!r}.\n"
                "Hint: the true label, the predicted label, and the price of that mistake.",
                options=["costs"],
            ) from None
    return found


def cost_measure(costs: Mapping[tuple[str, str], float], labels: Array) -> Measure:
    """Mean cost of the predictions; a mistake that is not named costs 1, a correct prediction nothing.

    Predictions are chosen by it: with probabilities p, the label j of least sum_i p_i costs[i, j].
    """
    index_of = {str(label): index for index, label in enumerate(labels)}
    matrix = 1.0 - np.eye(len(labels))
    for (true, predicted), cost in costs.items():
        for label in (true, predicted):
            if str(label) not in index_of:
                raise StudyError(
                    f"costs: {str(label)!r} is not among the labels.\nHint: they are {', '.join(index_of)}.",
                    options=["costs"],
                )
        if not (np.isfinite(cost) and cost >= 0.0):
            raise StudyError(
                f"costs: {true!s} as {predicted!s} must cost a finite number of at least 0, got {cost!r}.",
                options=["costs"],
            )
        matrix[index_of[str(true)], index_of[str(predicted)]] = cost
    return measure_of_costs("cost", matrix, "mean cost")


def measure_of_costs(name: str, matrix: Array, quantity: str) -> Measure:
    """The mean of matrix[truth, prediction] as a measure that also decides the predictions."""

    def rows(truth: Array, predictions: Array, _probabilities: Array | None) -> Array:
        return matrix[truth.astype(np.intp), predictions.astype(np.intp)]

    ends = float(matrix.min()), float(matrix.max())
    return mean_measure(name, rows, ends, quantity, matrix)


def mean_measure(
    name: str, rows: RowLosses, ends: tuple[float, float], quantity: str, costs: Array | None = None
) -> Measure:
    """The mean of losses of a known range."""
    bound = BoundedBy.MEAN
    return Measure(name, frozenset(), "predictions", mean_of(rows), rows, ends, costs, bound, quantity)


def rank_measure(labels: Array) -> Measure:
    """How many levels the prediction is away from the truth, on average; predictions are medians in this sense."""
    levels = np.arange(len(labels), dtype=np.float64)
    return measure_of_costs("mae", np.abs(levels[:, None] - levels), "mean distance in levels")


def declared_measure(expression: str, loss_range: tuple[float, float] | None, labels: Array) -> Measure:
    """A loss given as an SQL expression of the columns ``truth`` and ``prediction``, with its declared range.

    Of labels it is a matrix of costs, by which predictions are chosen too.
    """
    if loss_range is None:
        raise StudyError(
            f"measure: the loss {expression!r} needs its loss_range.\n"
            "Hint: give its lowest and highest value; without them nothing can be promised about its mean.",
            options=["measure", "loss_range"],
        )
    try:
        compiled = pl.sql_expr(expression)
    except pl.exceptions.PolarsError as error:
        raise StudyError(f"measure: {expression!r} cannot be parsed: {error}", options=["measure"]) from None
    if len(labels):
        pairs = {"truth": np.repeat(labels, len(labels)), "prediction": np.tile(labels, len(labels))}
        matrix = _computed(compiled, expression, pairs, loss_range).reshape(len(labels), len(labels))
        return replace(measure_of_costs(expression, matrix, f"mean of {expression}"), range=loss_range)

    def rows(truth: Array, predictions: Array, _probabilities: Array | None) -> Array:
        return _computed(compiled, expression, {"truth": truth, "prediction": predictions}, loss_range)

    return mean_measure(expression, rows, loss_range, f"mean of {expression}")


def _computed(
    compiled: pl.Expr, expression: str, given: dict[str, Array], loss_range: tuple[float, float]
) -> NDArray[np.float64]:
    """The losses of these rows; raises if one leaves the declared range."""
    try:
        losses = pl.DataFrame(given).select(compiled.cast(pl.Float64).alias("loss"))["loss"].to_numpy()
    except pl.exceptions.PolarsError as error:
        raise StudyError(f"measure: {expression!r} cannot be computed: {error}", options=["measure"]) from None
    low, high = loss_range
    outside = np.flatnonzero(~((losses >= low) & (losses <= high)))
    if len(outside):
        row = outside[0]
        raise StudyError(
            f"loss_range: the loss {expression} is {losses[row]:g} for truth {given['truth'][row]} and prediction "
            f"{given['prediction'][row]}, outside [{low:g}, {high:g}].\nHint: clip it, as in least(…, {high:g}).",
            options=["loss_range"],
        )
    return np.asarray(losses, dtype=np.float64)
