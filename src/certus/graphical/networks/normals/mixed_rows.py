"""Tables of rows with columns of labels and of numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.graphical.networks.tables.coded_columns import coded_column

Floats = NDArray[np.float64]
Columns = Mapping[str, pl.Series]


def coded_states(network: Any, columns: Columns) -> dict[str, NDArray[np.int32]]:
    """Places of the states of the discrete nodes; a missing column or cell is an error."""
    found = {}
    for name in network.discrete:
        codes = coded_column(_column(columns, name), name, network.states(name))
        if (codes < 0).any():
            raise ValueError(_missing(name, int(np.argmax(codes < 0))))
        found[name] = codes
    return found


def number_columns(network: Any, columns: Columns) -> dict[str, Floats]:
    """The values of the continuous nodes; a missing column or cell, or one that is no number, is an error."""
    found = {}
    for name in network.continuous:
        cells = _column(columns, name)
        if not cells.dtype.is_numeric():
            raise ValueError(f"Column {name!r} must hold numbers, got cells of the type {cells.dtype}.")
        values = cells.cast(pl.Float64).fill_null(math.nan).to_numpy().astype(np.float64)
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values)))
            if math.isinf(values[row]):
                raise ValueError(f"Column {name!r} must hold finite numbers, got {values[row]!r} in row {row}.")
            raise ValueError(_missing(name, row))
        found[name] = values
    return found


def _column(columns: Columns, name: str) -> pl.Series:
    if name not in columns:
        raise ValueError(
            f"The table must have a column for every node, got none for {name!r}.\n"
            f"Hint: its columns are {', '.join(map(repr, list(columns)[:8]))}."
        )
    return columns[name]


def _missing(name: str, row: int) -> str:
    return (
        f"Rows must be complete, got a missing cell of {name!r} in row {row}.\n"
        "Hint: leave such rows out, or integrate the cell out with log_density({...})."
    )


def row_log_densities(network: Any, columns: Columns) -> Floats:
    """The log-density of every row."""
    states, values = coded_states(network, columns), number_columns(network, columns)
    count = len(next(iter(values.values())))
    found = np.zeros(count)
    with np.errstate(divide="ignore", over="ignore"):
        for name, codes in states.items():
            found += np.log(network.table(name)[(*(states[parent] for parent in network.parents(name)), codes)])
        for name, own in values.items():
            normal, parents = network.normal(name), network.parents(name)
            at = tuple(states[parent] for parent in parents if parent in states)
            linked = [values[parent] for parent in parents if parent in values]
            mean = normal.intercept[at] + sum(normal.coefficients[at][..., k] * x for k, x in enumerate(linked))
            variance = normal.variance[at]
            found -= 0.5 * ((own - mean) ** 2 / variance + np.log(variance) + math.log(2.0 * math.pi))
    return found
