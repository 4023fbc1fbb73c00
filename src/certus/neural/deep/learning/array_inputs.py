"""One array with a row per example, as inputs of a module."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.neural.deep.lazy_torch import torch


class ArrayInputs:
    """Rows of an array; single precision, or double for modules that are.

    Parameters
    ----------
    array : ndarray of shape (n, ...)
        The examples.
    """

    lengths: NDArray[np.int64] | None = None

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self._tensor: Any = None

    @property
    def count(self) -> int:
        """Number of examples."""
        return len(self.array)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return self.array.shape

    def part(self, rows: NDArray[np.int64]) -> ArrayInputs:
        """Some of them."""
        return ArrayInputs(self.array[rows])

    def tensors(self, rows: NDArray[np.int64], device: Any) -> tuple[Any, ...]:
        """What a module is called with."""
        if self._tensor is None:
            self._tensor = torch.from_numpy(np.ascontiguousarray(self.array))
        return (self._tensor.index_select(0, torch.from_numpy(rows)).to(device),)

    def arrays(self) -> Iterable[Any]:
        """What identifies the examples."""
        return (self.array,)
