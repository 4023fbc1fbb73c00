"""Dividing the rows once and for all: which are learned from, and which nobody touches before the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.guarantees.rows import have_rows_in_common, table_hashes
from certus.workflow.study_error import StudyError

LARGEST_TEST = 10_000
# Rows for the calibration of sets and intervals, where there are enough to spare some.
CALIBRATION_FRACTION = 0.1
LARGEST_CALIBRATION = 2_000
FEWEST_TO_SPARE = 1_000
FEWEST_ROWS = 5
# Equal pairs of rows beyond this many times what chance gives are copies.
CHANCE_FACTOR = 10.0

Rows = NDArray[np.intp]
Unit = Literal["row", "group", "time"]


@dataclass(frozen=True)
class Split:
    """Row numbers of the learning part, the calibration part and the test part.

    Attributes
    ----------
    learn, test : arrays of int
        Row numbers; by time, both in the order of time. Of copies of one row, one is tested.
    groups : array of int
        For each learning row its group: copies of one row, or the rows of one value of the group column.
    test_groups : array of int
        The same for the test rows.
    unit : {"row", "group", "time"}
        What the test part was drawn from.
    copies : bool
        Whether the table holds copies of rows, each of which counts once.
    calibration : array of int
        Rows for sets and intervals; empty where rows are few, or not exchangeable.
    """

    learn: Rows
    test: Rows
    groups: Rows
    test_groups: Rows
    unit: Unit
    copies: bool = False
    calibration: Rows = field(default_factory=lambda: np.empty(0, dtype=np.intp))


def split_rows(
    frame: pl.DataFrame,
    used: list[str],
    targets: Sequence[str],
    *,
    holdout: float,
    seed: int,
    group: str | None = None,
    order: str | None = None,
    spare: bool = True,
    own_test: NDArray[np.bool_] | None = None,
) -> Split:
    """Set test rows aside: a fraction of the rows, at most 10 000.

    Copies of a row are never divided, so that a test row has no twin among the learning rows. With ``group`` the rows
    of one value of that column stay together; with ``order`` the last rows by that column are the test part.
    ``spare`` asks for calibration rows where there are enough. ``own_test`` says which rows the user brought as test
    rows; nothing else is set aside then.
    """
    if own_test is not None:
        return _as_given(frame, used, targets, own_test, group)
    wanted = min(round(holdout * frame.height), LARGEST_TEST)
    copies = are_copies(frame.select(*used, *targets))
    group_of = _group_numbers(frame, [*used, *targets]) if copies else np.arange(frame.height)
    if order is not None:
        return _by_time(frame, group_of, copies, order, wanted)
    if group is not None:
        group_of = _group_numbers(frame, [group])
    sizes = np.bincount(group_of)
    drawn = np.random.default_rng(seed).permutation(len(sizes))
    filled = np.cumsum(sizes[drawn])
    tested = int(np.searchsorted(filled, wanted, side="right"))
    spared = tested
    if spare and group is None and frame.height - wanted >= FEWEST_TO_SPARE:
        kept_back = wanted + min(round(CALIBRATION_FRACTION * frame.height), LARGEST_CALIBRATION)
        spared = int(np.searchsorted(filled, kept_back, side="right"))
    part_of = np.zeros(len(sizes), dtype=np.intp)
    part_of[drawn[:tested]], part_of[drawn[tested:spared]] = 1, 2
    learn, test, calibration = (np.flatnonzero(part_of[group_of] == part) for part in range(3))
    if group is None:
        test, calibration = _one_of_each(test, group_of), _one_of_each(calibration, group_of)
    unit: Unit = "group" if group is not None else "row"
    _check_sizes(frame.height, len(sizes), learn, test, "groups" if group is not None else "different ones")
    return Split(learn, test, group_of[learn], group_of[test], unit, copies, calibration)


def _as_given(
    frame: pl.DataFrame, used: list[str], targets: Sequence[str], own_test: NDArray[np.bool_], group: str | None
) -> Split:
    """The user's own test rows; those that are learning rows too are not tested, unless chance explains them.

    Rows of few discrete columns are equal by chance, and to leave them out would test on rows unlike the others.
    """
    hashes = table_hashes(frame.select(*used, *targets))
    if group is not None:
        group_of = _group_numbers(frame, [group])
    elif have_rows_in_common(hashes[~own_test], hashes[own_test]):
        group_of = _group_numbers(frame, [*used, *targets])
    else:
        group_of = np.arange(frame.height)
    learn, test = np.flatnonzero(~own_test), np.flatnonzero(own_test)
    fresh = test[~np.isin(group_of[test], group_of[learn])]
    if len(fresh) < FEWEST_ROWS <= len(test):
        raise StudyError(
            f"test must hold rows that the table does not have, got {len(test) - len(fresh)} of {len(test)} rows that "
            "are also there.\nHint: leave test out, then rows of the table are set aside.",
            options=["test"],
        )
    _check_sizes(
        frame.height, len(np.unique(group_of)), learn, fresh, "groups" if group is not None else "different ones"
    )
    unit: Unit = "row" if group is None else "group"
    if group is None:
        fresh, group_of = _one_of_each(fresh, group_of), np.arange(frame.height)
    return Split(learn, fresh, group_of[learn], group_of[fresh], unit, copies=len(fresh) < len(test))


def are_copies(frame: pl.DataFrame) -> bool:
    """Whether equal rows are copies of one observation rather than observations that happen to be equal.

    If columns were independent, two rows would agree in all of them with probability prod_j sum_v p_jv^2. Tables of
    few discrete columns repeat rows about that often; far more equal pairs than that are copies.
    """
    repeats = frame.group_by(frame.columns).len()["len"].to_numpy().astype(float)
    pairs = float(np.sum(repeats * (repeats - 1.0)) / 2.0)
    if pairs == 0.0:
        return False
    agree = 1.0
    for name in frame.columns:
        counts = frame[name].alias("value").value_counts()["count"].to_numpy() / frame.height
        agree *= float(np.sum(counts**2))
    return pairs > CHANCE_FACTOR * agree * frame.height * (frame.height - 1) / 2.0


def _by_time(frame: pl.DataFrame, group_of: Rows, copies: bool, order: str, wanted: int) -> Split:
    """The last rows by time; equal moments and copies never straddle the border."""
    if frame[order].null_count():
        row = int(frame[order].is_null().arg_max() or 0)
        raise StudyError(
            f"order: column {order!r} is empty in row {row + 1}.\nHint: leave such rows out.", options=["order"]
        )
    ranks = frame[order].rank("dense").to_numpy().astype(np.intp)
    rows = np.argsort(ranks, kind="stable")
    border = _between_moments(ranks[rows], frame.height - wanted)
    learn, test = rows[:border], rows[border:]
    test = _one_of_each(test[~np.isin(group_of[test], group_of[learn])], group_of)
    _check_sizes(frame.height, len(np.unique(ranks)), learn, test, "moments")
    return Split(learn, test, group_of[learn], group_of[test], "time", copies)


def _between_moments(ranks: Rows, border: int) -> int:
    """The place nearest to the border at which one moment ends and the next begins."""
    places = np.flatnonzero(np.diff(ranks)) + 1
    return int(places[np.argmin(np.abs(places - border))]) if len(places) else 0


def _one_of_each(rows: Rows, group_of: Rows) -> Rows:
    """The first row of every group, in the order of the rows."""
    _, first = np.unique(group_of[rows], return_index=True)
    return rows[np.sort(first)]


def _group_numbers(frame: pl.DataFrame, columns: list[str]) -> Rows:
    """For each row the number of its group of rows that are equal in these columns, by first appearance."""
    distinct = frame.select(columns).unique(maintain_order=True).with_row_index("group number")
    joined = frame.select(columns).join(distinct, on=columns, how="left", nulls_equal=True, maintain_order="left")
    return joined["group number"].to_numpy().astype(np.intp)


def _check_sizes(rows: int, units: int, learn: Rows, test: Rows, called: str) -> None:
    if min(len(learn), len(test)) < FEWEST_ROWS:
        raise StudyError(
            f"{rows} rows ({units} {called}) are too few to set test rows aside: "
            f"{len(learn)} would be left to learn from and {len(test)} to test on.\nHint: bring more rows."
        )
