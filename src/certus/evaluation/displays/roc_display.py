"""Hits against false alarms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.bands import half_width, survival
from certus.evaluation.displays.display import ACCENT, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RocDisplay(Display):
    """Share of positives above a threshold against share of negatives above it, with a band.

    The true curve lies in the band at every threshold at once: both rates are known up to a constant that their
    numbers of rows give (half of the failure probability each).

    Parameters
    ----------
    positives, negatives : arrays
        Scores of the rows of either class; higher means more positive.
    confidence : float, default=0.95
        With which the band holds.
    """

    def __init__(self, positives: ArrayLike, negatives: ArrayLike, confidence: float = 0.95) -> None:
        self.positives: NDArray[np.float64] = np.asarray(positives, dtype=float)
        self.negatives: NDArray[np.float64] = np.asarray(negatives, dtype=float)
        if min(len(self.positives), len(self.negatives)) == 0:
            raise ValueError("A ROC curve needs rows of both classes.")
        self.confidence = confidence
        thresholds = np.unique(np.concatenate([self.positives, self.negatives]))[::-1]
        self.thresholds = np.concatenate([[np.inf], thresholds])
        self.hits = survival(self.positives, self.thresholds)
        self.false_alarms = survival(self.negatives, self.thresholds)

    @classmethod
    def from_predictions(cls, y_true: ArrayLike, scores: ArrayLike, *, confidence: float = 0.95) -> RocDisplay:
        """From truth values and scores.

        Examples
        --------
        >>> from certus.evaluation import RocDisplay
        >>> display = RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> display.hits.tolist(), display.false_alarms.tolist()
        ([0.0, 0.5, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5, 1.0])
        """
        positive = np.asarray(y_true).astype(bool)
        given = np.asarray(scores, dtype=float)
        return cls(given[positive], given[~positive], confidence)

    @property
    def area(self) -> float:
        """The area under the curve of these rows, ties half."""
        return float(np.trapezoid(self.hits, self.false_alarms))

    def _draw(self, ax: Axes) -> None:
        share = (1.0 - self.confidence) / 2.0
        up, right = half_width(len(self.positives), share), half_width(len(self.negatives), share)
        grid = np.linspace(0.0, 1.0, 201)
        low = np.clip(np.interp(grid - right, self.false_alarms, self.hits) - up, 0.0, 1.0)
        high = np.clip(np.interp(grid + right, self.false_alarms, self.hits) + up, 0.0, 1.0)
        ax.fill_between(grid, low, high, color=ACCENT, alpha=0.15, linewidth=0)
        ax.step(self.false_alarms, self.hits, where="post", color=ACCENT)
        ax.plot([0, 1], [0, 1], color=SOFT, linewidth=0.8, linestyle="--")
        ax.set(
            xlim=(0, 1), ylim=(0, 1.01), xlabel="share of negatives called positive", ylabel="share of positives found"
        )
        ax.text(0.97, 0.05, f"AUC {self.area:.4g} on these rows", ha="right", transform=ax.transAxes)
        ax.set_title(f"band: confidence {100 * self.confidence:g} %, at all thresholds at once", fontsize=8)
