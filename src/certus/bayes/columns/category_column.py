"""The density of a column of words, truth values or other labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import register_part
from certus.base.inputs import missing_cells
from certus.base.persistence import check_shapes
from certus.bayes.columns.column_density import ColumnDensity, Floats


@register_part("bayes")
class CategoryColumn(ColumnDensity):
    """Labels with the shares (count + alpha) / (rows + alpha m) for m labels seen so far."""

    _by_class = ("count",)
    _state = ("count", "labels")
    count: Floats
    labels: list[Any]

    def start(self, classes: int) -> None:
        self.count, self.labels = np.zeros((classes, 0)), []

    def check(self, classes: int) -> None:
        check_shapes(self, count=(classes, len(self.labels)))

    def read(self, cells: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        values = cells.astype(object)
        return values, ~missing_cells(values)

    def add(self, values: NDArray[Any], codes: NDArray[np.int64], weights: Floats) -> None:
        """A label that is new gets a column of its own."""
        known = {label: place for place, label in enumerate(self.labels)}
        places = np.array([known.setdefault(plain(value), len(known)) for value in values], dtype=np.intp)
        count = np.zeros((len(self.count), len(known)))
        count[:, : self.count.shape[1]] = self.count
        np.add.at(count, (codes, places), weights)
        self.count, self.labels = count, list(known)

    def log_density(self, values: NDArray[Any], alpha: float, smoothing: float) -> Floats:
        """A label that training did not see tells nothing: 0 for every class."""
        known = {label: place for place, label in enumerate(self.labels)}
        places = np.array([known.get(plain(value), -1) for value in values], dtype=np.intp)
        smoothed = self.count + alpha
        with np.errstate(divide="ignore", invalid="ignore"):
            table = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
        table = np.hstack([np.where(np.isnan(table), 0.0, table), np.zeros((len(table), 1))])
        return np.ascontiguousarray(table[:, places].T)


def plain(value: Any) -> Any:
    """A label that equals itself however it came: NumPy's scalars as Python's, whole floats as whole numbers."""
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value
