"""The kernels of lasso paths: the only caller of these native functions; allocates the outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native

Array = NDArray[np.float64]
MANY = 2**62
ROUNDS = 100  # looks at all columns that are kept for the history of one fit


@dataclass(frozen=True)
class PathPenalties:
    """Penalties l1 and l2 of every point, and how accurately the points are to be solved."""

    l1: Array
    l2: Array
    positive: bool
    wanted: float
    max_sweeps: int
    random: bool
    seed: int
    max_rounds: int = MANY  # per point: working sets that are solved


@dataclass(frozen=True)
class PathRun:
    """Coefficients (points x columns x targets), gaps, objectives and sweeps of every point."""

    coefs: Array
    gaps: Array
    objectives: Array
    sweeps: NDArray[np.int64]
    rounds: Array = field(default_factory=lambda: np.empty((0, 2)))  # objective and gap along the way, of one point


class ColumnTable:
    """A table by its columns, whose rows are already scaled by ``root``.

    Products with vectors orthogonal to ``root`` are those of the centered columns.
    """

    def __init__(self, X: Any, root: Array, *, center: bool, threads: int) -> None:
        self.columns, self.center, self.threads = X.shape[1], center, threads
        self.root = root
        self.weight = float(root @ root)
        self.mean, self.squares = np.empty(self.columns), np.empty(self.columns)
        rest = (root, center, threads, self.mean, self.squares, self.weight)
        if sparse.issparse(X):
            self._native: Any = _native.sparse_column_table(X.indptr, X.indices, X.data, *rest)
        else:
            self._native = _native.column_table(X, *rest)

    def residual(self, target: Array, coef: Array) -> Array:
        """Target - X coef, for target (targets x rows) and coef (columns x targets)."""
        out = np.empty_like(target)
        self._native.residual(target, coef, self.center, out)
        return out

    def products(self, vectors: Array) -> Array:
        """X' vectors' (columns x targets), for vectors (targets x rows)."""
        out = np.empty((self.columns, len(vectors)))
        self._native.products(vectors, self.threads, out)
        return out

    def path(self, target: Array, start: Array, penalties: PathPenalties) -> PathRun:
        """Solve all points, the first from ``start`` (columns x targets)."""
        run = _empty_run(start, penalties)
        self._native.path(target, self.center, _options(penalties), self.threads, *_flat(run))
        return run


def gram_path(gram: Array, cross: Array, target_squares: float, start: Array, penalties: PathPenalties) -> PathRun:
    """The same from the Gram matrix and ``cross`` = X'Y (targets x columns)."""
    run = _empty_run(start, penalties)
    _native.gram_path(gram, cross, target_squares, _options(penalties), *_flat(run))
    return run


def _empty_run(start: Array, penalties: PathPenalties) -> PathRun:
    points = len(penalties.l1)
    coefs = np.empty((points, *start.shape))
    coefs[0] = start
    rounds = np.full((ROUNDS if points == 1 else 0, 2), np.nan)
    return PathRun(coefs, np.empty(points), np.empty(points), np.zeros(points, dtype=np.int64), rounds)


def _options(penalties: PathPenalties) -> _native.PathPenalties:
    return _native.PathPenalties(**vars(penalties))


def _flat(run: PathRun) -> tuple[Any, ...]:
    return run.coefs.reshape(len(run.coefs), -1), run.gaps, run.objectives, run.sweeps, run.rounds
