"""Labels, their places in a list, and how often they occur."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.distributions.estimation.statistics import Sums
from certus.distributions.estimation.weighted_rows import row_weights


def label_array(x: Any) -> NDArray[Any]:
    """Labels as an array that keeps what they are: words and numbers beside each other, and tuples."""
    if isinstance(x, list | tuple) and (
        any(isinstance(label, tuple) for label in x) or 1 < len({isinstance(label, str) for label in x})
    ):
        rows = np.empty(len(x), dtype=object)
        rows[:] = x
        return rows
    return np.asarray(x)


def label_places(x: Any, labels: tuple[Any, ...]) -> NDArray[np.intp]:
    """The place of every label in the list, -1 for others."""
    places = {label: place for place, label in enumerate(labels)}
    rows = label_array(x)
    if rows.dtype.kind in "iub" and labels == tuple(range(len(labels))):
        return np.where((rows >= 0) & (rows < len(labels)), rows, -1).astype(np.intp)
    found = [places.get(label, -1) for label in (rows.ravel().tolist() if rows.dtype != object else rows.ravel())]
    return np.array(found, dtype=np.intp).reshape(rows.shape)


def label_counts(data: Any, weights: ArrayLike | None, labels: tuple[Any, ...]) -> Sums:
    """The weight of every label among the rows; a label that is not in the list is an error."""
    rows = label_array(data)
    if rows.ndim != 1:
        raise ValueError(f"data must have 1 axis, got shape {rows.shape}.")
    places = label_places(rows, labels)
    if (places < 0).any():
        raise ValueError(f"data must hold labels among {list(labels)!r}, got {rows[places < 0].tolist()[0]!r}.")
    weight = row_weights(weights, len(rows))
    return Sums(float(weight.sum()), np.bincount(places, weights=weight, minlength=len(labels)).astype(float))
