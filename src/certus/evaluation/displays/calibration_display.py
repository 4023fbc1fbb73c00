"""Said probabilities against what happened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from certus.evaluation.displays.display import ACCENT, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class CalibrationDisplay(Display):
    """Groups of rows: mean probability that the model gave its prediction, and how often the prediction was right.

    Parameters
    ----------
    predicted : sequence of float
        Mean probability of the predictions of each group.
    right : sequence of float
        Fraction of right predictions.
    intervals : sequence of (float, float)
        Where the true fractions lie, all together, with the confidence.
    confidence : float, default=0.95
        With which the intervals hold.
    """

    def __init__(
        self,
        predicted: Sequence[float],
        right: Sequence[float],
        intervals: Sequence[tuple[float, float]],
        confidence: float = 0.95,
    ) -> None:
        self.predicted, self.right, self.intervals, self.confidence = predicted, right, intervals, confidence

    def _draw(self, ax: Axes) -> None:
        start = min([*self.predicted, *(low for low, _ in self.intervals)], default=0.0)
        ax.plot([start, 1], [start, 1], color=SOFT, linewidth=0.8, linestyle="--")
        for center, interval in zip(self.predicted, self.intervals, strict=True):
            ax.plot([center, center], interval, color=ACCENT, alpha=0.35, linewidth=4, solid_capstyle="butt")
        ax.plot(self.predicted, self.right, "o", color=ACCENT, markersize=4)
        ax.set(xlabel="predicted probability", ylabel="fraction of right predictions")
        ax.set_title(f"intervals: confidence {100 * self.confidence:g} %, all together", fontsize=8)
