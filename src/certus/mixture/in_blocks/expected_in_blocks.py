"""Mixtures of Gaussians on rows in blocks: a pass per step of EM, for the expected moments of the components.

Starts are found on a sample of rows, as on a whole table of that size; the steps are those of all rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Iterations, resolve_seed
from certus.base.blocks import Block, RowBlocks
from certus.base.em import best_climb
from certus.mixture.learning.gaussians import Gaussians
from certus.mixture.learning.mixture_starts import filled_table
from certus.mixture.learning.observed_cells import Moments, ObservedCells

Floats = NDArray[np.float64]
STARTED = 20_000  # rows that starts are found on


def whole_table_needed(learner: Any) -> str | None:
    """Which setting needs the whole table."""
    return None if learner.prior is None else f"prior={learner.prior!r}"


def _counted(block: Block) -> ObservedCells:
    if block.weights is None or block.weights.all():
        return ObservedCells(block.X, block.weights)
    kept = block.weights > 0.0
    return ObservedCells(np.ascontiguousarray(block.X[kept]), block.weights[kept])


@dataclass(frozen=True)
class _Overview:
    """The weight, the rows that count, the largest and smallest cells, and rows to start with."""

    total: float
    rows: int
    reach: Floats
    keys: NDArray[np.uint64]
    sample: NDArray[Any]
    weights: Floats

    def joined(self, other: _Overview) -> _Overview:
        keys = np.concatenate([self.keys, other.keys])
        first = np.sort(np.argsort(keys, kind="stable")[:STARTED])
        both = np.stack([self.reach, other.reach])
        return _Overview(
            self.total + other.total,
            self.rows + other.rows,
            np.stack([both[:, 0].max(axis=0), both[:, 1].min(axis=0)]),
            keys[first],
            np.concatenate([self.sample, other.sample])[first],
            np.concatenate([self.weights, other.weights])[first],
        )


def _overview(block: Block, seed: int) -> _Overview:
    cells = _counted(block)
    there = ~np.isnan(cells.rows)
    high, low = cells.rows.max(axis=0, initial=0.0, where=there), cells.rows.min(axis=0, initial=0.0, where=there)
    random = np.random.Generator(np.random.Philox([seed, block.number]))
    keys = random.integers(2**64, size=len(cells.rows), dtype=np.uint64)
    first = np.sort(np.argsort(keys, kind="stable")[:STARTED])
    reach = np.stack([high, low]).astype(np.float64)
    return _Overview(cells.total, len(keys), reach, keys[first], cells.rows[first], cells.weights[first])


@dataclass(frozen=True)
class _Expected:
    """Log-likelihood and moments of rows."""

    likelihood: float
    moments: Moments

    def joined(self, other: _Expected) -> _Expected:
        one, two = self.moments, other.moments
        moments = Moments(one.weight + two.weight, one.first + two.first, one.second + two.second, one.centers)
        return _Expected(self.likelihood + other.likelihood, moments)


def _joined(one: Any, two: Any) -> Any:
    return one.joined(two)


def _expected(block: Block, at: tuple[Gaussians, Floats]) -> _Expected:
    cells = _counted(block)
    likelihood, moments = cells.moments(*at)
    return _Expected(likelihood * cells.total, moments)


class CellsInBlocks:
    """What steps of EM ask of a table.

    Parameters
    ----------
    blocks : RowBlocks
        After the first pass.
    total : float
        Weight of all rows.
    reach : array of shape (2, p)
        The largest and the smallest cell of every column, which tell what rounding is.
    """

    complete = True  # the reach of columns has no gaps

    def __init__(self, blocks: RowBlocks, total: float, reach: Floats) -> None:
        self.blocks, self.total, self.rows = blocks, total, reach

    def moments(self, model: Gaussians, centers: Floats) -> tuple[float, Moments]:
        """The log-likelihood per row, and the expected moments around the centers."""
        plain = Gaussians(model.kind, model.weights, model.means, model.covariances)
        found = self.blocks.reduce(_expected, _joined, (plain, centers))
        return found.likelihood / self.total, found.moments


def fit_gaussians(learner: Any, rows: RowBlocks) -> None:
    """Set what ``fit`` of a whole table sets."""
    seed = resolve_seed(learner.random_state)
    found = rows.reduce(_overview, _joined, seed)
    if found.rows < max(2, learner.n_components):
        learner._refuse_few(found.rows)
    some = ObservedCells(np.ascontiguousarray(found.sample), found.weights)
    filled = filled_table(some)
    steps = learner._steps(CellsInBlocks(rows, found.total, found.reach), filled)
    before = -math.inf
    if learner.warm_start and "converged_" in vars(learner) and learner._fits_before(rows.columns):
        present, before = learner._present(), ([-math.inf, *learner.lower_bounds_])[-1]
        starts = [lambda: present]
    else:
        starts = learner._starts(learner._steps(some, filled), filled, seed)
    with Iterations(learner, learner.max_iter * len(starts)) as iterations:
        run = best_climb(
            steps,
            starts,
            tell=lambda objective: iterations.step(objective=-objective),
            tol=learner._tolerance(steps),
            max_iter=learner.max_iter,
            before=before,
        )
    learner._keep_run(run, rows.dtype)
    learner.report_ = learner._evidence(steps, run, found.rows)
