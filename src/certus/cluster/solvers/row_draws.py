"""Independent draws of rows by weight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def draw_rows(chances: Floats, order: NDArray[np.int64], uniforms: Floats) -> NDArray[np.int64]:
    """Rows drawn independently in proportion to their chances: where running sums along an order pass u * total."""
    sums = np.cumsum(chances[order])
    places = np.searchsorted(sums, uniforms * sums[-1], side="right")
    return order[np.minimum(places, np.searchsorted(sums, sums[-1]))]
