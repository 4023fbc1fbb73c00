"""Tables of numbers and labels as codes of states, learned once and read again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.inputs import are_numbers, missing_cells
from certus.graphical.learning.columns.cut_points import cut_points, interval_names

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


def learned_cuts(
    table: NDArray[Any], labeled: Sequence[bool], weights: Floats, method: str, codes: NDArray[np.intp]
) -> list[Floats | None]:
    """The cuts of columns of numbers; None for columns of labels."""
    return [
        None if is_labeled else cut_points(numbers(column), weights, method, 5, codes)
        for column, is_labeled in zip(table.T, labeled, strict=True)
    ]


def labeled_columns(learner: Any, X: Any, table: NDArray[Any]) -> list[bool]:
    """Which columns hold labels: what the parameter ``categorical_features`` says, and all that are no numbers."""
    given, width = learner.categorical_features, table.shape[1]
    found = [not are_numbers(column) or bool(missing_cells(column).all()) for column in table.T]
    if given is None:
        return found
    if isinstance(given, str):  # "from_dtype"
        kinds = getattr(X, "dtypes", None)
        if kinds is not None:
            found = [known or _is_category(kind) for known, kind in zip(found, list(kinds), strict=True)]
        return found
    names = [str(name) for name in getattr(learner, "feature_names_in_", [])]
    if len(given) == width and all(isinstance(flag, bool | np.bool_) for flag in given):
        return [known or bool(flag) for known, flag in zip(found, given, strict=True)]
    for key in given:
        place = names.index(key) if key in names else key
        if not isinstance(place, int | np.integer) or not 0 <= place < width:
            raise ValueError(f"categorical_features must name columns of X by name or position, got {key!r}.")
        found[place] = True
    return found


def _is_category(kind: Any) -> bool:
    return str(kind).lower().startswith(("category", "categorical", "enum", "string", "str", "bool"))


def learned_labels(table: NDArray[Any], cuts: Sequence[Floats | None]) -> list[list[Any]]:
    """The states of every column: texts of intervals, or the labels that occur."""
    found = []
    for column, own in zip(table.T, cuts, strict=True):
        if own is not None:
            found.append(interval_names(own))
        else:
            labels = {plain(cell): None for cell in column[~missing_cells(column)]}
            found.append(_ordered(list(labels)) or ["none"])
    return found


def state_codes(table: NDArray[Any], cuts: Sequence[Floats | None], labels: Sequence[Sequence[Any]]) -> Codes:
    """Places of states; -1 for cells that are missing or hold a label that was not seen in training."""
    codes = np.full(table.shape, -1, dtype=np.int32)
    for place, (column, own) in enumerate(zip(table.T, cuts, strict=True)):
        if own is not None:
            values = _checked_numbers(column, place)
            there = ~np.isnan(values)
            codes[there, place] = np.searchsorted(own, values[there])
        else:
            known = {label: code for code, label in enumerate(labels[place])}
            missing = missing_cells(column)
            codes[:, place] = [
                -1 if gone else known.get(plain(cell), -1) for cell, gone in zip(column, missing, strict=True)
            ]
    return codes


def numbers(column: NDArray[Any]) -> Floats:
    """A column of numbers and missing cells as floats."""
    if column.dtype.kind in "iuf":
        return column.astype(np.float64)
    missing = missing_cells(column)
    return np.array([np.nan if gone else cell for cell, gone in zip(column, missing, strict=True)], dtype=np.float64)


def _checked_numbers(column: NDArray[Any], place: int) -> Floats:
    try:
        return numbers(column)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Column {place} must hold numbers, as it did in training: {error}.") from None


def plain(cell: Any) -> Any:
    """A label that equals itself however it came: NumPy's scalars as Python's, whole floats as whole numbers."""
    cell = cell.item() if isinstance(cell, np.generic) else cell
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _ordered(labels: list[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:
        return labels
