"""What boosting starts from if nothing else is asked for: one answer for every row."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import register_part


@register_part("ensemble")
class ConstantStart:
    """A model that looks at no column.

    Attributes
    ----------
    constant : ndarray
        Its answer: one number, or a probability per class.
    """

    _state: ClassVar[tuple[str, ...]] = ("constant",)

    def __init__(self, constant: NDArray[np.float64]) -> None:
        self.constant = constant

    def __repr__(self) -> str:
        return f"ConstantStart({self.constant!r})"

    def _restored(self) -> None:
        """Called after loading from a file."""
        self.constant = np.asarray(self.constant, dtype=np.float64)
        if self.constant.ndim != 1 or len(self.constant) == 0:
            raise ValueError("constant is not a vector.")

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number, once per row."""
        return np.full(X.shape[0], self.constant[0])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities, once per row."""
        return np.tile(self.constant, (X.shape[0], 1))
