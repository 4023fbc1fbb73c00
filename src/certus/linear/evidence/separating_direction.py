"""Directions along which a loss without penalty falls for ever, found by a linear program and verified exactly.

A convex loss of the scores has no minimizer if some direction v != 0 in score space makes no row worse and some row
better: a'v >= 0 for all rows a of a matrix A, and > 0 for some. The rows of A are, with x extended by 1 if there is
an intercept,

    two classes        s x                   (s = +-1 for the two labels)
    several classes    x (e_y - e_k)'        for every other class k, as one long row
    Poisson            -x for counts of 0, x and -x for the others

The program  max sum t  over  A v >= t, 0 <= t <= 1  makes as many rows as possible strictly better. Its solution has
rounding errors, which matter where a'v must be 0: there v is corrected in rational arithmetic. What is returned has
been verified exactly, so it is true whatever the program did.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from certus.linear.design.moments import UNIT, gamma

Array = NDArray[np.float64]
LARGEST_PROGRAM = 300_000  # stored entries of A up to which the linear program is tried
LARGEST_EXACT = 2_000_000  # multiplications in rational arithmetic up to which rows are verified or v corrected
TIE = 1e-6  # a'v relative to |a||v| below which the program may have meant 0


@dataclass(frozen=True)
class Direction:
    """A verified v (exact numbers, one per column of A) and how many rows of A it makes strictly better."""

    exact: tuple[Fraction, ...]
    strict: int
    total: int

    @property
    def complete(self) -> bool:
        """Whether every row gets strictly better, so that the loss tends to 0."""
        return self.strict == self.total

    @property
    def approximate(self) -> Array:
        """V in doubles."""
        return np.array([float(v) for v in self.exact])


def label_rows(X: Any, codes: NDArray[Any], classes: int, *, intercept: bool) -> Any:
    """A for two or more classes; its columns are the coefficients class by class, each with its intercept last."""
    table = extended(X, intercept=intercept)
    if classes == 2:
        return sparse.csr_array(sparse.diags_array(2.0 * codes - 1.0) @ table)
    blocks = []
    for own in range(classes):
        rows = table[np.flatnonzero(codes == own)]
        for other in range(classes):
            if other != own:
                placed = [sparse.csr_array(rows.shape)] * classes
                placed[own], placed[other] = rows, -rows
                blocks.append(sparse.hstack(placed, format="csr"))
    return sparse.csr_array(sparse.vstack(blocks, format="csr"))


def count_rows(X: Any, y: Array, *, intercept: bool) -> Any:
    """A for Poisson counts."""
    table = extended(X, intercept=intercept)
    others = table[np.flatnonzero(y > 0.0)]
    return sparse.csr_array(sparse.vstack([-table[np.flatnonzero(y == 0.0)], others, -others], format="csr"))


def extended(X: Any, *, intercept: bool) -> Any:
    """The table in compressed rows, with a column of ones last if there is an intercept."""
    table = sparse.csr_array(X, dtype=np.float64)
    if not intercept:
        return table
    return sparse.csr_array(sparse.hstack([table, np.ones((table.shape[0], 1))], format="csr"))


def find_direction(A: Any, guess: Array) -> Direction | None:
    """A direction that makes no row worse and some better, or None if none was found.

    ``guess`` is tried first: the coefficients at which the iterations ended, which grow along such a direction.
    """
    A = sparse.csr_array(A)
    A.eliminate_zeros()
    rows = A[np.flatnonzero(np.diff(A.indptr))]  # a row of zeros gets neither better nor worse
    direct = _verified(rows, [Fraction(v) for v in guess.tolist()], rows.shape[0])
    if direct is not None and direct.complete:
        return _counted(direct, A)
    found = _by_program(rows) if rows.nnz <= LARGEST_PROGRAM else None
    best = max((d for d in (direct, found) if d is not None), key=lambda d: d.strict, default=None)
    return None if best is None else _counted(best, A)


def _counted(direction: Direction, A: Any) -> Direction:
    return Direction(direction.exact, direction.strict, A.shape[0])


def _by_program(A: Any) -> Direction | None:
    """The linear program on scaled rows and columns, and its solution made exact."""
    columns = _power_of_two(np.abs(A).max(axis=0).toarray().ravel())
    scaled = sparse.csr_array(A @ sparse.diags_array(1.0 / columns))
    rows = _power_of_two(np.abs(scaled).max(axis=1).toarray().ravel())
    scaled = sparse.csr_array(sparse.diags_array(1.0 / rows) @ scaled)
    count, width = scaled.shape
    program = optimize.linprog(
        np.concatenate([np.zeros(width), -np.ones(count)]),
        A_ub=sparse.hstack([-scaled, sparse.eye_array(count)], format="csr"),
        b_ub=np.zeros(count),
        bounds=[(None, None)] * width + [(0.0, 1.0)] * count,
        method="highs",
    )
    if program.x is None or -program.fun < 0.5:
        return None
    v = program.x[:width]
    margins, size = scaled @ v, np.abs(scaled) @ np.abs(v)
    ties = np.flatnonzero(margins <= TIE * np.maximum(size, 1.0))
    exact = _corrected(scaled[ties], v)
    return (
        None if exact is None else _verified(A, [u / Fraction(c) for u, c in zip(exact, columns, strict=True)], count)
    )


def _power_of_two(sizes: Array) -> Array:
    """Near the sizes; scaling by these loses no digit."""
    return np.exp2(np.rint(np.log2(np.clip(np.where(sizes > 0.0, sizes, 1.0), 2.0**-1000, 2.0**1000))))


def _corrected(ties: Any, v: Array) -> list[Fraction] | None:
    """The vector near v with ties'v = 0 exactly, by elimination over the rationals."""
    exact = [Fraction(x) if abs(x) > 1e-9 * np.abs(v).max(initial=0.0) else Fraction(0) for x in v.tolist()]
    support = [j for j, x in enumerate(exact) if x]
    table = np.unique(ties[:, support].toarray(), axis=0) if ties.shape[0] else np.empty((0, len(support)))
    if table.shape[0] * len(support) ** 2 > LARGEST_EXACT:
        return None
    reduced: list[tuple[int, list[Fraction]]] = []  # pivot and row, all other pivots eliminated
    for row in table.tolist():
        left = [Fraction(x) for x in row]
        for pivot, base in reduced:
            if left[pivot]:
                factor = left[pivot]
                left = [x - factor * y for x, y in zip(left, base, strict=True)]
        pivot = max(range(len(left)), key=lambda j: abs(left[j]), default=0)
        if not left or not left[pivot]:
            continue
        left = [x / left[pivot] for x in left]
        reduced = [(k, [x - base[pivot] * y for x, y in zip(base, left, strict=True)]) for k, base in reduced]
        reduced.append((pivot, left))
    pivots = {pivot for pivot, _ in reduced}
    free = [j for j in range(len(support)) if j not in pivots]
    for pivot, base in reduced:
        exact[support[pivot]] = -sum((base[j] * exact[support[j]] for j in free), Fraction(0))
    return exact if any(exact) else None


def _verified(A: Any, v: list[Fraction], total: int) -> Direction | None:
    """The direction with its count if no row of A gets worse and some row better, else None.

    Rows that rounding errors cannot decide are summed in rational arithmetic.
    """
    approximate = np.array([float(x) for x in v])
    with np.errstate(over="ignore", invalid="ignore"):
        margins = A @ approximate
        doubt = gamma(A.shape[1] + 8) * (np.abs(A) @ np.abs(approximate)) + 4.0 * UNIT * np.abs(margins)
    if not np.isfinite(doubt).all() or (margins < -doubt).any():
        return None
    unclear = np.flatnonzero(margins <= doubt + np.finfo(float).tiny * A.shape[1])
    if len(unclear) and A[unclear].nnz > LARGEST_EXACT:
        return None
    strict = A.shape[0] - len(unclear)
    for i in unclear:
        start, stop = A.indptr[i], A.indptr[i + 1]
        margin = sum(
            (Fraction(a) * v[j] for a, j in zip(A.data[start:stop].tolist(), A.indices[start:stop], strict=True)),
            Fraction(0),
        )
        if margin < 0:
            return None
        strict += margin > 0
    return Direction(tuple(v), int(strict), total) if strict else None


def columns_that_separate(X: Any, codes: NDArray[Any], classes: int) -> list[int]:
    """Columns in which one threshold parts some class from all others (ties on it allowed), in their order."""
    table = sparse.csc_array(X) if sparse.issparse(X) else np.asarray(X)
    found: set[int] = set()
    for label in range(1 if classes == 2 else classes):
        inside, outside = (_extremes(table, codes == label), _extremes(table, codes != label))
        for (_, high), (low, _) in ((inside, outside), (outside, inside)):
            varies = np.maximum(inside[1], outside[1]) > np.minimum(inside[0], outside[0])
            found.update(np.flatnonzero((high <= low) & varies).tolist())
    return sorted(found)


def _extremes(table: Any, rows: NDArray[Any]) -> tuple[Array, Array]:
    part = table[np.flatnonzero(rows)]
    if sparse.issparse(part):
        return part.min(axis=0).toarray().ravel(), part.max(axis=0).toarray().ravel()
    return part.min(axis=0), part.max(axis=0)
