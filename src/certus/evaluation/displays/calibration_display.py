"""Said probabilities against what happened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from certus.evaluation.displays.display import ACCENT, SOFT, Display


class CalibrationDisplay(Display):
    """Groups of rows: mean probability that the model gave its answer, and how often the answer was right.

    Parameters
    ----------
    said : sequence of float
        Mean probability of the answers of each group.
    right : sequence of float
        Share of right answers.
    intervals : sequence of (float, float)
        Where the true shares lie, all together, with the confidence.
    confidence : float, default=0.95
        With which the intervals hold.
    """

    def __init__(
        self,
        said: Sequence[float],
        right: Sequence[float],
        intervals: Sequence[tuple[float, float]],
        confidence: float = 0.95,
    ) -> None:
        self.said, self.right, self.intervals, self.confidence = said, right, intervals, confidence

    def _draw(self, ax: Any) -> None:
        start = min([*self.said, *(low for low, _ in self.intervals)], default=0.0)
        ax.plot([start, 1], [start, 1], color=SOFT, linewidth=0.8, linestyle="--")
        for place, interval in zip(self.said, self.intervals, strict=True):
            ax.plot([place, place], interval, color=ACCENT, alpha=0.35, linewidth=4, solid_capstyle="butt")
        ax.plot(self.said, self.right, "o", color=ACCENT, markersize=4)
        ax.set(xlabel="probability that the model gave its answer", ylabel="share of right answers")
        ax.set_title(f"intervals: confidence {100 * self.confidence:g} %, all together", fontsize=8)
