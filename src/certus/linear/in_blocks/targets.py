"""What the rows of a block have as target and weight, once labels are coded and classes weighted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.blocks import Block, BlockError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Numbers:
    """Targets are numbers: one column per target, or the one that is chosen."""

    column: int | None = None

    def of(self, block: Block) -> tuple[Array, Array | None]:
        """Target (rows x targets) and weights."""
        targets = block.y.reshape(block.rows, -1)
        if self.column is not None:
            targets = targets[:, self.column : self.column + 1]
        return np.ascontiguousarray(targets, dtype=np.float64), block.weights


@dataclass(frozen=True)
class Codes:
    """Targets are labels: the number of the class, or with ``signs`` -1 and 1 for every class (one column for two)."""

    classes: NDArray[Any]
    class_weights: Array
    signs: bool = False

    def of(self, block: Block) -> tuple[Array, Array | None]:
        """Target (rows x 1, or rows x outputs) and the weights with those of the classes."""
        codes = np.minimum(np.searchsorted(self.classes, block.y), len(self.classes) - 1)
        other = self.classes[codes] != block.y
        if other.any():
            raise BlockError(
                f"Every pass must read the same rows, got the label {block.y[other].tolist()[0]!r} in {block.name}, "
                "which was not there before.\nHint: a function that makes blocks must return the same ones every time."
            )
        weights = block.weights
        if (self.class_weights != 1.0).any():
            by_class = self.class_weights[codes]
            weights = by_class if weights is None else weights * by_class
        if not self.signs:
            return codes.reshape(-1, 1).astype(np.float64), weights
        if len(self.classes) == 1:
            return np.full((block.rows, 1), -1.0), weights
        if len(self.classes) == 2:
            return 2.0 * codes.reshape(-1, 1) - 1.0, weights
        return np.where(codes[:, None] == np.arange(len(self.classes)), 1.0, -1.0), weights
