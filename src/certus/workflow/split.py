"""Dividing the rows once and for all: which are learned from, and which nobody touches before the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.workflow.errors import StudyError

LARGEST_TEST = 10_000
FEWEST_ROWS = 5

Unit = Literal["row", "group", "time"]


@dataclass(frozen=True)
class Split:
    """Row numbers of the learning part and of the test part.

    Attributes
    ----------
    learn, test : arrays of int
        Row numbers; by time, both in the order of time.
    groups : array of int
        For each learning row its group: equal rows, or the rows of one value of the group column.
    test_groups : array of int
        The same for the test rows.
    unit : {"row", "group", "time"}
        What the test part was drawn from.
    """

    learn: NDArray[np.intp]
    test: NDArray[np.intp]
    groups: NDArray[np.intp]
    test_groups: NDArray[np.intp]
    unit: Unit


def split_rows(
    frame: pl.DataFrame,
    used: list[str],
    *,
    holdout: float,
    seed: int,
    group: str | None = None,
    order: str | None = None,
) -> Split:
    """Set test rows aside: a share of the rows, at most 10 000.

    By default whole groups of equal rows are drawn at random, so a test row never has a twin among the learning
    rows. With ``group`` the rows of one value of that column stay together; with ``order`` the last rows by that
    column are the test part.
    """
    wanted = min(round(holdout * frame.height), LARGEST_TEST)
    if order is not None:
        return _by_time(frame, used, order, wanted)
    together = [group] if group is not None else used
    group_of = _group_numbers(frame, together)
    sizes = np.bincount(group_of)
    drawn = np.random.default_rng(seed).permutation(len(sizes))
    filled = np.cumsum(sizes[drawn])
    chosen = drawn[: int(np.searchsorted(filled, wanted, side="right"))]
    in_test = np.isin(group_of, chosen)
    learn, test = np.flatnonzero(~in_test), np.flatnonzero(in_test)
    unit: Unit = "group" if group is not None else "row"
    _check_sizes(frame.height, len(sizes), learn, test, "groups" if group is not None else "different ones")
    return Split(learn, test, group_of[learn], group_of[test], unit)


def _by_time(frame: pl.DataFrame, used: list[str], order: str, wanted: int) -> Split:
    """The last rows by time; equal moments and equal rows never straddle the border."""
    if frame[order].null_count():
        row = int(frame[order].is_null().arg_max() or 0)
        raise StudyError(f"--order: column {order!r} is empty in row {row + 1}.\nHint: leave such rows out.")
    ranks = frame[order].rank("dense").to_numpy().astype(np.intp)
    rows = np.argsort(ranks, kind="stable")
    border = frame.height - wanted
    while 0 < border < frame.height and ranks[rows[border - 1]] == ranks[rows[border]]:
        border -= 1
    group_of = _group_numbers(frame, used)
    learn, test = rows[:border], rows[border:]
    test = test[~np.isin(group_of[test], group_of[learn])]  # a twin of a learning row proves nothing
    _check_sizes(frame.height, len(np.unique(ranks)), learn, test, "moments")
    return Split(learn, test, group_of[learn], group_of[test], "time")


def _group_numbers(frame: pl.DataFrame, columns: list[str]) -> NDArray[np.intp]:
    """For each row the number of its group of rows that are equal in these columns, by first appearance."""
    distinct = frame.select(columns).unique(maintain_order=True).with_row_index("group number")
    joined = frame.select(columns).join(distinct, on=columns, how="left", nulls_equal=True, maintain_order="left")
    return joined["group number"].to_numpy().astype(np.intp)


def _check_sizes(rows: int, units: int, learn: NDArray[np.intp], test: NDArray[np.intp], called: str) -> None:
    if min(len(learn), len(test)) < FEWEST_ROWS:
        raise StudyError(
            f"{rows} rows ({units} {called}) are too few to set test rows aside: "
            f"{len(learn)} would be left to learn from and {len(test)} to test on.\nHint: bring more rows."
        )
