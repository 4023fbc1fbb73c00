"""Rows of a table on a plane, colored by what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.display import INK, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Seen apart with most kinds of color vision, on light and on dark pages; forms say the same again.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#b0669b", "#a88400", "#3f9fd6", "#7a5cc2")
FORMS = ("o", "s", "^", "D", "v", "P", "X")
_LOW_TO_HIGH = ("#1f5fa8", "#8a63b0", "#d55e00")  # none is near white or black, on which it would be lost
MOST_POINTS = 600
OTHERS = "others"


class RowMapDisplay(Display):
    """Rows along two components; each has the color of its label, or of its number.

    Parameters
    ----------
    points : array of shape (n, 2)
        Where the rows lie; of very many a part is drawn.
    values : sequence of str, or array of float
        A label of every row, of which the most frequent seven have a color of their own, or a number.
    names : (str, str)
        What the two axes are.
    title : str, default=""
        What the colors are.
    """

    size = (5.0, 4.2)

    def __init__(
        self,
        points: ArrayLike,
        values: Sequence[Any] | NDArray[Any],
        names: tuple[str, str] = ("component 1", "component 2"),
        title: str = "",
    ) -> None:
        self.points: NDArray[np.float64] = np.asarray(points, dtype=float)
        self.values, self.names, self.title = np.asarray(values), names, title
        if self.points.ndim != 2 or self.points.shape != (len(self.values), 2):
            raise ValueError(
                f"points must be two numbers for each of the {len(self.values)} values, got {self.points.shape}.\n"
                "Hint: pass the first two columns of transform."
            )

    def _draw(self, ax: Axes) -> None:
        drawn = np.arange(0, len(self.points), max(1, -(-len(self.points) // MOST_POINTS)))
        points, values = self.points[drawn], self.values[drawn]
        if values.dtype.kind in "fiu":
            self._draw_numbers(ax, points, values)
        else:
            self._draw_labels(ax, points, values.astype(str))
        ax.axhline(0.0, color=SOFT, linewidth=0.5, zorder=0)
        ax.axvline(0.0, color=SOFT, linewidth=0.5, zorder=0)
        ax.set(xlabel=self.names[0], ylabel=self.names[1])

    def _draw_numbers(self, ax: Axes, points: NDArray[Any], values: NDArray[Any]) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        ends = np.nanquantile(values, [0.02, 0.98]) if len(values) else (0.0, 1.0)
        colors = LinearSegmentedColormap.from_list("low to high", _LOW_TO_HIGH)
        shown = ax.scatter(
            points[:, 0], points[:, 1], c=values, s=9, cmap=colors, vmin=ends[0], vmax=ends[1], linewidths=0
        )
        bar = ax.figure.colorbar(shown, ax=ax, pad=0.02, aspect=30)
        bar.set_label(self.title, color=INK)
        bar.outline.set_visible(False)

    def _draw_labels(self, ax: Axes, points: NDArray[Any], values: NDArray[Any]) -> None:
        labels, counts = np.unique(self.values.astype(str), return_counts=True)
        frequent = labels[np.argsort(-counts, kind="stable")]
        named = frequent if len(frequent) <= len(COLORS) else frequent[: len(COLORS) - 1]
        known = np.isin(values, named)
        if not known.all():
            ax.plot(*points[~known].T, ".", color=SOFT, markersize=4, label=OTHERS)
        for label, color, form in zip(named, COLORS, FORMS, strict=False):
            ax.plot(
                *points[values == label].T, form, color=color, markersize=3.2, mew=0, alpha=0.75, label=_short(label)
            )
        legend = ax.legend(
            title=_short(self.title), loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, frameon=False, fontsize=8
        )
        legend.get_title().set_fontsize(8)


def _short(text: str) -> str:
    return text if len(text) <= 18 else f"{text[:17]}…"
