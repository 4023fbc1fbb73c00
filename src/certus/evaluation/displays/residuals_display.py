"""Answers and errors of a regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.display import ACCENT, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_SHOWN = 1_000


class ResidualsDisplay(Display):
    """Error against prediction, row by row, with the band that is promised to hold most errors.

    Parameters
    ----------
    y_true, y_pred : arrays
        Targets and predictions.
    threshold : float, optional
        The size of error that the certificate speaks of.
    """

    def __init__(self, y_true: ArrayLike, y_pred: ArrayLike, threshold: float | None = None) -> None:
        self.predictions: NDArray[np.float64] = np.asarray(y_pred, dtype=float)
        self.errors: NDArray[np.float64] = np.asarray(y_true, dtype=float) - self.predictions
        self.threshold = threshold

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_pred: ArrayLike, *, threshold: float | None = None
    ) -> ResidualsDisplay:
        """From targets and predictions.

        Examples
        --------
        >>> from certus.evaluation import ResidualsDisplay
        >>> ResidualsDisplay.from_predictions([1.0, 2.0], [1.5, 2.0]).errors.tolist()
        [-0.5, 0.0]
        """
        return cls(y_true, y_pred, threshold)

    def _draw(self, ax: Axes) -> None:
        step = max(1, len(self.predictions) // LARGEST_SHOWN)
        if self.threshold is not None:
            ax.axhspan(-self.threshold, self.threshold, color=ACCENT, alpha=0.12, linewidth=0)
            ax.set_title(f"shaded: errors up to {self.threshold:.4g}, of which the bound speaks", fontsize=8)
        ax.axhline(0.0, color=SOFT, linewidth=0.8)
        ax.plot(self.predictions[::step], self.errors[::step], ".", color=ACCENT, alpha=0.6, markersize=3)
        ax.set(xlabel="prediction", ylabel="true value - prediction")
