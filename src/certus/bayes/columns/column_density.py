"""What the density of a column is to `MixedNB`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.inputs import LARGEST, missing_cells
from certus.base.persistence import check_shapes

Floats = NDArray[np.float64]


class ColumnDensity:
    """A density per class of one column, as sums that new rows are added to.

    ``_by_class`` names the arrays whose first axis are the classes.
    """

    _by_class: tuple[str, ...] = ("weight", "total")
    weight: Floats
    total: Floats

    def start(self, classes: int) -> None:
        """No rows yet."""
        for name in self._by_class:
            setattr(self, name, np.zeros(classes))

    def spread(self, places: NDArray[np.intp], classes: int) -> None:
        """Make room for new classes: those known so far go to ``places``."""
        for name in self._by_class:
            old = getattr(self, name)
            new = np.zeros((classes, *old.shape[1:]))
            new[places] = old
            setattr(self, name, new)

    def check(self, classes: int) -> None:
        """Raise a ValueError unless the sums, which may come from a file, are those of so many classes."""
        check_shapes(self, **dict.fromkeys(self._by_class, (classes,)))

    def read(self, cells: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """The cells as this density takes them, and which of them are there."""
        try:
            values = cells if cells.dtype.kind != "O" else np.where(missing_cells(cells), np.nan, cells)
            values = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"could not convert column {name} of X to numbers.\nHint: the kind 'categorical' takes words."
            ) from None
        if np.isinf(values).any():
            row = int(np.flatnonzero(np.isinf(values))[0])
            raise ValueError(f"Input X contains infinity: row {row}, column {name}.")
        if (np.abs(values) > LARGEST).any():
            row = int(np.flatnonzero(np.abs(values) > LARGEST)[0])
            raise ValueError(
                f"Column {name} of X must hold magnitudes up to {LARGEST:g}, got {values[row]:g} in row {row}.\n"
                "Hint: rescale the column."
            )
        return values, ~np.isnan(values)

    def add(self, values: NDArray[Any], codes: NDArray[np.int64], weights: Floats) -> None:
        """Add cells with their classes and weights."""
        classes = len(self.weight)
        self.weight += np.bincount(codes, weights=weights, minlength=classes)
        self.total += np.bincount(codes, weights=weights * values, minlength=classes)

    def log_density(self, values: NDArray[Any], alpha: float, smoothing: float) -> Floats:
        """The logarithm of every class's density at every value, of shape (values, classes)."""
        raise NotImplementedError

    def _pooled_mean(self) -> float:
        weight = self.weight.sum()
        return float(self.total.sum() / weight) if weight > 0 else 1.0


def require(values: Floats, allowed: Any, name: str, kind: str, what: str) -> None:
    """Refuse cells that a density cannot have."""
    bad = ~np.asarray(allowed) & ~np.isnan(values)
    if bad.any():
        raise ValueError(f"Column {name} of X must hold {what} for the kind {kind!r}, got {values[bad][0]:g}.")
