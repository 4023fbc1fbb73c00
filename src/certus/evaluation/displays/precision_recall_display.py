"""Precision against recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.display import ACCENT, SOFT, Display
from certus.guarantees.holdout import RateSetting, rate_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Fixed before looking, as the intervals demand; for scores that are probabilities.
THRESHOLDS = np.linspace(0.0, 1.0, 41)[:-1]
LEAST_GAP = 0.04  # of recalls whose intervals are drawn: nearer ones would hide each other


class PrecisionRecallDisplay(Display):
    """Of the rows called positive, the share that is; against the share of positives found.

    For scores that are probabilities, vertical lines are intervals of the precision at the thresholds 0, 0.025, 0.05,
    …, all of which hold together.

    Parameters
    ----------
    y_true : array of truth values
        Whether each row is positive.
    scores : array
        Higher means more positive.
    confidence : float, default=0.95
        With which all intervals hold.
    """

    def __init__(self, y_true: ArrayLike, scores: ArrayLike, confidence: float = 0.95) -> None:
        positive: NDArray[np.bool_] = np.asarray(y_true).astype(bool)
        given = np.asarray(scores, dtype=float)
        if not positive.any():
            raise ValueError("A precision-recall curve needs at least one positive row.")
        order = np.argsort(-given, kind="stable")
        last = np.append(np.flatnonzero(np.diff(given[order])), len(order) - 1)  # ties are called together
        self.called = last + 1
        self.hits = np.cumsum(positive[order])[last]
        self.positives = int(positive.sum())
        self.thresholds = given[order][last]
        self._scores, self._positive = given, positive
        self.confidence = confidence

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, scores: ArrayLike, *, confidence: float = 0.95
    ) -> PrecisionRecallDisplay:
        """From truth values and scores.

        Examples
        --------
        >>> from certus.evaluation import PrecisionRecallDisplay
        >>> display = PrecisionRecallDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> display.recall.tolist(), display.precision.round(3).tolist()
        ([0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 0.667, 0.5])
        """
        return cls(y_true, scores, confidence)

    @property
    def recall(self) -> NDArray[np.float64]:
        """Share of positives found, by falling threshold."""
        return self.hits / self.positives

    @property
    def precision(self) -> NDArray[np.float64]:
        """Share of rows called positive that are, by falling threshold."""
        return self.hits / self.called

    def intervals(self) -> list[tuple[float, float, float]]:
        """Recall on these rows, and least and largest precision, at the fixed thresholds."""
        if self._scores.min() < 0.0 or self._scores.max() > 1.0:
            return []
        each = 1.0 - (1.0 - self.confidence) / len(THRESHOLDS)
        setting = RateSetting(confidence=each, side="both", quantity="precision", noun="hit", conditional=True)
        found = []
        for threshold in THRESHOLDS:
            called = self._scores >= threshold
            hits = int((called & self._positive).sum())
            bound = rate_bound(hits, int(called.sum()), setting).value if called.any() else (0.0, 1.0)
            assert isinstance(bound, tuple)
            found.append((hits / self.positives, *bound))
        return found

    def _shown(self) -> list[tuple[float, float, float, float]]:
        """Recall, precision and its interval at the fixed thresholds that call any row positive."""
        called = [self._scores >= threshold for threshold in THRESHOLDS]
        return [
            (recall, float(self._positive[rows].mean()), low, high)
            for rows, (recall, low, high) in zip(called, self.intervals() or [], strict=False)
            if rows.any()
        ]

    def _draw(self, ax: Axes) -> None:
        ax.plot(self.recall, self.precision, color=ACCENT, alpha=0.5)
        apart = -1.0
        for recall, precision, low, high in sorted(self._shown()):
            if recall - apart >= LEAST_GAP:
                ends = [[precision - low], [high - precision]]
                ax.errorbar(recall, precision, ends, color=ACCENT, linewidth=1, capsize=2, marker="o", markersize=3)
                apart = recall
        ax.axhline(self.positives / self.called[-1], color=SOFT, linewidth=0.8, linestyle="--")
        ax.set(
            xlim=(0, 1.01), ylim=(0, 1.02), xlabel="share of positives found", ylabel="share of alarms that are right"
        )
        ax.set_title(f"intervals: confidence {100 * self.confidence:g} %, all together", fontsize=8)
