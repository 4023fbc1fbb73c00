"""Errors by subgroup of the test rows, each with a bound that holds for all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.guarantees import error_bound
from certus.workflow.columns import Columns

FEWEST_ROWS = 20
LARGEST_LEVEL_COUNT = 10
LARGEST_COLUMN_COUNT = 100


@dataclass(frozen=True)
class Subgroup:
    """The error among the test rows of one subgroup.

    Attributes
    ----------
    name : str
        Which rows, such as "color = red".
    rows, errors : int
        How many there are, and how many of them the model got wrong.
    bound : float
        With the confidence of the study, all subgroups' errors are below their bounds at once.
    """

    name: str
    rows: int
    errors: int
    bound: float

    @property
    def error(self) -> float:
        """Share of rows that the model got wrong."""
        return self.errors / self.rows


def subgroups(
    test: pl.DataFrame, learned: pl.DataFrame, wrong: NDArray[Any], columns: Columns, confidence: float
) -> list[Subgroup]:
    """Levels of categories, and numbers below and above the middle of the learned rows, with enough test rows.

    Worst first.
    """
    found = [(name, mask) for name, mask in _masks(test, learned, columns) if int(mask.sum()) >= FEWEST_ROWS]
    return _bounded([(name, wrong[mask]) for name, mask in found], confidence)


def label_errors(targets: Sequence[str], wrong: NDArray[np.bool_], confidence: float) -> list[Subgroup]:
    """The error of each of several labels, from a matrix of what was wrong; worst first."""
    return _bounded(list(zip(targets, wrong.T, strict=True)), confidence)


def _bounded(found: Sequence[tuple[str, NDArray[Any]]], confidence: float) -> list[Subgroup]:
    """Bounds that hold together, worst first."""
    each = 1.0 - (1.0 - confidence) / max(1, len(found))
    described = []
    for name, wrong in found:
        errors = int(wrong.sum())
        bound = error_bound(errors, len(wrong), confidence=each).value
        assert isinstance(bound, float)
        described.append(Subgroup(name, len(wrong), errors, bound))
    return sorted(described, key=lambda group: -group.error)


def _masks(frame: pl.DataFrame, learned: pl.DataFrame, columns: Columns) -> list[tuple[str, NDArray[np.bool_]]]:
    found: list[tuple[str, NDArray[np.bool_]]] = []
    for name in columns.categories[:LARGEST_COLUMN_COUNT]:
        texts = frame[name].cast(pl.String).fill_null("missing")
        levels = texts.value_counts().sort(["count", name], descending=[True, False])[name].to_list()
        for level in levels[:LARGEST_LEVEL_COUNT]:
            found.append((f"{name} = {level}", (texts == level).to_numpy()))
    for name in columns.numbers[:LARGEST_COLUMN_COUNT]:
        values = frame[name].cast(pl.Float64).to_numpy()
        middle = learned[name].cast(pl.Float64).median()
        if isinstance(middle, float):
            found += [(f"{name} <= {middle:.4g}", values <= middle), (f"{name} > {middle:.4g}", values > middle)]
    return found
