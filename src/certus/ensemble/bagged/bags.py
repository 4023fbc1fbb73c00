"""How many rows a bag holds, and which: drawing with replacement, repeatable from a seed."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import warn_user
from certus.ensemble._native_calls import forest_kernels as kernels

# Whole weights count as repeated rows up to this average; beyond it they only say how likely a row is.
LARGEST_REPETITION = 16

# scikit-learn compares weighted rows with repeated ones in another order, and its own bagging fails too.
SHUFFLED_WEIGHTS = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    "rows are drawn by their place, so the shuffled rows of the check give other bags",
)


@dataclass(frozen=True)
class Bags:
    """The rule by which bags are drawn.

    Parameters
    ----------
    rows : int
        Rows of the table.
    draws : int
        Rows drawn for each bag.
    weights : ndarray or None
        A row is drawn with probability proportional to its weight.
    """

    rows: int
    draws: int
    weights: NDArray[np.float64] | None

    def rule(self) -> Any:
        """The same for compiled code."""
        return kernels.bag_rule(self.rows, self.draws, self.weights)

    def drawn(self, seeds: NDArray[np.uint64]) -> list[NDArray[np.int32]]:
        """The rows of the bags with these seeds."""
        rule = self.rule()
        return [kernels.draw_rows(rule, self.draws, int(seed)) for seed in seeds]


def bag_size(rows: int, max_samples: int | float | None, weights: NDArray[np.float64] | None) -> int:
    """How many rows to draw: ``max_samples`` as a number, as a fraction, or None for as many as there are.

    A fraction is one of the total weight, as if weights counted repeated rows; of the rows where the weights are too
    large for that (a unit such as 1e12 must not ask for 1e14 draws). With None, whole weights count as repeated rows.
    """
    if max_samples is None:
        if weights is None:
            return rows
        total = float(weights.sum())
        repeated = bool((weights == np.floor(weights)).all()) and total <= LARGEST_REPETITION * rows
        return int(total) if repeated else int(np.count_nonzero(weights))
    if isinstance(max_samples, Integral):
        return int(max_samples)
    total = float(rows) if weights is None else float(weights.sum())
    if weights is not None and total > LARGEST_REPETITION * rows:
        total = float(np.count_nonzero(weights))
    draws = max(int(max_samples * total), 1)
    if draws < max(10, rows ** (1 / 3)):
        counted = "the number of samples" if weights is None else "the total sum of sample weights"
        warn_user(
            f"Using the fractional value {max_samples=} when {counted} is {total:g} results in a low number "
            f"({draws}) of bootstrap samples. We recommend passing `max_samples` as an integer instead."
        )
    return draws
