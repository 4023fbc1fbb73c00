"""What the densities of counts share: reading them, and sums with logarithms of parameters that may be 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from certus.graphical.sequences.observed_rows import ObservedRows

Floats = NDArray[np.float64]
TABLE = 1_000_000  # up to this count, logarithms of factorials are looked up


def check_counts(rows: ObservedRows) -> ObservedRows:
    """Refuse what are not counts, with the place."""
    values = rows.values
    for bad, lead in ((values < 0.0, "Negative values in data: "), (values != np.floor(values), "")):
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise ValueError(
                f"{lead}X must hold counts, whole numbers from 0, got {values[row, column]:g} in row {row}, column "
                f"{column}.\nHint: NaN stands for a missing count."
            )
    return rows


def times_logarithms(counts: Floats, parameters: Floats) -> Floats:
    """sum_j counts_j log parameters_kj for every row and component, with 0 log 0 = 0."""
    positive = parameters > 0.0
    found = counts @ np.log(np.where(positive, parameters, 1.0)).T
    for k in np.flatnonzero(~positive.all(axis=1)):
        found[(counts[:, ~positive[k]] > 0.0).any(axis=1), k] = -np.inf
    return np.asarray(found)


def log_factorials(counts: NDArray[Any]) -> Floats:
    """log(counts!)."""
    most = counts.max(initial=0.0)
    if most < TABLE and most < 4 * counts.size:
        return np.asarray(gammaln(np.arange(most + 1.0) + 1.0)[counts.astype(np.intp)])
    return np.asarray(gammaln(counts + 1.0))
