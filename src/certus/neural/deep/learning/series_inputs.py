"""Sequences of any lengths as inputs of a module: padded batch by batch, with their lengths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import saw_table
from certus.guarantees.rows import example_digests
from certus.neural.deep.lazy_torch import torch

Series = list[NDArray[np.float32]]


class SeriesInputs:
    """Sequences (time, features), whose features are shifted and scaled.

    Parameters
    ----------
    series : list of ndarray of shape (time, features)
        The sequences.
    mean, scale : ndarray of shape (features,)
        What features are shifted by and divided by.
    """

    def __init__(self, series: Series, mean: NDArray[np.float64], scale: NDArray[np.float64]) -> None:
        self.series, self.mean, self.scale = series, mean, scale
        self.lengths = np.array([len(each) for each in series], dtype=np.int64)

    @property
    def count(self) -> int:
        """Number of sequences."""
        return len(self.series)

    @property
    def shape(self) -> tuple[int, ...]:
        """Their number and their features; lengths differ."""
        return (len(self.series), self.series[0].shape[1])

    def part(self, rows: NDArray[np.int64]) -> SeriesInputs:
        """Some of them."""
        return SeriesInputs([self.series[row] for row in rows.tolist()], self.mean, self.scale)

    def tensors(self, rows: NDArray[np.int64], device: Any) -> tuple[Any, ...]:
        """Sequences padded with zeros to the longest one, and the lengths."""
        lengths = self.lengths[rows]
        padded = np.zeros((len(rows), int(lengths.max()), len(self.mean)), dtype=np.float32)
        mean, scale = self.mean.astype(np.float32), self.scale.astype(np.float32)
        for place, row in enumerate(rows.tolist()):
            padded[place, : lengths[place]] = (self.series[row] - mean) / scale
        return torch.from_numpy(padded).to(device), torch.from_numpy(lengths).to(device)

    def arrays(self) -> Iterable[Any]:
        """What identifies the sequences."""
        return self.series


def read_series(learner: Any, X: Any, width: int | None) -> Series:
    """Sequences as arrays of two axes; refuses empty ones, other widths, and what is no finite number."""
    if not isinstance(X, Sequence | np.ndarray) or isinstance(X, str | bytes) or (hasattr(X, "ndim") and X.ndim == 0):
        raise ValueError(f"X must be a list of sequences, got {type(X).__name__}.\nHint: one array per sequence.")
    if not len(X):
        raise ValueError(f"Found array with 0 sample(s): {type(learner).__name__} needs sequences.\nHint: X is empty.")
    series = []
    for place, given in enumerate(X):
        found = _one_series(given, place)
        width = found.shape[1] if width is None else width
        if found.shape[1] != width:
            raise ValueError(
                f"X must hold sequences of {width} features per step, got {found.shape[1]} in sequence {place}.\n"
                "Hint: every sequence is an array (time, features)."
            )
        series.append(found)
    saw_table(learner, example_digests(series))
    return series


def _one_series(given: Any, place: int) -> NDArray[np.float32]:
    try:
        found = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        raise ValueError(
            f"X must hold sequences of numbers, got something else in sequence {place}.\n"
            "Hint: every sequence is an array (time,) or (time, features)."
        ) from None
    found = found[:, None] if found.ndim == 1 else found
    if found.ndim != 2:
        raise ValueError(
            f"X must hold sequences (time,) or (time, features), got the shape {found.shape} in sequence {place}.\n"
            "Hint: a single sequence is a list of one."
        )
    if 0 in found.shape:
        raise ValueError(
            f"X must hold sequences of one step or more, but sequence {place} is empty.\nHint: leave it out."
        )
    if not np.isfinite(found).all():
        step = int(np.argmin(np.isfinite(found).all(axis=1)))
        raise ValueError(
            f"Input X contains NaN or infinity: first in sequence {place}, step {step}.\n"
            "Hint: fill gaps first, for example with the last value."
        )
    return np.ascontiguousarray(found)
