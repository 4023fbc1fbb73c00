"""Numbers as networks like them: robust scale, smooth ends, missing values, and pieces or waves of each column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.base import register_part

Matrix = NDArray[np.float64]
WAVES = 6  # frequencies of the periodic embedding, from half a turn per unit to 2^4 turns


@register_part("neural")
class NumberEmbedding:
    """Columns of numbers as inputs of a network.

    A column is centered at its median and divided by its interquartile range (half its range, if that is 0), then
    bent, z / sqrt(1 + (z / 3)^2), so that outliers stay within 3. Missing values become 0 and a column of their own
    says where: its weight is the fill that the network learns. "piecewise" adds for each of the bins between
    quantiles how far a value has come through it (Gorishniy et al. 2022), "periodic" sines and cosines.
    """

    _state = ("kind", "bins", "center", "spread", "indicated", "edges")

    def __init__(self, kind: str | None, bins: int) -> None:
        self.kind, self.bins = kind, bins

    def fit(self, values: Matrix) -> NumberEmbedding:
        """Learn centers, spreads and bins; NaN is missing."""
        missing = np.isnan(values)
        self.indicated = missing.any(axis=0)
        known = [column[~hole] for column, hole in zip(values.T, missing.T, strict=True)]
        known = [column if column.size else np.zeros(1) for column in known]
        quarters = np.array([np.quantile(column, (0.25, 0.5, 0.75)) for column in known]).reshape(-1, 3)
        half = np.array([0.5 * column.max() - 0.5 * column.min() for column in known])
        spread = quarters[:, 2] - quarters[:, 0]
        spread = np.where(spread > 0.0, spread, half)
        self.center, self.spread = quarters[:, 1], np.where(spread > 0.0, spread, 1.0)
        self.edges: list[Matrix] = []
        if self.kind == "piecewise":
            levels = np.linspace(0.0, 1.0, self.bins + 1)
            scaled = zip(known, self.center, self.spread, strict=True)
            bent = [_bend((column - center) / size) for column, center, size in scaled]
            self.edges = [np.unique(np.quantile(column, levels)) for column in bent]
        return self

    def transform(self, values: Matrix) -> NDArray[np.float64]:
        """The columns as inputs."""
        missing = np.isnan(values)
        with np.errstate(over="ignore"):
            z = np.where(missing, 0.0, _bend((values - self.center) / self.spread))
        parts = [z, missing[:, self.indicated].astype(np.float64), *self._embedded(z, missing)]
        return np.hstack(parts)

    def _embedded(self, z: Matrix, missing: NDArray[np.bool_]) -> list[Matrix]:
        if self.kind == "periodic":
            turns = [np.pi * 2.0**power * z for power in range(WAVES)]
            return [np.where(missing, 0.0, wave(turn)) for turn in turns for wave in (np.sin, np.cos)]
        if self.kind is None:
            return []
        found = []
        for column, hole, edges in zip(z.T, missing.T, self.edges, strict=True):
            if len(edges) < 3:  # one piece is the column itself
                continue
            share = (column[:, None] - edges[:-1]) / np.diff(edges)
            found.append(np.where(hole[:, None], 0.0, np.clip(share, 0.0, 1.0)))
        return found


def _bend(z: Matrix) -> Matrix:
    """Z / sqrt(1 + (z / 3)^2); infinite values are those of the ends."""
    inside = np.clip(z, -1e150, 1e150)
    return np.asarray(inside / np.hypot(1.0, inside / 3.0))
