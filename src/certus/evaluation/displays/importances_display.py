"""Which columns a model uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from certus.evaluation.displays.display import ACCENT, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_SHOWN = 12
LONGEST_NAME = 30


class ImportancesDisplay(Display):
    """Rise of the loss when the entries of a column change places; the largest twelve.

    Parameters
    ----------
    values : mapping of str to float
        Column -> rise of the loss.
    measure : str, default="loss"
        Its name.
    spread : mapping of str to float, optional
        Column -> standard deviation of the rise from one change of places to the next.
    """

    def __init__(
        self, values: Mapping[str, float], measure: str = "loss", spread: Mapping[str, float] | None = None
    ) -> None:
        self.values = dict(sorted(values.items(), key=lambda item: -item[1]))
        self.measure, self.spread = measure, dict(spread or {})

    def _draw(self, ax: Axes) -> None:
        shown = list(self.values.items())[:LARGEST_SHOWN][::-1]
        names = [name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…" for name, _ in shown]
        lines = [self.spread.get(name, 0.0) for name, _ in shown] if self.spread else None
        lengths, alpha = [value for _, value in shown], 0.75 if lines else 1.0
        ax.barh(range(len(shown)), lengths, 0.6, xerr=lines, color=ACCENT, alpha=alpha, ecolor=SOFT)
        if lines:
            ax.set_title("lines: from one shuffling to the next", fontsize=8)
        ax.axvline(0.0, color=SOFT, linewidth=0.8)
        ax.set_yticks(range(len(shown)), names)
        ax.set_xlabel(f"rise of the {self.measure} when the column is shuffled")
