"""Errors by subgroup of the test rows, each with a bound that holds for all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import hypergeom

from certus.guarantees import error_bound, holm
from certus.guarantees.records import failure_of
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
    p_value : float
        Chance of so many errors inside if the model erred as often outside (Fisher's exact test), adjusted for all
        subgroups (Holm); 1 where nothing is outside.
    """

    name: str
    rows: int
    errors: int
    bound: float
    p_value: float = 1.0

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
    tails = holm([_above_the_rest(wrong, mask) for _, mask in found])
    bounded = {group.name: group for group in _bounded([(name, wrong[mask]) for name, mask in found], confidence)}
    judged = [replace(bounded[name], p_value=tail) for (name, _), tail in zip(found, tails, strict=True)]
    return sorted(judged, key=lambda group: -group.error)


def above_the_rest(groups: Sequence[Subgroup], confidence: float) -> list[Subgroup]:
    """Those whose error is provably above that of the other rows."""
    return [group for group in groups if group.p_value <= failure_of(confidence)]


def _above_the_rest(wrong: NDArray[Any], mask: NDArray[np.bool_]) -> float:
    """Fisher's exact test, one-sided: given how many errors there are, how many of them fall inside."""
    inside = int(mask.sum())
    if inside == len(wrong):
        return 1.0
    return float(hypergeom.sf(int(wrong[mask].sum()) - 1, len(wrong), int(wrong.sum()), inside))


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
        counts = texts.alias("level").value_counts()
        levels = counts.sort(["count", "level"], descending=[True, False])["level"].to_list()
        for level in levels[:LARGEST_LEVEL_COUNT]:
            found.append((f"{name} = {level}", (texts == level).to_numpy()))
    for name in columns.numbers[:LARGEST_COLUMN_COUNT]:
        values = frame[name].cast(pl.Float64).to_numpy()
        middle = learned[name].cast(pl.Float64).median()
        if isinstance(middle, float):
            found += [(f"{name} <= {middle:.4g}", values <= middle), (f"{name} > {middle:.4g}", values > middle)]
    return found
