"""The loss after training on ever more rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from certus.evaluation.displays.display import ACCENT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class LearningCurveDisplay(Display):
    """Loss on validation rows against rows that were learned from.

    Parameters
    ----------
    rows : sequence of int
        Rows that were learned from.
    values : sequence of float
        The loss after each.
    measure : str, default="loss"
        Its name.
    errors : sequence of float, default=()
        Standard errors of the values; a band of two of them to each side is drawn.
    """

    def __init__(
        self, rows: Sequence[int], values: Sequence[float], measure: str = "loss", errors: Sequence[float] = ()
    ) -> None:
        self.rows, self.values, self.measure, self.errors = rows, values, measure, errors

    def _draw(self, ax: Axes) -> None:
        if len(self.errors):
            low = [max(0.0, value - 2.0 * error) for value, error in zip(self.values, self.errors, strict=True)]
            high = [value + 2.0 * error for value, error in zip(self.values, self.errors, strict=True)]
            ax.fill_between(self.rows, low, high, color=ACCENT, alpha=0.2, linewidth=0)
        ax.plot(self.rows, self.values, "o-", color=ACCENT, markersize=4)
        ax.set(xlabel="rows learned from", ylabel=f"{self.measure} (validation)")
        ax.set_ylim(bottom=0.0)
        ax.set_xlim(left=0)
