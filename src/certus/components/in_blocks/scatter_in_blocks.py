"""Principal components of rows in blocks: one pass for the mean and the scatter matrix, whose size is columns squared.

The mean is kept as a row and a difference from it, since their sum would round away digits of rows far from the origin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import resolve_threads
from certus.base.blocks import Block, RowBlocks
from certus.components.solvers.leading_spectrum import EPSILON, LeadingSpectrum, of_scatter
from certus.components.solvers.row_products import RowProducts

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scatter:
    """Rows that count, their weight, their mean as ``origin + move``, and their scatter around it."""

    rows: int
    total: float
    origin: Floats
    move: Floats
    scatter: Floats

    def joined(self, other: Scatter) -> Scatter:
        """That of the rows of both (Chan, Golub, LeVeque 1983)."""
        total = self.total + other.total
        shift = (other.origin - self.origin) + (other.move - self.move)
        jump = math.sqrt(self.total * other.total / total) * shift
        return Scatter(
            self.rows + other.rows,
            total,
            self.origin,
            self.move + shift * (other.total / total),
            self.scatter + other.scatter + np.outer(jump, jump),
        )

    @property
    def mean(self) -> Floats:
        """The mean of the rows."""
        return self.origin + self.move

    @property
    def unit(self) -> float:
        """A power of four that makes the trace about 1."""
        trace = float(np.trace(self.scatter))
        return 4.0 ** (math.frexp(trace)[1] // 2) if trace > 0.0 else 1.0

    def spectrum(self, count: int | None) -> LeadingSpectrum:
        """The eigenvalues over ``unit``."""
        noise = EPSILON * (min(self.total, 1e6) + len(self.scatter))
        return of_scatter(self.scatter / self.unit, count, noise)


@dataclass(frozen=True)
class ScatterFacts:
    """What a model remembers of the rows besides their scatter."""

    rows: int
    columns: int
    total: float
    mean: Floats
    scale: float
    weights: bool | None

    @classmethod
    def of(cls, found: Scatter, *, weighted: bool) -> ScatterFacts:
        """Of these rows."""
        scale = math.sqrt(found.unit)
        return cls(found.rows, len(found.origin), found.total, found.mean, scale, True if weighted else None)


def _of_block(block: Block, state: Any) -> Scatter:
    del state
    table, weights = block.X, block.weights
    if weights is not None and not weights.all():
        table, weights = table[weights > 0.0], weights[weights > 0.0]
    products = RowProducts(table, weights, centered=True, threads=resolve_threads())
    scatter = products.scatter() * products.scale**2
    return Scatter(products.rows, products.total, *products.middle(), scatter)


def _joined(one: Scatter, two: Scatter) -> Scatter:
    return one.joined(two)


def scatter_of(rows: RowBlocks) -> Scatter:
    """The scatter of all rows."""
    found: Scatter = rows.reduce(_of_block, _joined)
    return found


def fit_pca(learner: Any, rows: RowBlocks) -> None:
    """`PCA`, from the eigenvectors of the scatter matrix whatever its solver is called."""
    found = scatter_of(rows)
    learner._from_scatter(found, rows.dtype, weighted=rows.weights is not None)


def fit_incremental_pca(learner: Any, rows: RowBlocks) -> None:
    """`IncrementalPCA`."""
    found = scatter_of(rows)
    columns = len(found.origin)
    learner._forget_rows()
    learner.batch_size_ = 5 * columns if learner.batch_size is None else learner.batch_size
    wanted = learner.n_components
    if wanted is not None and wanted > columns:
        raise ValueError(f"n_components={wanted} invalid for n_features={columns}, need more rows than columns.")
    learner._scatter, learner.var_ = found.scatter, np.diag(found.scatter) / found.total
    learner._origin, learner._move, learner.mean_ = found.origin, found.move, found.mean
    learner._rows_seen = found.rows
    learner.n_samples_seen_ = found.rows if rows.weights is None else found.total
    spectrum, unit = learner._decomposed(wanted or min(found.rows, columns), found.total)
    learner._remember(spectrum, unit, found.total, rows.dtype)
    learner._certify_directions(spectrum, found.rows)
