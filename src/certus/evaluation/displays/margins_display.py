"""By how much predictions win."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.bands import half_width
from certus.evaluation.displays.display import ACCENT, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class MarginsDisplay(Display):
    """Share of the rows whose margin is at most t, for every t, with a band.

    The margin of a row is what speaks for its true label less what speaks for the strongest other one: negative where
    the prediction is wrong. The true curve lies in the band everywhere at once.

    Parameters
    ----------
    margins : array
        One margin per row, between -1 and 1.
    confidence : float, default=0.95
        With which the band holds.
    """

    def __init__(self, margins: ArrayLike, confidence: float = 0.95) -> None:
        self.margins: NDArray[np.float64] = np.sort(np.asarray(margins, dtype=float))
        if not len(self.margins):
            raise ValueError("margins must have at least one row, got none.")
        self.confidence = confidence

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, probabilities: ArrayLike, *, confidence: float = 0.95
    ) -> MarginsDisplay:
        """From positions of the true labels and what speaks for every label.

        Examples
        --------
        >>> from certus.evaluation import MarginsDisplay
        >>> MarginsDisplay.from_predictions([0, 1], [[0.75, 0.25], [0.5, 0.5]]).margins.tolist()
        [0.0, 0.5]
        """
        truth, given = np.asarray(y_true, dtype=np.intp), np.asarray(probabilities, dtype=float)
        rows = np.arange(len(truth))
        true = given[rows, truth]
        others = given.copy()
        others[rows, truth] = -np.inf
        return cls(true - others.max(axis=1), confidence)

    def share_up_to(self, margins: ArrayLike) -> NDArray[np.float64]:
        """Share of the rows with at most this margin."""
        return np.searchsorted(self.margins, margins, side="right") / len(self.margins)

    def _draw(self, ax: Axes) -> None:
        grid = np.linspace(-1.0, 1.0, 401)
        fraction, off = self.share_up_to(grid), half_width(len(self.margins), 1.0 - self.confidence)
        low, high = np.clip(fraction - off, 0.0, 1.0), np.clip(fraction + off, 0.0, 1.0)
        ax.fill_between(grid, low, high, color=ACCENT, alpha=0.15, linewidth=0)
        ax.step(grid, fraction, where="post", color=ACCENT)
        ax.axvline(0.0, color=SOFT, linewidth=0.8, linestyle="--")
        ax.set(xlim=(-1, 1), ylim=(0, 1.01), xlabel="margin (negative: wrong)", ylabel="share of rows up to it")
        ax.set_title(f"band: confidence {100 * self.confidence:g} %, everywhere at once", fontsize=8)
