"""How candidates did, part after part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from certus.evaluation.displays.display import ACCENT, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_NAMED = 1  # winners: the models of a blend would fill the picture with their names
LONGEST_NAME = 40


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
    names : sequence of str, optional
        What the candidates are called; those of the winners are shown.
    """

    def __init__(
        self,
        lines: Sequence[Sequence[float]],
        winners: set[int],
        measure: str = "loss",
        baseline: float | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.names = [str(name) for name in names]
        self.lines, self.winners, self.measure, self.baseline = lines, winners, measure, baseline

    def _draw(self, ax: Axes) -> None:
        for index, line in enumerate(self.lines):
            won = index in self.winners
            parts = range(1, len(line) + 1)
            shown = self.names[index] if won and len(self.winners) <= LARGEST_NAMED and self.names else None
            label = None if shown is None else shown[:LONGEST_NAME]
            color, width, alpha = (ACCENT, 2.0, 1.0) if won else (SOFT, 0.8, 0.5)
            ax.plot(parts, line, label=label, color=color, linewidth=width, alpha=alpha)
            ax.plot(len(line), line[-1], "o", color=ACCENT if won else SOFT, markersize=5 if won else 2)
        if self.baseline is not None:
            ax.axhline(self.baseline, color=SOFT, linestyle="--", linewidth=0.8, label="baseline")
        if self.names:
            told = "winner" if len(self.winners) <= LARGEST_NAMED else f"{len(self.winners)} blended models in color"
            ax.set_title(f"{told}; gray: the other candidates", fontsize=8)
            ax.legend(fontsize=7, frameon=False, loc="best")
        longest = max((len(line) for line in self.lines), default=1)
        ax.set_xticks(range(1, longest + 1))
        ax.set(xlabel="parts of the validation", ylabel=self.measure)
        ax.set_ylim(bottom=0.0)
