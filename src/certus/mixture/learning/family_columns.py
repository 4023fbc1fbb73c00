"""Columns of one exponential family: log-densities of rows under means, and which cells a family allows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]
FAMILIES = ("bernoulli", "poisson", "exponential", "categorical", "gaussian")
_ALLOWED: dict[str, tuple[str, Callable[[Floats], NDArray[np.bool_]]]] = {
    "bernoulli": ("0 or 1", lambda cells: (cells == 0.0) | (cells == 1.0)),
    "poisson": ("a whole number from 0", lambda cells: (cells >= 0.0) & (cells == np.floor(cells))),
    "exponential": ("at least 0", lambda cells: cells >= 0.0),
    "categorical": ("a whole number from 0 to 9999", lambda c: (c >= 0.0) & (c == np.floor(c)) & (c < 10_000)),
    "gaussian": ("finite", np.isfinite),
}


def refuse_foreign_cells(rows: Floats, family: str) -> None:
    """Refuse cells that the family gives no density; missing ones are fine."""
    what, allowed = _ALLOWED[family]
    bad = ~(allowed(rows) | np.isnan(rows))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(
            f"Cells of X must be {what} for family={family!r}, got {rows[row, column]:g} in row {row}, column "
            f"{column}.\n"
            "Hint: choose the family by what the columns count or measure."
        )


class FamilyColumns:
    """Rows as sums of the family read them.

    Parameters
    ----------
    rows : array of shape (n, p)
        The rows; NaN where a cell is missing.
    family : str
        The family.
    categories : int
        Categories of every column, for "categorical": cells become that many columns of 0 and 1.
    """

    def __init__(self, rows: Floats, family: str, categories: int = 0) -> None:
        self.family = family
        there = ~np.isnan(rows)
        cells = np.where(there, rows, 0.0)
        self.beyond: NDArray[np.bool_] = np.zeros(len(rows), dtype=bool)
        if family == "categorical":
            self.beyond = np.any(cells >= categories, axis=1)
            same = cells[:, :, None] == np.arange(categories)
            cells = (same & there[:, :, None]).reshape(len(rows), -1).astype(np.float64)
            there = np.repeat(there, categories, axis=1)
        self.cells, self.there = cells, there.astype(np.float64)
        self._constants = self._log_base()

    def _log_base(self) -> Floats:
        """The part of every row's log-density that no mean changes."""
        if self.family == "poisson":
            return -np.asarray(gammaln(self.cells + 1.0).sum(axis=1))
        if self.family == "gaussian":
            return -0.5 * math.log(2.0 * math.pi) * self.there.sum(axis=1)
        return np.zeros(len(self.cells))

    def log_densities(self, means: Floats) -> Floats:
        """The sum over the columns of ln p(cell | mean), for every row and component."""
        means = means.reshape(len(means), -1)
        if self.family == "gaussian":
            squares = [(self.there * (self.cells - mean) ** 2).sum(axis=1) for mean in means]
            found = -0.5 * np.stack(squares, axis=1)
        elif self.family == "exponential":
            found = -self.cells @ (1.0 / means.T) - self.there @ np.log(means.T)
        else:
            found = self._by_logarithms(means)
        found = found + self._constants[:, None]
        found[self.beyond] = -np.inf
        return np.asarray(found)

    def _by_logarithms(self, means: Floats) -> Floats:
        """Of families in which a mean may be 0 (or 1): then some cells are impossible."""
        logs = np.log(np.where(means > 0.0, means, 1.0)).T
        never = (means == 0.0).astype(np.float64).T
        found, impossible = self.cells @ logs, self.cells @ never
        if self.family == "bernoulli":
            others = self.there - self.cells
            found = found + others @ np.log(np.where(means < 1.0, 1.0 - means, 1.0)).T
            impossible = impossible + others @ (means == 1.0).astype(np.float64).T
        elif self.family == "poisson":
            found = found - self.there @ means.T
        return np.asarray(np.where(impossible > 0.0, -np.inf, found))

    def means(self, shares: Floats, before: Floats) -> Floats:
        """The means of shared-out cells; those that no row speaks of stay as they were."""
        amounts = shares.T @ self.there
        sums = shares.T @ self.cells
        found = np.where(amounts > 0.0, sums / np.where(amounts > 0.0, amounts, 1.0), before.reshape(len(before), -1))
        if self.family in ("bernoulli", "categorical"):
            found = np.clip(found, 0.0, 1.0)
        if self.family == "categorical":
            found = _normalized(found.reshape(before.shape))
        return np.asarray(found.reshape(before.shape))


def _normalized(shares: Floats) -> Floats:
    return np.asarray(shares / shares.sum(axis=2, keepdims=True))


def drawn_cells(family: str, means: Floats, rng: np.random.RandomState) -> Any:
    """One row for every row of means."""
    if family == "bernoulli":
        return (rng.uniform(size=means.shape) < means).astype(np.float64)
    if family == "poisson":
        return rng.poisson(means).astype(np.float64)
    if family == "exponential":
        return rng.exponential(means)
    if family == "gaussian":
        return rng.normal(means)
    reached = np.cumsum(means, axis=2)
    found = (rng.uniform(size=(*means.shape[:2], 1)) * reached[:, :, -1:] > reached).sum(axis=2)
    return np.minimum(found, means.shape[2] - 1).astype(np.float64)
