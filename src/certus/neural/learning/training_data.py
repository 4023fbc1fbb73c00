"""What a network is trained on: a table, targets in the kernels' form, and which rows take part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from certus.neural import _native_calls as kernels

NO_ORDER = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class OutputPlan:
    """What the last layer is: its width, what its scores mean, and the loss there."""

    n_outputs: int
    activation: str
    loss: tuple[str, float]
    smoothing: float = 0.0
    quantiles: tuple[float, ...] = ()


@dataclass(frozen=True)
class TrainingData:
    """Rows to learn from. ``rows`` are the positions of those that take part (None: all)."""

    X: Any
    classes: NDArray[np.int32] | None = None
    values: NDArray[Any] | None = None
    weights: NDArray[np.float64] | None = None
    rows: NDArray[np.int64] | None = None
    by_class: NDArray[np.float64] | None = None  # factors of the classes that `weights` hold

    @property
    def count(self) -> int:
        """How many rows take part."""
        return int(self.X.shape[0]) if self.rows is None else len(self.rows)

    def order(self, *, shuffle: bool) -> NDArray[np.int64]:
        """The rows as the kernels take them; they shuffle this array."""
        if self.rows is not None:
            return self.rows.copy()
        return np.arange(self.count, dtype=np.int64) if shuffle else NO_ORDER

    def part(self, rows: NDArray[np.int64]) -> TrainingData:
        """The same with these rows only."""
        return TrainingData(self.X, self.classes, self.values, self.weights, rows)

    def targets(self) -> Any:
        """Targets and weights as the kernels take them."""
        return kernels.network_targets(self.X.dtype, classes=self.classes, values=self.values, weights=self.weights)

    def whole(self) -> TrainingData:
        """The same with weight 0 on rows that do not take part, for solvers that read all rows."""
        if self.rows is None:
            return self
        weights = np.zeros(self.X.shape[0])
        weights[self.rows] = 1.0 if self.weights is None else self.weights[self.rows]
        return TrainingData(self.X, self.classes, self.values, weights)

    def split(
        self, share: float, random: np.random.RandomState, *, binary: bool
    ) -> tuple[TrainingData, NDArray[np.int64]]:
        """The rows to learn from, and those held out; labels are held out in proportion where each has two rows."""
        rows = np.arange(self.count, dtype=np.int64) if self.rows is None else self.rows
        labels = None
        if self.classes is not None:
            counts = np.bincount(self.classes[rows])
            labels = self.classes[rows] if len(counts) <= share * len(rows) and counts[counts > 0].min() > 1 else None
        elif binary and self.values is not None:
            labels = self.values[rows].astype(bool)
        kept, held = train_test_split(rows, random_state=random, test_size=share, stratify=labels)
        if len(held) < 2:
            raise ValueError(
                "The validation set is too small. Increase 'validation_fraction' or the size of your dataset.\n"
                f"Hint: {share:g} of {len(rows)} rows were held out; two are needed at least."
            )
        return self.part(np.sort(kept)), np.sort(held)
