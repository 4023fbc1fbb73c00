"""Tables of numbers and categories as numbers alone: categories become codes, missing cells NaN."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from certus.base.inputs import are_numbers, missing_cells

Floats = NDArray[np.float64]
Categories = list[list[Any] | None]  # of every column; None for a column of numbers

UNKNOWN = -1.0  # the code of a category that no known row has: it differs from all of theirs


def start_categories(X: Any, cells: NDArray[Any], categorical: Any, names: list[str]) -> Categories:
    """No categories yet, for the columns that have some: the given ones, or those that hold no numbers.

    Columns of categories, texts and truth values are categorical without being named; ``categorical`` adds to them.
    """
    mask = np.array([not are_numbers(cells[:, j]) for j in range(cells.shape[1])], dtype=bool)
    if nw.dependencies.is_into_dataframe(X):
        kinds = nw.from_native(X, eager_only=True).schema.dtypes()
        mask |= [kind in (nw.Categorical, nw.Enum, nw.String, nw.Boolean) for kind in kinds]
    mask[_chosen(categorical, cells.shape[1], names)] = True
    return [[] if yes else None for yes in mask]


def coded_columns(cells: NDArray[Any], categories: Categories, names: list[str], *, grow: bool) -> Floats:
    """The table in codes; with ``grow``, categories that are new are added to those that are known."""
    table = np.empty(cells.shape, dtype=np.float64)
    for j, known in enumerate(categories):
        if known is None:
            table[:, j] = _numbers(cells[:, j], names[j])
        else:
            table[:, j] = _codes(cells[:, j], known, names[j], grow)
    return table


def _chosen(categorical: Any, columns: int, names: list[str]) -> NDArray[np.intp]:
    """Numbers of the columns that were named, by name, number or a mask."""
    if categorical is None:
        return np.empty(0, dtype=np.intp)
    given = np.asarray(categorical)
    if given.dtype == bool and given.shape == (columns,):
        return np.flatnonzero(given)
    places = []
    for one in given.ravel().tolist():
        if isinstance(one, str) and one in names:
            places.append(names.index(one))
        elif isinstance(one, int) and not isinstance(one, bool) and 0 <= one < columns:
            places.append(one)
        else:
            raise ValueError(
                f"categorical must name columns of X by name, by number below {columns} or by a mask, got {one!r}."
            )
    return np.array(places, dtype=np.intp)


def _numbers(cells: NDArray[Any], name: str) -> Floats:
    there = np.full(len(cells), True) if cells.dtype.kind in "iufb" else ~missing_cells(cells)
    values = np.full(len(cells), np.nan)
    try:
        values[there] = cells[there].astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Column {name} of X must hold numbers for metric='gower', as it did before: {error}.\n"
            "Hint: give it a categorical dtype, or name it in categorical."
        ) from error
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(f"Column {name} of X must hold finite numbers, got {values[row]} in row {row}.")
    return values


def _codes(cells: NDArray[Any], known: list[Any], name: str, grow: bool) -> Floats:
    places = {value: float(code) for code, value in enumerate(known)}
    codes = np.full(len(cells), np.nan)
    for row in np.flatnonzero(~missing_cells(cells)):
        value = cells[row].item() if isinstance(cells[row], np.generic) else cells[row]
        if not isinstance(value, str | bool | int | float):
            raise ValueError(
                f"Column {name} of X must hold numbers, texts or truth values, got {value!r} in row {row}.\n"
                "Hint: pass dates as numbers, such as days since the first."
            )
        if grow and value not in places:
            places[value] = float(len(known))
            known.append(value)
        codes[row] = places.get(value, UNKNOWN)
    return codes
