"""The one place of this family that calls compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native

Floats = NDArray[np.float64]
Kernel = tuple[int, float, float, int]  # kind, gamma, coef0, degree
Table: TypeAlias = Floats | sparse.csr_matrix | sparse.csr_array

LINEAR, POLYNOMIAL, GAUSSIAN, SIGMOID, GIVEN = range(5)
WHOLE: Kernel = (GIVEN, 0.0, 0.0, 0)  # the table is the matrix of kernel values
NO_BIAS, ONE_SUM, TWO_SUMS = range(3)
CONVERGED, OUT_OF_ITERATIONS, STALLED, INTERRUPTED, NUMERICAL_FAILURE = range(5)


@dataclass(frozen=True)
class Parts:
    """Says that problem b consists of two parts of the table, ``pairs[b]``, so that kernel values are shared."""

    members: NDArray[np.int32]
    starts: NDArray[np.int64]
    pairs: NDArray[np.int32]


_NO_PARTS = Parts(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32))


@dataclass(frozen=True)
class Problems:
    """Quadratic problems over one table; see cpp/svm/problem.hpp for the formula and cpp/svm/batch.hpp for the
    order of the arrays.
    """

    bias: int
    copies: int
    members: NDArray[np.int32]
    starts: NDArray[np.int64]
    sign: NDArray[np.int8]
    linear: Floats
    upper: Floats
    parts: Parts | None = None

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        return np.diff(self.starts) * self.copies

    @property
    def count(self) -> int:
        """How many problems there are."""
        return len(self.starts) - 1

    def rows(self, number: int) -> slice:
        """Where the members of a problem lie."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]))

    def totals(self, values: Floats) -> Floats:
        """Sums over the variables of each problem."""
        return np.add.reduceat(values, self.starts[:-1] * self.copies)

    def per_variable(self, values: Floats) -> Floats:
        """Values of the members, or one value per problem, at every variable."""
        if len(values) == self.count != len(self.members):
            return np.repeat(values, self._sizes)
        return np.tile(values, self.copies) if self.copies > 1 else values.copy()  # copies: in single problems only

    def variables(self, number: int) -> slice:
        """Where the variables of a problem lie."""
        rows = self.rows(number)
        return slice(rows.start * self.copies, rows.stop * self.copies)

    def native(self) -> _native.SvmProblems:
        """The same for the compiled module."""
        parts = self.parts or _NO_PARTS
        arrays = (self.members, self.starts, self.sign, self.linear, self.upper)
        return _native.SvmProblems(self.bias, self.copies, *arrays, parts.members, parts.starts, parts.pairs)


@dataclass(frozen=True)
class Solved:
    """What the solver found, per variable, member or problem."""

    alpha: Floats
    scores: Floats
    centers: Floats
    violation: Floats
    steps: NDArray[np.int64]
    reasons: NDArray[np.int32]


@dataclass(frozen=True)
class Options:
    """How exactly to solve and with what means."""

    tolerance: float
    fine_tolerance: float
    max_steps: int
    cache_bytes: float
    threads: int
    shrinking: bool = True

    def native(self) -> _native.SvmOptions:
        """The same for the compiled module."""
        return _native.SvmOptions(self.tolerance, self.fine_tolerance, self.max_steps, self.cache_bytes, self.shrinking)


def solve(
    table: Table, kernel: Kernel, problems: Problems, start: Floats, options: Options, *, single: bool = False
) -> Solved:
    """Solve the problems from a feasible start; ``single`` begins with kernel values in single precision."""
    solved = Solved(
        start.copy(),
        np.zeros(len(problems.members)),
        np.zeros((problems.count, 2)),
        np.zeros(problems.count),
        np.zeros(problems.count, dtype=np.int64),
        np.zeros(problems.count, dtype=np.int32),
    )
    _native.svm_solve(
        _rows(table),
        kernel,
        problems.native(),
        options.native(),
        single,
        options.threads,
        solved.alpha,
        solved.scores,
        solved.centers,
        solved.violation,
        solved.steps,
        solved.reasons,
    )
    return solved


def expand(
    queries: Table,
    support: Table,
    kernel: Kernel,
    group_starts: NDArray[np.int64],
    coefficients: Floats,
    threads: int,
) -> Floats:
    """Kernel expansions at the queries, shape (queries, groups, outputs); see cpp/svm/decision.hpp."""
    groups, outputs = len(group_starts) - 1, coefficients.shape[0]
    out = np.empty((queries.shape[0], groups * outputs))
    coefficients = np.ascontiguousarray(coefficients)
    if coefficients.shape[1] == 0:
        out[:] = 0.0
    else:
        _native.svm_expand(_rows(queries), _rows(support), kernel, group_starts, coefficients, threads, out)
    return out.reshape(len(out), groups, outputs)


_NO_FLOATS, _NO_TABLE, _NO_INDICES = np.empty(0), np.empty((0, 0)), np.empty(0, dtype=np.int32)


def _rows(table: Table) -> _native.SvmRows:
    if isinstance(table, np.ndarray):
        return _native.SvmRows(table, _NO_FLOATS, _NO_INDICES, _NO_INDICES, table.shape[1])
    columns, starts = (entry.astype(np.int32, copy=False) for entry in (table.indices, table.indptr))
    return _native.SvmRows(_NO_TABLE, table.data, columns, starts, table.shape[1])
