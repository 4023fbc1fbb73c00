"""Losses that the user declares: what each kind of mistake costs, or any bounded expression."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.workflow.measures import Measure
from certus.workflow.study_error import StudyError

Array = NDArray[Any]
_COST = re.compile(r"(?P<true>.+) as (?P<said>.+)=(?P<cost>[^=]+)")


def parse_costs(told: list[str]) -> dict[tuple[str, str], float]:
    """Costs from lines like ``sick as healthy=10``: the true label, what is answered, what that costs."""
    found = {}
    for line in told:
        match = _COST.fullmatch(line.strip())
        try:
            assert match is not None
            found[match["true"].strip(), match["said"].strip()] = float(match["cost"])
        except (AssertionError, ValueError):
            raise StudyError(
                f"--cost must look like 'sick as healthy=10' (true label, answer, cost). Got {line!r} instead."
            ) from None
    return found


def cost_measure(costs: Mapping[tuple[Any, Any], float], labels: Array) -> Measure:
    """Mean cost of the answers; a wrong answer that is not named costs 1, a right one nothing.

    Answers are chosen by it: with probabilities p, the label j of least sum_i p_i costs[i, j].
    """
    places = {str(label): place for place, label in enumerate(labels)}
    matrix = 1.0 - np.eye(len(labels))
    for (true, said), cost in costs.items():
        for label in (true, said):
            if str(label) not in places:
                raise StudyError(
                    f"--cost: {str(label)!r} is not among the labels.\nHint: they are {', '.join(places)}."
                )
        if not (np.isfinite(cost) and cost >= 0.0):
            raise StudyError(
                f"--cost: {true!s} as {said!s} must cost a finite number of at least 0. Got {cost!r} instead."
            )
        matrix[places[str(true)], places[str(said)]] = cost
    return measure_of_costs("cost", matrix, "mean cost")


def measure_of_costs(name: str, matrix: Array, said: str) -> Measure:
    """The mean of matrix[truth, answer] as a measure that also decides the answers."""

    def rows(truth: Array, answers: Array, _shares: Array | None) -> Array:
        return matrix[truth.astype(np.intp), answers.astype(np.intp)]

    ends = float(matrix.min()), float(matrix.max())
    return Measure(name, frozenset(), "answers", lambda *given: float(np.mean(rows(*given))), rows, ends, matrix, said)


def rank_measure(labels: Array) -> Measure:
    """How many levels the answer is away from the truth, on average; the answers are medians in this sense."""
    places = np.arange(len(labels), dtype=np.float64)
    return measure_of_costs("mae", np.abs(places[:, None] - places), "mean distance in levels")


def declared_measure(expression: str, loss_range: tuple[float, float] | None, labels: Array) -> Measure:
    """A loss given as an SQL expression of the columns ``truth`` and ``prediction``, with its declared range.

    Of labels it is a matrix of costs, by which the answers are chosen too.
    """
    if loss_range is None:
        raise StudyError(
            f"--measure: the loss {expression!r} needs its range.\nHint: --range LOW HIGH; without it nothing can be "
            "promised about its mean."
        )
    try:
        compiled = pl.sql_expr(expression)
    except pl.exceptions.PolarsError as error:
        raise StudyError(f"--measure: {expression!r} is not understood: {error}") from None
    if len(labels):
        pairs = {"truth": np.repeat(labels, len(labels)), "prediction": np.tile(labels, len(labels))}
        matrix = _computed(compiled, expression, pairs, loss_range).reshape(len(labels), len(labels))
        return replace(measure_of_costs(expression, matrix, f"mean of {expression}"), range=loss_range)

    def rows(truth: Array, answers: Array, _shares: Array | None) -> Array:
        return _computed(compiled, expression, {"truth": truth, "prediction": answers}, loss_range)

    def mean(truth: Array, answers: Array, shares: Array | None) -> float:
        return float(np.mean(rows(truth, answers, shares)))

    return Measure(expression, frozenset(), "answers", mean, rows, loss_range, said=f"mean of {expression}")


def _computed(
    compiled: pl.Expr, expression: str, given: dict[str, Array], loss_range: tuple[float, float]
) -> NDArray[np.float64]:
    """The losses of these rows; raises if one leaves the declared range."""
    try:
        losses = pl.DataFrame(given).select(compiled.cast(pl.Float64).alias("loss"))["loss"].to_numpy()
    except pl.exceptions.PolarsError as error:
        raise StudyError(f"--measure: {expression!r} cannot be computed: {error}") from None
    low, high = loss_range
    outside = np.flatnonzero(~((losses >= low) & (losses <= high)))
    if len(outside):
        row = outside[0]
        raise StudyError(
            f"--range: the loss {expression} is {losses[row]:g} for truth {given['truth'][row]} and prediction "
            f"{given['prediction'][row]}, outside [{low:g}, {high:g}].\nHint: clip it, as in least(…, {high:g})."
        )
    return np.asarray(losses, dtype=np.float64)
