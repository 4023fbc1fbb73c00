"""Products with a table whose rows are centered and weighted, without a centered copy of it.

The matrix is A = W^(1/2) (X - 1 m') / s: rows times the roots of their weights, minus the mean, divided by a power of
two (exact) that keeps squares away from overflow. All sums are in double, whatever the table holds. Work is cut into
blocks by the shape of the table alone and combined in their order, so that the number of threads changes no bit.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.components import _native_calls

Floats = NDArray[np.float64]
Item = TypeVar("Item")
Result = TypeVar("Result")
CELLS = 2**18  # of a block that is centered: two megabytes stay in the cache
SAFE = (1e-60, 1e60)  # magnitudes whose squares can be summed
DENSE = 0.5  # share of stored cells in a column above which centering the squares would lose digits
SAMPLE = 512  # rows around whose mean sums are taken
EPSILON = float(np.finfo(np.float64).eps)
SERIAL = 2**20  # cells up to which a second thread is not worth waking


def in_order(function: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Results in the order of the items, computed by some threads, of which few wait at a time."""
    if threads == 1:
        yield from map(function, items)
        return
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class RowProducts:
    """The matrix A of a table, as products.

    Parameters
    ----------
    table : ndarray or CSR matrix of shape (rows, columns)
        The rows, finite.
    weights : ndarray of shape (rows,) or None
        Their weights, all positive.
    centered : bool
        Whether the mean is subtracted.
    threads : int
        Threads for the blocks.
    """

    def __init__(self, table: Any, weights: Floats | None, *, centered: bool, threads: int) -> None:
        self.sparse = sparse.issparse(table)
        self.table = sparse.csr_array(table, dtype=np.float64) if self.sparse else table
        self.rows, self.columns = table.shape
        self.threads = 1 if self.rows * self.columns <= SERIAL else threads
        self.weights = weights
        self.total = float(self.rows if weights is None else weights.sum())
        self.roots = None if weights is None else np.sqrt(weights)
        self.step = max(16, CELLS // self.columns)
        self.centered = centered
        self._settled: tuple[Floats, Floats, float] | None = None
        self._across: Any = None
        if self.sparse:
            self._settle()

    def _settle(self) -> tuple[Floats, Floats, float]:
        """A row, the mean less this row, and the power of two that divides, found when they are first asked for.

        Both are subtracted, one after the other: their sum would round away the digits of rows far from the origin.
        """
        if self._settled is None:
            origin, move, largest = self._mean_and_size(self.centered)
            outside = largest > 0.0 and not SAFE[0] < largest < SAFE[1]
            scale = math.ldexp(1.0, math.frexp(largest)[1]) if outside else 1.0
            if self.sparse and scale != 1.0:
                self.table = self.table / scale
            self._settled = origin, move, scale
        return self._settled

    @property
    def mean(self) -> Floats:
        """The mean that is subtracted, in the units of the table."""
        origin, move, _ = self._settle()
        return origin + move

    def middle(self) -> tuple[Floats, Floats]:
        """A row, and the mean less this row, in the units of the table."""
        return self._settle()[:2]

    @property
    def scale(self) -> float:
        """The power of two that divides."""
        return self._settle()[2]

    @property
    def smaller(self) -> int:
        """The smaller of the numbers of rows and columns."""
        return min(self.rows, self.columns)

    def mean_row(self) -> Floats:
        """The mean of the rows, in their own units, whether or not it is subtracted."""
        if self.centered:
            return self.mean
        origin, move, _ = self._mean_and_size(centered=True)
        return origin + move

    def _starts(self) -> range:
        return range(0, self.rows, self.step)

    def _mean_and_size(self, centered: bool) -> tuple[Floats, Floats, float]:
        """The first row, the mean less this row, and the largest magnitude around it."""
        if self.sparse:
            weighted = self.table if self.weights is None else sparse.diags_array(self.weights) @ self.table
            mean = np.asarray(weighted.sum(axis=0)).ravel() / self.total
            zeros, size = np.zeros(self.columns), float(np.abs(self.table.data).max(initial=0.0))
            if not centered or self._mostly_empty():
                return zeros, mean if centered else zeros, size

            def left(first: int) -> Floats:
                part = self.table[first : first + self.step].toarray() - mean
                chosen = None if self.weights is None else self.weights[first : first + self.step]
                return np.asarray((part.sum(axis=0) if chosen is None else chosen @ part) / self.total)

            return mean, np.asarray(sum(in_order(left, self._starts(), self.threads))), size
        heaviest = 0 if self.weights is None else int(self.weights.argmax())
        origin = np.asarray(self.table[heaviest], dtype=np.float64) if centered else np.zeros(self.columns)

        def sums(first: int) -> tuple[Floats, float]:
            part = self.table[first : first + self.step] - origin
            size = max(float(part.max()), -float(part.min()))
            chosen = None if self.weights is None else self.weights[first : first + self.step]
            if not centered:
                return origin, size
            return (part.sum(axis=0) if chosen is None else chosen @ part) / self.total, size

        found = list(in_order(sums, self._starts(), self.threads))
        move = sum(part for part, _ in found) if centered else origin
        return origin, np.asarray(move), max(size for _, size in found)

    def block(self, first: int) -> Floats:
        """Rows of A from this one on, dense."""
        chosen = self.table[first : first + self.step]
        if self.sparse:
            origin, move, scale = self._settle()
            part = (chosen.toarray() - origin / scale) - move / scale
        else:
            origin, move, _ = self._settle()
            part = (chosen - origin) - move if self.centered else chosen.astype(np.float64)
            part = part / self.scale if self.scale != 1.0 else part
        if self.roots is not None:
            part *= self.roots[first : first + self.step, None]
        return np.asarray(part, dtype=np.float64)

    def blocks(self, function: Callable[[Floats], Result]) -> Iterator[Result]:
        """What a function makes of the blocks of rows, in order."""
        self._settle()
        return in_order(lambda first: function(self.block(first)), self._starts(), self.threads)

    def whole(self) -> Floats:
        """All of A."""
        return np.concatenate(list(self.blocks(lambda part: part)))

    def trace(self) -> float:
        """The sum of the squares of A."""
        if self.sparse and self._mostly_empty():
            squares = self.table.power(2) if self.weights is None else sparse.diags_array(self.weights) @ self.table**2
            return max(0.0, float(squares.sum() - self.total * np.square(self.mean / self.scale).sum()))
        return float(sum(self.blocks(lambda part: float(np.vdot(part, part)))))

    def _mostly_empty(self) -> bool:
        """Whether every column has zeros enough that subtracting its squared mean cancels no digits."""
        stored = np.bincount(self.table.indices, minlength=self.columns)
        return bool(stored.max(initial=0) <= DENSE * self.rows)

    @cached_property
    def _by_entries(self) -> bool:
        """Whether products are those of the stored cells, from which the mean's are subtracted."""
        return self.sparse and (not self.centered or self._mostly_empty())

    def scatter(self) -> Floats:
        """A'A, in one pass: numpy multiplies a matrix by its own transpose at half the cost (syrk)."""
        if self.sparse and self._mostly_empty():
            weighted = self.table if self.roots is None else sparse.diags_array(self.roots) @ self.table
            mean = self.mean / self.scale
            return np.asarray((weighted.T @ weighted).toarray() - self.total * np.outer(mean, mean))
        if not self.sparse and self.centered and self._settled is None:
            near = self._scatter_around_a_sample()
            if near is not None:
                return near
        found = np.zeros((self.columns, self.columns))
        for part in self.blocks(lambda part: part.T @ part):
            found += part
        return found

    def _scatter_around_a_sample(self) -> Floats | None:
        """A'A and the mean in one pass, around the mean of some rows; None if that mean is too far from all rows' mean.

        The difference d of the means adds n d d', which is subtracted again: no digits are lost unless it is large.
        """
        places = np.linspace(0, self.rows - 1, min(self.rows, SAMPLE)).astype(np.intp)
        origin = self.table[places].astype(np.float64).mean(axis=0)

        with np.errstate(over="ignore", invalid="ignore"):  # then the table is scaled first
            found, sums = _native_calls.scatter(self.table, self.roots, origin, self.threads)
            move = sums / self.total
            found -= self.total * np.outer(move, move)
            variances, trace = np.diag(found), float(np.trace(found))
            exact = (self.total * move**2 <= 3.0 * variances + EPSILON * trace).all()
        if not (exact and SAFE[0] < trace < SAFE[1]):
            return None
        self._settled = origin, move, 1.0
        return found

    def gram(self) -> Floats:
        """AA', by blocks of columns."""
        if self._by_entries:
            rooted = self._rooted()
            shift = self.mean / self.scale
            roots = np.ones(self.rows) if self.roots is None else self.roots
            cross = np.outer(rooted @ shift, roots)
            return np.asarray(
                (rooted @ rooted.T).toarray() - cross - cross.T + (shift @ shift) * np.outer(roots, roots)
            )
        origin, move, scale = self._settle()
        step = max(16, CELLS // self.rows)

        def product(first: int) -> Floats:
            last = first + step
            if self.sparse:  # is divided already
                part = (self.table[:, first:last].toarray() - origin[first:last] / scale) - move[first:last] / scale
            else:
                part = ((self.table[:, first:last] - origin[first:last]) - move[first:last]) / scale
            part = part if self.roots is None else part * self.roots[:, None]
            return np.asarray(part @ part.T)

        found = np.zeros((self.rows, self.rows))
        for each in in_order(product, range(0, self.columns, step), self.threads):
            found += each
        return found

    def triangle(self) -> Floats:
        """R of A = QR, by QR factorizations of blocks of rows: digits that A'A would lose are kept."""
        self._settle()
        step = max(self.step, 2 * self.columns)
        starts = range(0, self.rows, step)

        def factor(first: int) -> Floats:
            inner = range(first, min(first + step, self.rows), self.step)
            part = np.concatenate([self.block(each)[: first + step - each] for each in inner])
            return np.asarray(np.linalg.qr(part, mode="r"))

        return np.asarray(np.linalg.qr(np.concatenate(list(in_order(factor, starts, self.threads))), mode="r"))

    def _rooted(self) -> Any:
        return self.table if self.roots is None else sparse.csr_array(sparse.diags_array(self.roots) @ self.table)

    def times(self, vectors: Floats) -> Floats:
        """A V."""
        if self._by_entries:
            shift = (self.mean / self.scale) @ vectors
            found = self._sparse_product(self.table, vectors) - shift
            return np.asarray(found if self.roots is None else found * self.roots[:, None])
        return np.concatenate(list(self.blocks(lambda part: part @ vectors)))

    def transposed_times(self, vectors: Floats) -> Floats:
        """A'U."""
        if self._by_entries:
            if self._across is None:
                self._across = sparse.csr_array(self.table.T)
            weighted = vectors if self.roots is None else vectors * self.roots[:, None]
            found = self._sparse_product(self._across, weighted)
            return np.asarray(found - np.outer(self.mean / self.scale, weighted.sum(axis=0)))

        self._settle()

        def product(first: int) -> Floats:
            part = self.block(first)
            return np.asarray(part.T @ vectors[first : first + len(part)])

        return np.asarray(sum(in_order(product, self._starts(), self.threads)))

    def _sparse_product(self, matrix: Any, vectors: Floats) -> Floats:
        step = max(256, CELLS // max(1, vectors.shape[1]))
        starts = range(0, matrix.shape[0], step)
        parts = in_order(lambda first: matrix[first : first + step] @ vectors, starts, self.threads)
        return np.concatenate(list(parts))
