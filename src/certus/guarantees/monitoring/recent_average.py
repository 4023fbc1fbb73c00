"""The average of the latest rows, bounded at every time, with a failure probability shared out over all windows."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from certus.guarantees.monitoring.confidence_sequence import ConfidenceSequence
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.confidence_levels import share


class RecentAverage:
    """Bounds on the average conditional mean of the last `window` to 2 `window` rows.

    Every `window` rows a confidence sequence begins. The one that begins j-th may fail with probability
    (1 - confidence) / (j (j + 1)), which adds up to 1 - confidence over all times.

    Parameters
    ----------
    window : int
        Rows between the beginnings.
    confidence : float
        Of all bounds together.
    low, high : float
        Range of the loss.
    quantity : str
        What is averaged.
    """

    def __init__(self, window: int, *, confidence: float, low: float, high: float, quantity: str) -> None:
        self.window, self.confidence, self.quantity = window, confidence, quantity
        self._range = (low, high)
        self.rows = 0
        self._sequences = [self._begin()]

    def _begin(self) -> ConfidenceSequence:
        j = self.rows // self.window + 1
        return ConfidenceSequence(
            "gamma-exponential",
            low=self._range[0],
            high=self._range[1],
            confidence=share(self.confidence, j * (j + 1)),
            quantity=f"{self.quantity} since row {self.rows + 1}",
        )

    def update(self, losses: np.ndarray) -> Self:
        """Count losses inside the range."""
        position = 0
        while position < len(losses):
            part = losses[position : position + self.window - self.rows % self.window]
            for sequence in self._sequences:
                sequence.update(part)
            position, self.rows = position + len(part), self.rows + len(part)
            if self.rows % self.window == 0:
                self._sequences = [self._sequences[-1], self._begin()]
        return self

    def certificate(self) -> Certificate:
        """The bounds on the average of the rows since the last but one beginning."""
        return self._sequences[0].certificate()

    def to_dict(self) -> dict[str, Any]:
        """State as plain JSON values."""
        return {"rows": self.rows, "sequences": [sequence.to_dict() for sequence in self._sequences]}

    def restore(self, record: Mapping[str, Any]) -> None:
        """Inverse of `to_dict`."""
        self.rows = check_count(record["rows"], "rows")
        self._sequences = [ConfidenceSequence.from_dict(item) for item in record["sequences"]]
        if len(self._sequences) not in (1, 2):
            raise ValueError("one or two sequences are needed.")
