"""How candidates did, part after part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from certus.evaluation.displays.display import ACCENT, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RaceDisplay(Display):
    """A line per candidate: its loss after each part of the validation; it ends where it left the race.

    Parameters
    ----------
    lines : sequence of sequences of float
        The loss of each candidate after the first part, the second, and so on.
    winners : set of int
        Places of the candidates that won.
    measure : str, default="loss"
        Name of the loss.
    baseline : float, optional
        Loss of the best prediction that looks at no column.
    """

    def __init__(
        self,
        lines: Sequence[Sequence[float]],
        winners: set[int],
        measure: str = "loss",
        baseline: float | None = None,
    ) -> None:
        self.lines, self.winners, self.measure, self.baseline = lines, winners, measure, baseline

    def _draw(self, ax: Axes) -> None:
        for index, line in enumerate(self.lines):
            won = index in self.winners
            parts = range(1, len(line) + 1)
            ax.plot(parts, line, color=ACCENT if won else SOFT, alpha=1.0 if won else 0.5, linewidth=2 if won else 0.8)
            ax.plot(len(line), line[-1], "o", color=ACCENT if won else SOFT, markersize=5 if won else 2)
        if self.baseline is not None:
            ax.axhline(self.baseline, color=SOFT, linestyle="--", linewidth=0.8)
        longest = max((len(line) for line in self.lines), default=1)
        ax.set_xticks(range(1, longest + 1))
        ax.set(xlabel="parts of the validation", ylabel=self.measure)
        ax.set_ylim(bottom=0.0)
