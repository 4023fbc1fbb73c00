"""A network as a graph: units as dots, weights as lines."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.display import ACCENT, INK, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_SHOWN = 24


class NetworkDisplay(Display):
    """Layers of units from left to right; a line is thicker the larger its weight, dashed where it is negative.

    Parameters
    ----------
    weights : sequence of arrays of shape (units, units of the next layer)
        Without offsets; of layers with more than 24 units the first 24 are drawn.
    """

    def __init__(self, weights: Sequence[ArrayLike]) -> None:
        self.weights: list[NDArray[np.float64]] = [np.asarray(W, dtype=np.float64) for W in weights]
        shapes = [W.shape for W in self.weights]
        if not shapes or any(len(shape) != 2 for shape in shapes):
            raise ValueError(
                f"weights must be one matrix per layer, got the shapes {shapes}.\nHint: coefs_ of a network."
            )
        if any(left[1] != right[0] for left, right in itertools.pairwise(shapes)):
            raise ValueError(
                f"weights must have as many rows as those before have columns, got {shapes}.\n"
                "Hint: coefs_ of a network."
            )

    @classmethod
    def from_estimator(cls, model: Any) -> NetworkDisplay:
        """From the `coefs_` of a fitted network."""
        return cls(model.coefs_)

    def _draw(self, ax: Axes) -> None:
        widths = [len(self.weights[0]), *(W.shape[1] for W in self.weights)]
        heights = [_heights(min(width, LARGEST_SHOWN)) for width in widths]
        for layer, W in enumerate(self.weights):
            shown = W[:LARGEST_SHOWN, :LARGEST_SHOWN]
            largest = float(np.abs(shown).max(initial=0.0)) or 1.0
            for (i, j), weight in np.ndenumerate(shown):
                if weight:
                    ax.plot(
                        [layer, layer + 1],
                        [heights[layer][i], heights[layer + 1][j]],
                        color=ACCENT if weight > 0 else SOFT,
                        linestyle="-" if weight > 0 else "--",
                        linewidth=0.2 + 1.8 * abs(weight) / largest,
                        zorder=1,
                    )
        for layer, (width, places) in enumerate(zip(widths, heights, strict=True)):
            ax.plot(np.full(len(places), float(layer)), places, "o", color=INK, markersize=6, zorder=2)
            name = "inputs" if layer == 0 else "outputs" if layer == len(widths) - 1 else f"layer {layer}"
            ax.text(layer, -1.15, f"{name}: {width}", ha="center", fontsize=8)
        ax.set(ylim=(-1.3, 1.1), xlim=(-0.4, len(widths) - 0.6))
        ax.set_axis_off()


def _heights(count: int) -> NDArray[np.float64]:
    """Places of the units of a layer, in the middle and at most 0.25 apart."""
    half = min(1.0, 0.125 * (count - 1))
    return np.linspace(half, -half, count)
