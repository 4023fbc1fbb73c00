"""Categorical columns: which they are, their categories, and their codes."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from certus.base import ColumnsLike, Table, TableLike

Categories = list[NDArray[Any] | None]


def categorical_mask(X: TableLike, categorical_features: ColumnsLike) -> NDArray[np.bool_] | None:
    """Which columns of X are categorical; None if there are none."""
    frame = nw.from_native(X, eager_only=True) if nw.dependencies.is_into_dataframe(X) else None
    if categorical_features is None:
        return None
    if isinstance(categorical_features, str):  # "from_dtype"
        if frame is None:
            return None
        mask = np.array([kind in (nw.Categorical, nw.Enum) for kind in frame.schema.dtypes()], dtype=bool)
        return mask if mask.any() else None
    chosen = np.asarray(categorical_features)
    if chosen.size == 0:
        return None
    _refuse_other_types(chosen)
    columns = frame.shape[1] if frame is not None else np.shape(X)[1]
    names = None if frame is None else list(frame.columns)
    mask = chosen if chosen.dtype.kind == "b" else _mask_of(chosen, columns, names)
    if mask.shape != (columns,):
        raise ValueError(
            f"categorical_features set as a boolean mask must have shape (n_features,), got: {mask.shape}.\n"
            f"Hint: X has {columns} columns."
        )
    return mask if mask.any() else None


def _refuse_other_types(chosen: NDArray[Any]) -> None:
    kinds = {type(item) for item in chosen.ravel()} if chosen.dtype.kind == "O" else {str}
    if chosen.dtype.kind not in "ibUO" or kinds != {str}:
        got = chosen.dtype.name if kinds == {str} else ", ".join(sorted(kind.__name__ for kind in kinds))
        raise ValueError(f"categorical_features must be an array-like of bool, int or str, got: {got}.")


def _mask_of(chosen: NDArray[Any], columns: int, names: list[str] | None) -> NDArray[np.bool_]:
    mask = np.zeros(columns, dtype=bool)
    if chosen.dtype.kind == "i":
        if chosen.max() >= columns or chosen.min() < 0:
            raise ValueError(
                "categorical_features set as integer indices must be in [0, n_features - 1] = "
                f"[0, {columns - 1}], got {chosen.tolist()}."
            )
        mask[chosen] = True
        return mask
    if names is None:
        raise ValueError(
            "categorical_features should be passed as an array of integers or as a boolean mask when the model is "
            "fitted on data without feature names."
        )
    for name in chosen:
        if name not in names:
            raise ValueError(
                f"categorical_features has an item value '{name}' which is not a valid feature name of the "
                f"training data. Observed feature names: {names}."
            )
        mask[names.index(name)] = True
    return mask


def learn_categories(
    X: TableLike,
    mask: NDArray[np.bool_],
    most: int | None,
    *,
    hint: str = "set rare_categories='group', or pass it as numbers.",
) -> Categories:
    """Sorted categories of the categorical columns, None for the others; more than ``most`` of them are refused."""
    found: Categories = [None] * len(mask)
    for column in np.flatnonzero(mask):
        values, missing = _categories(X, int(column))
        try:
            found[column] = np.unique(values[~missing])
        except TypeError as error:
            raise ValueError(
                f"Column {_name(X, int(column))} is categorical and mixes texts with numbers.\n"
                "Hint: convert it to one type."
            ) from error
        count = len(found[column])  # type: ignore[arg-type]
        if most is not None and count > most:
            raise ValueError(
                f"Categorical feature {_name(X, int(column))} is expected to have a cardinality <= {most} but "
                f"actually has a cardinality of {count}.\nHint: {hint}."
            )
    return found


def encode(X: Table, categories: Categories, dtype: Any = np.float64) -> NDArray[Any]:
    """A float table in which categories are replaced by codes; unknown and missing ones by NaN."""
    rows = X.shape[0]
    table = np.empty((rows, len(categories)), dtype=dtype, order="F")
    for column, known in enumerate(categories):
        if known is None:
            table[:, column] = _numbers(X, column, _column(X, column)[0])
        else:
            table[:, column] = _codes(*_categories(X, column), known)
    return table


def _codes(values: NDArray[Any], missing: NDArray[np.bool_], known: NDArray[Any]) -> NDArray[np.float64]:
    codes = np.full(len(values), np.nan)
    if len(known) == 0:
        return codes
    there = values[~missing]
    if known.dtype.kind in "OUS":
        there = np.array([str(value) for value in there], dtype=str)
        known = known.astype(str)
    elif there.dtype.kind not in "fiub":
        return codes
    place = np.minimum(np.searchsorted(known, there), len(known) - 1)
    codes[~missing] = np.where(known[place] == there, place, np.nan)
    return codes


def _categories(X: TableLike, column: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Categories of a column, and which are missing: among numbers also the negative ones, as in scikit-learn."""
    values, missing = _column(X, column)
    if values.dtype.kind in "fi":
        missing = missing | (values < 0)
    return values, missing


def _column(X: TableLike, column: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Values of a column, and which are missing."""
    if nw.dependencies.is_into_dataframe(X):
        series = nw.from_native(X, eager_only=True)[:, column]
        missing = series.is_null().to_numpy().astype(bool)
        values = np.asarray(series.to_numpy())
    else:
        values = np.asarray(X)[:, column]
        missing = np.zeros(len(values), dtype=bool)
    if values.dtype.kind == "f":
        missing = missing | np.isnan(values)
    elif values.dtype.kind == "O":
        missing = missing | np.array([value is None or value != value for value in values], dtype=bool)
        if all(not isinstance(value, str) for value in values[~missing]):
            numbers = np.full(len(values), np.nan)
            numbers[~missing] = values[~missing].astype(np.float64)
            values = numbers
    return values, missing


def _numbers(X: TableLike, column: int, values: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"could not convert column {_name(X, column)} to numbers: {error}.\n"
            "Hint: give it a categorical dtype, or name it in categorical_features."
        ) from error


def _name(X: TableLike, column: int) -> str:
    if nw.dependencies.is_into_dataframe(X):
        return repr(nw.from_native(X, eager_only=True).columns[column])
    return f"at index {column}"
