"""How much of the gradient reaches the first layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.display import ACCENT, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class GradientFlowDisplay(Display):
    """Length of the error's gradient by the weights of every layer, on a logarithmic scale; one line per network.

    Parameters
    ----------
    norms : mapping of str to array
        For the name of every network the lengths from its first to its last layer
        (`certus.neural.modules.gradient_norms`).
    """

    def __init__(self, norms: Mapping[str, ArrayLike]) -> None:
        self.norms: dict[str, NDArray[np.float64]] = {name: np.asarray(found, float) for name, found in norms.items()}
        if not self.norms or any(found.ndim != 1 or not found.size for found in self.norms.values()):
            raise ValueError(
                "norms must have one vector of lengths per network, got something else.\n"
                'Hint: {"sigmoid": gradient_norms(net, X, y)}.'
            )

    def _draw(self, ax: Axes) -> None:
        for place, (name, found) in enumerate(self.norms.items()):
            color, marker = (ACCENT, "o") if place == 0 else (SOFT, "sD^v"[(place - 1) % 4])
            layers = np.arange(1, len(found) + 1)
            seen = found > 0.0  # a logarithm has no place for the others
            ax.plot(layers[seen], found[seen], color=color, marker=marker, markersize=3, label=name)
        ax.set(xlabel="layer", ylabel="length of the gradient", yscale="log")
        ax.legend(frameon=False)
